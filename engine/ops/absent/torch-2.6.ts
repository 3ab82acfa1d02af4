// Written by test/oracle/record_names.py: do not edit.
/** Names of newer versions that torch 2.6 has not got. */
export const ABSENT: readonly string[] = [
  'torch.Tensor.const_data_ptr',
  'torch.Tensor.hash_tensor',
  'torch.Tensor.index',
  'torch._constrain_as_value',
  'torch._grouped_mm',
  'torch.distributed.all_gather_single',
  'torch.distributed.reduce_scatter_single',
  'torch.hash_tensor',
  'torch.miopen_ctc_loss',
  'torch.nn.LinearCrossEntropyLoss',
  'torch.nn.functional.grouped_mm',
  'torch.nn.functional.linear_cross_entropy',
  'torch.nn.functional.scaled_grouped_mm',
  'torch.nn.functional.scaled_mm',
  'torch.profiler_allow_cudagraph_cupti_lazy_reinit_cuda12',
  'torch.thread_safe_generator',
];
