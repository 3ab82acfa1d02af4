import { unsure } from '../../tensor/index.ts';
import { type Entry, op } from '../op.ts';

/** Arguments of any number and name: nothing is asked of them. */
const ANY = `${Array.from({ length: 16 }, (_, i) => `a${i}: any = None`).join(', ')}, **more: named`;

/** What the layout arithmetic does not reach, and why. The names are full, or begin with `Tensor.` for methods. */
const REASONS: Readonly<Record<string, readonly string[]>> = {
  'a sparse tensor has no strides': [
    ...['sparse_coo_tensor', 'sparse_csr_tensor', 'sparse_csc_tensor', 'sparse_bsr_tensor', 'sparse_bsc_tensor'],
    ...['sparse_compressed_tensor', 'hspmm', 'resize_as_sparse_', 'ccol_indices_copy', 'col_indices_copy'],
    ...['crow_indices_copy', 'row_indices_copy', 'indices_copy', 'values_copy'],
    ...['Tensor.to_sparse', 'Tensor.to_sparse_coo', 'Tensor.to_sparse_csr', 'Tensor.to_sparse_csc'],
    ...['Tensor.to_sparse_bsr', 'Tensor.to_sparse_bsc', 'Tensor.sparse_mask', 'Tensor.sparse_resize_'],
    ...['Tensor.sparse_resize_and_clear_', 'Tensor.coalesce', 'Tensor.resize_as_sparse_', 'Tensor.smm', 'smm'],
    ...['sspaddmm', 'Tensor.sspaddmm'],
  ],
  'the operand is sparse': [
    ...['dsmm', 'hsmm', 'saddmm', 'spmm', 'Tensor.indices', 'Tensor.values', 'Tensor.crow_indices'],
    ...['Tensor.col_indices', 'Tensor.ccol_indices', 'Tensor.row_indices', 'Tensor.is_coalesced'],
  ],
  'a quantized tensor has a dtype of its own': [
    ...['quantize_per_tensor', 'quantize_per_channel', 'quantize_per_tensor_dynamic', 'empty_quantized'],
    ...['choose_qparams_optimized', 'fused_moving_avg_obs_fake_quant', 'quantized_batch_norm', 'quantized_gru'],
    ...['quantized_gru_cell', 'quantized_lstm', 'quantized_lstm_cell', 'quantized_max_pool1d'],
    ...['quantized_max_pool2d', 'quantized_max_pool3d', 'quantized_rnn_relu_cell', 'quantized_rnn_tanh_cell'],
    ...['int_repr', 'q_per_channel_axis', 'q_per_channel_scales', 'q_per_channel_zero_points', 'q_scale'],
    ...['q_zero_point', 'Tensor.int_repr', 'Tensor.q_per_channel_axis', 'Tensor.q_per_channel_scales'],
    ...['Tensor.q_per_channel_zero_points', 'Tensor.q_scale', 'Tensor.q_zero_point', 'Tensor.qscheme'],
    ...['fbgemm_linear_fp16_weight', 'fbgemm_linear_fp16_weight_fp32_activation', 'fbgemm_linear_int8_weight'],
    ...['fbgemm_linear_int8_weight_fp32_activation', 'fbgemm_linear_quantize_weight'],
    ...['fbgemm_pack_gemm_matrix_fp16', 'fbgemm_pack_quantized_matrix'],
  ],
  'a kernel of one back end chooses the layout': [
    ...['cudnn_affine_grid_generator', 'cudnn_batch_norm', 'cudnn_convolution', 'cudnn_convolution_add_relu'],
    ...['cudnn_convolution_relu', 'cudnn_convolution_transpose', 'cudnn_grid_sampler', 'cudnn_is_acceptable'],
    ...['miopen_batch_norm', 'miopen_convolution', 'miopen_convolution_add_relu', 'miopen_convolution_relu'],
    ...['miopen_convolution_transpose', 'miopen_ctc_loss', 'miopen_depthwise_convolution', 'miopen_rnn'],
    ...['mkldnn_adaptive_avg_pool2d', 'mkldnn_convolution', 'mkldnn_linear_backward_weights'],
    ...['mkldnn_max_pool2d', 'mkldnn_max_pool3d', 'mkldnn_rnn_layer', 'Tensor.to_mkldnn', 'native_norm'],
    ...['batch_norm_backward_elemt', 'batch_norm_backward_reduce', 'batch_norm_elemt', 'batch_norm_stats'],
    ...['batch_norm_gather_stats', 'batch_norm_gather_stats_with_counts', 'batch_norm_update_stats'],
    ...['Tensor.ipu', 'Tensor.xpu', 'Tensor.mtia', 'F.scaled_grouped_mm'],
  ],
  'a nested tensor has rows of several lengths': ['Tensor.to_padded_tensor', 'torch.nested.nested_tensor'],
  'it is a handle of another library': ['to_dlpack', 'torch.utils.dlpack.to_dlpack'],
  'it was removed, and raises': ['Tensor.reinforce', 'Tensor.resize', 'Tensor.resize_as'],
};

export const unmodelled: readonly Entry[] = Object.entries(REASONS).flatMap(([reason, names]) =>
  names.map((name) =>
    op(`${name.includes('.') ? name : `torch.${name}`}(${ANY}) -> any` as 'f(a0: any = None) -> any', {
      maybe: () => unsure(reason),
      samples: [],
    }),
  ),
);
