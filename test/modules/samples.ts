import { readSample, type SampleArgument } from '../../engine/ops/sample.ts';
import { parseSignature } from '../../engine/ops/signature.ts';

/** One module, made and called in a mode, that both the engine and PyTorch answer. */
export interface ModuleQuestion {
  /** The sample itself: a recording under another key is stale. */
  readonly key: string;
  readonly training: boolean;
  readonly grad: boolean;
  /** The constructor call in Python, without the namespace. */
  readonly construction: string;
  readonly inputs: readonly Input[];
  readonly keywords: Readonly<Record<string, Input>>;
}

/** `again`: the very object that was given as that input. */
export type Input = SampleArgument | { readonly is: 'again'; readonly input: number };

/**
 * Mode, constructor, inputs: parted by two spaces. The mode is `train` or `eval`, `no_grad` is added to it. Inputs are
 * written as in the samples of ops; `^0` is the first input once more.
 */
const SAMPLES: readonly string[] = [
  'train  Linear(3, 4)  (2, 3)',
  'train  Linear(3, 4, bias=False)  (2, 5, 3)/(1, 2, 10)',
  'train  Linear(3, 4)  (3,)',
  'train  Linear(3, 4)  (2, 4)',
  'train  Linear(3, 4)  (2, 3):float64',
  'train  Bilinear(3, 4, 5)  (2, 3)  (2, 4)',
  'train  Identity()  (2, 3)/(1, 2)',
  'train  Identity(54, unused=True)  (2, 3)',
  // convolutions
  'train  Conv1d(4, 6, 3, padding=1)  (2, 4, 9)',
  'train  Conv1d(4, 6, 3)  (2, 4, 9)/(36, 1, 4)',
  'train  Conv1d(4, 6, 1)  (4, 9)',
  'train  Conv2d(4, 6, 3, stride=2, padding=1)  (2, 4, 9, 8)',
  'train  Conv2d(4, 6, (3, 1), bias=False)  (2, 4, 9, 8)/(288, 1, 32, 4)',
  "train  Conv2d(4, 6, 3, padding='same')  (2, 4, 9, 8)",
  'train  Conv2d(4, 4, 3, groups=4)  (2, 4, 9, 8)',
  'train  Conv2d(4, 8, 1, groups=2)  (4, 9, 8)',
  'train  Conv2d(4, 6, 3, dilation=2)  (2, 4, 9, 8)/(288, 1, 32, 4)',
  'train  Conv2d(4, 6, 3)  (2, 3, 9, 8)',
  'train  Conv2d(4, 6, 3)  (4, 9)',
  "train  Conv2d(4, 6, 3, padding=1, padding_mode='reflect')  (2, 4, 9, 8)",
  'train  Conv3d(4, 6, 3)  (2, 4, 5, 6, 7)',
  'train  Conv3d(4, 6, 3)  (2, 4, 5, 6, 7)/(840, 1, 168, 28, 4)',
  'train  Conv3d(4, 6, 3)  (1, 4, 5, 6, 7)/(840, 1, 168, 28, 4)',
  'train  ConvTranspose1d(4, 6, 3, stride=2)  (2, 4, 5)',
  'train  ConvTranspose2d(4, 6, 4, stride=2, padding=1)  (2, 4, 5, 6)',
  'train  ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2)  (2, 4, 5, 6)/(120, 1, 24, 4)',
  'train  ConvTranspose3d(4, 6, 2, stride=2)  (2, 4, 3, 3, 3)',
  // norms
  'train  BatchNorm1d(4)  (3, 4)',
  'train  BatchNorm1d(4)  (3, 4, 5)/(20, 1, 4)',
  'train  BatchNorm2d(4)  (3, 4, 5, 6)',
  'eval  BatchNorm2d(4, affine=False)  (3, 4, 5, 6)/(120, 1, 24, 4)',
  'train  BatchNorm2d(4, track_running_stats=False)  (3, 4, 5, 6)/(240, 60, 12, 2)',
  'train  BatchNorm2d(4)  (3, 5, 5, 6)',
  'train  BatchNorm2d(4)  (3, 4, 5)',
  'train  BatchNorm3d(4)  (2, 4, 3, 5, 6)/(360, 1, 120, 24, 4)',
  'train  LayerNorm(4)  (2, 3, 4)/(1, 2, 6)',
  'train  LayerNorm((3, 4), bias=False)  (2, 3, 4)',
  'train  LayerNorm(4, elementwise_affine=False)  (2, 3, 4)',
  'train  LayerNorm(5)  (2, 3, 4)',
  'train  RMSNorm(4)  (2, 3, 4)',
  'train  RMSNorm(4)  (2, 3, 4)/(4, 8, 1)',
  'train  GroupNorm(2, 4)  (2, 4, 5, 6)',
  'train  GroupNorm(2, 4)  (2, 4, 5, 6)/(120, 1, 24, 4)',
  'train  GroupNorm(3, 4)  (2, 4, 5, 6)',
  'train  InstanceNorm1d(4)  (2, 4, 5)',
  'train  InstanceNorm2d(4, affine=True)  (2, 4, 5, 6)/(120, 1, 24, 4)',
  'train  InstanceNorm3d(4, track_running_stats=True)  (2, 4, 3, 5, 6)',
  'train  LocalResponseNorm(2)  (2, 4, 5, 6)/(120, 1, 24, 4)',
  // activations
  ...[
    'ReLU()',
    'ReLU(inplace=True)',
    'ReLU6()',
    'ELU()',
    'SELU()',
    'CELU()',
    'LeakyReLU(0.1)',
    'Hardtanh()',
    'SiLU()',
    'Mish()',
    'Hardswish()',
    'Hardsigmoid()',
    'Threshold(0.1, 2.0)',
    'RReLU()',
    'GELU()',
    'Sigmoid()',
    'Tanh()',
    'Softplus()',
    'Softsign()',
    'Tanhshrink()',
    'Hardshrink()',
    'Softshrink()',
    'LogSigmoid()',
    'Softmax(-1)',
    'LogSoftmax(1)',
    'Softmin(0)',
    'PReLU()',
  ].flatMap((made) => [`train  ${made}  (2, 3)/(1, 2)`, `train  ${made}  (2, 3, 4)/(24, 1, 6)`]),
  'train  GLU()  (2, 4)/(1, 2)',
  'train  GLU(1)  (2, 3)',
  'train  PReLU(3)  (2, 3, 4)',
  'train  Softmax2d()  (2, 3, 4, 5)/(60, 1, 15, 3)',
  ...['Dropout(0.5)', 'Dropout2d(0.5)', 'AlphaDropout(0.5)', 'Dropout(0.0)', 'Dropout(0.5, inplace=True)'].flatMap(
    (made) => ['train', 'eval'].map((mode) => `${mode}  ${made}  (2, 3, 4, 5)/(60, 1, 15, 3)`),
  ),
  // pools
  'train  MaxPool1d(2)  (2, 3, 8)',
  'train  MaxPool2d(2)  (2, 3, 8, 7)/(168, 1, 21, 3)',
  'train  MaxPool2d(3, 2, 1)  (2, 3, 8, 7)',
  'train  MaxPool2d(3, 2, ceil_mode=True)  (2, 3, 8, 7)',
  'train  MaxPool2d(2, return_indices=True)  (2, 3, 8, 7)',
  'train  MaxPool3d(2)  (2, 3, 4, 5, 6)',
  'train  AvgPool1d(2)  (2, 3, 8)/(24, 1, 3)',
  'train  AvgPool2d(2, stride=1)  (2, 3, 8, 7)/(168, 1, 21, 3)',
  'train  AvgPool3d(2)  (2, 3, 4, 5, 6)/(360, 1, 90, 18, 3)',
  'train  AdaptiveAvgPool1d(1)  (2, 3, 8)',
  'train  AdaptiveAvgPool2d((1, 1))  (2, 3, 8, 7)/(168, 1, 21, 3)',
  'train  AdaptiveAvgPool2d((None, 2))  (2, 3, 8, 7)',
  'train  AdaptiveAvgPool3d(2)  (2, 3, 4, 5, 6)',
  'train  AdaptiveMaxPool2d(2)  (2, 3, 8, 7)',
  'train  LPPool2d(2, 2)  (2, 3, 8, 7)/(168, 1, 21, 3)',
  'train  FractionalMaxPool2d(2, output_size=(3, 3))  (2, 3, 8, 7)',
  // shapes
  'train  Flatten()  (2, 3, 4, 5)',
  'train  Flatten()  (2, 3, 4, 5)/(60, 1, 15, 3)',
  'train  Flatten(0, 1)  (2, 3, 4)/(1, 2, 6)',
  'train  Unflatten(1, (2, 3))  (4, 6)',
  'train  Upsample(scale_factor=2)  (2, 3, 4, 5)/(60, 1, 15, 3)',
  "train  Upsample(size=(7, 9), mode='bilinear')  (2, 3, 4, 5)",
  'train  UpsamplingNearest2d(scale_factor=2)  (2, 3, 4, 5)',
  'train  PixelShuffle(2)  (2, 8, 3, 4)/(96, 1, 32, 8)',
  'train  PixelUnshuffle(2)  (2, 3, 4, 6)',
  'train  ChannelShuffle(2)  (2, 4, 3, 3)',
  'train  ZeroPad2d(1)  (2, 3, 4, 5)/(60, 1, 15, 3)',
  'train  ZeroPad2d((1, 2, 0, 3))  (2, 3, 4, 5)',
  'train  ReflectionPad2d(1)  (2, 3, 4, 5)',
  'train  ReplicationPad1d(2)  (2, 3, 4)',
  'train  ConstantPad1d(1, 0.5)  (2, 3, 4)',
  'train  CircularPad2d(1)  (2, 3, 4, 5)/(60, 1, 15, 3)',
  'train  Unfold(2, stride=2)  (2, 3, 6, 8)',
  'train  Fold((6, 8), 2, stride=2)  (2, 12, 12)',
  'train  CosineSimilarity()  (2, 3)  (2, 3)',
  'train  PairwiseDistance()  (2, 3)  (2, 3)',
  // embeddings
  'train  Embedding(5, 4)  (2, 3):int64',
  'train  Embedding(5, 4, padding_idx=0)  (2, 3)/(1, 2):int64',
  'train  Embedding(5, 4)  (2, 3)',
  'train  EmbeddingBag(5, 4)  (2, 3):int64',
  // recurrent networks
  ...['RNN', 'GRU', 'LSTM'].flatMap((cell) => [
    `train  ${cell}(4, 6)  (5, 3, 4)`,
    `eval  ${cell}(4, 6, batch_first=True)  (3, 5, 4)`,
    `train  ${cell}(4, 6, num_layers=2, bidirectional=True, batch_first=True)  (3, 5, 4)/(4, 12, 1)`,
    `train  ${cell}(4, 6, batch_first=True)  (5, 4)`,
    `train  ${cell}(4, 6)  (5, 3, 7)`,
    `train  ${cell}Cell(4, 6)  (3, 4)`,
  ]),
  'train  LSTM(4, 6, proj_size=2, batch_first=True)  (3, 5, 4)',
  'train  LSTM(4, 6, bias=False)  (1, 1, 4)',
  // attention
  ...['train', 'eval', 'eval no_grad'].flatMap((mode) => [
    `${mode}  MultiheadAttention(8, 2)  (5, 3, 8)  ^0  ^0`,
    `${mode}  MultiheadAttention(8, 2, batch_first=True)  (3, 5, 8)  ^0  ^0`,
    `${mode}  MultiheadAttention(8, 2, batch_first=True)  (3, 5, 8)  (3, 7, 8)  ^1`,
    `${mode}  MultiheadAttention(8, 2, batch_first=True)  (3, 5, 8)  ^0  ^0  need_weights=False`,
    `${mode}  MultiheadAttention(8, 2, batch_first=True)  (3, 5, 8)  ^0  ^0  average_attn_weights=False`,
    `${mode}  MultiheadAttention(8, 2, batch_first=True)  (5, 8)  ^0  ^0`,
    `${mode}  TransformerEncoderLayer(8, 2, 16)  (5, 3, 8)`,
    `${mode}  TransformerEncoderLayer(8, 2, 16, batch_first=True)  (3, 5, 8)/(8, 24, 1)`,
    `${mode}  TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True)  (3, 5, 8)`,
    `${mode}  TransformerEncoderLayer(8, 2, 16, batch_first=True, norm_first=True)  (3, 5, 8)/(8, 24, 1)`,
    `${mode}  TransformerDecoderLayer(8, 2, 16, batch_first=True, norm_first=True)  (3, 5, 8)/(8, 24, 1)  (3, 7, 8)`,
  ]),
  'train  MultiheadAttention(8, 3)  (5, 3, 8)  ^0  ^0',
  'train  MultiheadAttention(8, 2, kdim=4, vdim=6, bias=False)  (5, 3, 8)  (7, 3, 4)  (7, 3, 6)',
  // losses
  'train  MSELoss()  (2, 3)  (2, 3)',
  "train  L1Loss(reduction='none')  (2, 3)/(1, 2)  (2, 3)/(1, 2)",
  'train  CrossEntropyLoss()  (2, 3)  [0, 1]:int64',
  "train  CrossEntropyLoss(reduction='none')  (2, 3, 4)  (2, 4):int64",
  'train  CrossEntropyLoss()  (2, 3)  [0, 1, 2]:int64',
  'train  NLLLoss()  (2, 3)  [0, 1]:int64',
  'train  BCEWithLogitsLoss()  (2, 3)  (2, 3)',
  'train  BCELoss()  (2, 3)  (2, 1)',
  'train  SmoothL1Loss()  (2, 3)  (2, 3)',
  'train  HuberLoss()  (2, 3)  (2, 3)',
  "train  KLDivLoss(reduction='batchmean')  (2, 3)  (2, 3)",
  'train  TripletMarginLoss()  (2, 3)  (2, 3)  (2, 3)',
  'train  MarginRankingLoss()  (3,)  (3,)  (3,)',
  'train  CosineEmbeddingLoss()  (2, 3)  (2, 3)  (2,)',
];

const INPUTS = parseSignature('forward(*inputs: Tensor) -> any');

function read(key: string): ModuleQuestion {
  const [mode = '', construction = '', ...inputs] = key.split(/ {2,}/);
  const given = inputs.map((token): readonly [string | null, Input] => {
    const [, keyword, value] = /^(\w+)=(.+)$/.exec(token) ?? [];
    const [, again] = /^\^(\d)$/.exec(token) ?? [];
    if (again !== undefined) return [null, { is: 'again', input: Number(again) }];
    const [argument] = readSample(INPUTS, value ?? token).args;
    if (argument === undefined) throw new Error(`not an input: ${token}`);
    return [keyword ?? null, argument];
  });
  return {
    key,
    training: mode.startsWith('train'),
    grad: !mode.endsWith('no_grad'),
    construction,
    inputs: given.filter(([keyword]) => keyword === null).map(([, input]) => input),
    keywords: Object.fromEntries(given.flatMap(([keyword, input]) => (keyword === null ? [] : [[keyword, input]]))),
  };
}

export const moduleQuestions = (): readonly ModuleQuestion[] => SAMPLES.map(read);
