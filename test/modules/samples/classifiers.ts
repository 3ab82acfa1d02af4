export const classifiers: readonly string[] = [
  'train  AdaptiveLogSoftmaxWithLoss(8, 10, [2, 5])  (3, 8)  [0, 3, 7]:int64',
  'train  AdaptiveLogSoftmaxWithLoss(8, 10, [2, 5], div_value=2.0, head_bias=True)  (3, 8)  [0, 3, 7]:int64',
  'train  AdaptiveLogSoftmaxWithLoss(8, 10, [2, 5])  (8,)  ():int64',
  'train  AdaptiveLogSoftmaxWithLoss(8, 10, [2, 5])  (3, 8)  [0, 3]:int64',
  'train  AdaptiveLogSoftmaxWithLoss(8, 10, [5, 2])  (3, 8)  [0, 3, 7]:int64',
  'train  AdaptiveLogSoftmaxWithLoss(8, 10, [2, 5])  (3, 7)  [0, 3, 7]:int64',
  'train  LinearCrossEntropyLoss(8, 10)  (3, 8)  [0, 3, 7]:int64',
  "train  LinearCrossEntropyLoss(8, 10, reduction='none')  (3, 8)  [0, 3, 7]:int64",
  'train  LinearCrossEntropyLoss(8, 10, bias=True)  (3, 8)  [0, 3, 7]:int64',
  'train  LinearCrossEntropyLoss(8, 10)  (3, 7)  [0, 3, 7]:int64',
];
