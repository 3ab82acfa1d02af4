import { int, type SymInt, ZERO } from '../../symbols/index.ts';
import {
  broadcastLayouts,
  type DType,
  elementwise,
  type Fault,
  isContiguous,
  isFault,
  isFloat,
  type Layout,
  preserve,
  promote,
  type Result,
  raises,
  type Tensor,
  unsure,
} from '../../tensor/index.ts';
import type { Call } from '../context.ts';
import { fresh, unstrided } from '../layouts/format.ts';
import { agree } from '../layouts/inquiry.ts';
import { ofRank } from '../layouts/product.ts';
import { denseLike } from '../layouts/reduction.ts';
import { type Entry, op } from '../op.ts';

/** `torchvision.ops` for boxes: four numbers in the last dim. */
const four = (layout: Layout, what: string, call: Call): Fault | null => {
  const last = layout.shape.at(-1);
  if (layout.front || last === undefined) return null;
  return agree(last, FOUR, `the last dim of ${what}`, call);
};

const FOUR = int(4);

const count = (layout: Layout, call: Call): SymInt => layout.shape.at(-2) ?? call.context.fresh('boxes');

/** Overlaps of each box with each: batch dims are common. */
function pairwise(left: Layout, right: Layout, call: Call): Result<Layout> {
  if (left.front || right.front) return unsure('the rank of the boxes is not known');
  const batch = broadcastLayouts([fresh(left.shape.slice(0, -2)), fresh(right.shape.slice(0, -2))], call.ask, {
    demand: call.demand,
  });
  if (isFault(batch)) return batch;
  const shape = [...batch.shape, count(left, call), count(right, call)];
  const dense = [left, right].every((layout) => isContiguous(layout, call.ask) === true);
  return dense ? fresh(shape) : unstrided(shape);
}

/** Ratios of integers are float32. */
const ratioOf = (left: DType | null, right: DType | null): DType | null => {
  const dtype = left === null || right === null ? null : promote(left, right);
  return dtype === null || isFloat(dtype) ? dtype : 'float32';
};

const overlaps = ['box_iou', 'generalized_box_iou', 'complete_box_iou', 'distance_box_iou'].map((name) =>
  op(`torchvision.ops.${name}(boxes1: Tensor, boxes2: Tensor) -> Tensor`, {
    also: [`torchvision.ops.boxes.${name}`],
    ndim: { boxes1: 2, boxes2: 2 },
    raises: ({ boxes1, boxes2 }, call) => four(boxes1.layout, 'boxes1', call) ?? four(boxes2.layout, 'boxes2', call),
    shape: ({ boxes1, boxes2 }, call) => pairwise(boxes1.layout, boxes2.layout, call),
    dtype: ({ boxes1, boxes2 }) => ratioOf(boxes1.dtype, boxes2.dtype),
    samples: ['(3, 4)  (2, 4)', '(3, 4)/(1, 3)  (2, 4)', '(5, 3, 4)  (5, 2, 4)'],
  }),
);

const REDUCTIONS = ['none', 'mean', 'sum'];
const notReduced = (reduction: string): Fault | null =>
  REDUCTIONS.includes(reduction)
    ? null
    : raises({ is: 'argument', name: 'reduction', got: `'${reduction}'`, expects: 'none, mean or sum' });

const boxLosses = ['generalized_box_iou_loss', 'complete_box_iou_loss', 'distance_box_iou_loss'].map((name) =>
  op(`torchvision.ops.${name}(boxes1: Tensor, boxes2: Tensor, reduction: str = 'none', eps: any = 1e-7) -> Tensor`, {
    ndim: { boxes1: 2, boxes2: 2 },
    raises: ({ reduction }) => notReduced(reduction),
    shape: ({ boxes1, reduction }) => (reduction === 'none' ? boxes1.layout.shape.slice(0, -1) : []),
    samples: ['(3, 4)  (3, 4)', "(3, 4)  (3, 4)  reduction='mean'", "(3, 4)  (3, 4)  reduction='max'  !"],
  }),
);

const suppressed = [
  ['nms(boxes: Tensor, scores: Tensor, iou_threshold: any', '(3, 4)  (3,)  0.5', '(3, 4)  (2,)  0.5  !'],
  [
    'batched_nms(boxes: Tensor, scores: Tensor, idxs: Tensor, iou_threshold: any',
    '(3, 4)  (3,)  (3,):int64  0.5',
    '(3, 4)  (2,)  (3,):int64  0.5  !',
  ],
].map(([start = '', ...samples]) =>
  op(`torchvision.ops.${start}) -> Tensor` as 'nms(boxes: Tensor, scores: Tensor) -> Tensor', {
    also: [`torchvision.ops.boxes.${start.slice(0, start.indexOf('('))}`],
    ndim: { boxes: 2 },
    raises: ({ boxes, scores }, call) =>
      ofRank(boxes.layout, 2, 'boxes') ??
      ofRank(scores.layout, 1, 'scores') ??
      (boxes.layout.front || scores.layout.front
        ? null
        : agree(count(boxes.layout, call), scores.layout.shape[0] ?? ZERO, 'dim 0 of scores', call)),
    shape: (_, { context }) => [context.fresh('kept')],
    dtype: 'int64',
    samples,
  }),
);

/** `alpha * cross * (1 - p) ** gamma`, laid out as inputs and targets together. */
function focal({ inputs, targets }: { inputs: Tensor; targets: Tensor }, { ask, demand }: Call): Result<Layout> {
  const probability = preserve(inputs.layout, ask);
  const cross = preserve(targets.layout, ask);
  if (isFault(probability)) return probability;
  return isFault(cross) ? cross : elementwise([cross, probability, targets.layout], ask, { demand });
}

export const boxes: readonly Entry[] = [
  ...overlaps,
  ...boxLosses,
  ...suppressed,
  op("torchvision.ops.box_area(boxes: Tensor, fmt: any = 'xyxy') -> Tensor", {
    also: ['torchvision.ops.boxes.box_area'],
    ndim: { boxes: 2 },
    shape: ({ boxes }) => fresh(boxes.layout.shape.slice(0, -1), boxes.layout.front),
    samples: ['(3, 4)', '(3, 4)/(1, 3)', '(3, 4):int64'],
  }),
  op('torchvision.ops.remove_small_boxes(boxes: Tensor, min_size: any) -> Tensor', {
    also: ['torchvision.ops.boxes.remove_small_boxes'],
    shape: (_, { context }) => [context.fresh('kept')],
    dtype: 'int64',
    samples: ['(3, 4)  0.1'],
  }),
  op('torchvision.ops.clip_boxes_to_image(boxes: Tensor, size: any) -> Tensor', {
    also: ['torchvision.ops.boxes.clip_boxes_to_image'],
    shape: ({ boxes }) => denseLike(boxes.layout),
    samples: ['(3, 4)  [2, 2]', '(3, 4)/(1, 3)  [2, 2]'],
  }),
  op('torchvision.ops.box_convert(boxes: Tensor, in_fmt: str, out_fmt: str) -> Tensor', {
    also: ['torchvision.ops.boxes.box_convert'],
    shape: ({ boxes, in_fmt, out_fmt }, { ask }) =>
      in_fmt === out_fmt ? preserve(boxes.layout, ask) : denseLike(boxes.layout),
    samples: ["(3, 4)  'xyxy'  'cxcywh'", "(3, 4)/(1, 3)  'xywh'  'cxcywh'", "(3, 4)/(1, 3)  'xyxy'  'xyxy'"],
  }),
  op('torchvision.ops.masks_to_boxes(masks: Tensor) -> Tensor', {
    also: ['torchvision.ops.boxes.masks_to_boxes'],
    ndim: { masks: 3 },
    shape: ({ masks }, call) => [masks.layout.shape.at(-3) ?? call.context.fresh('masks'), FOUR],
    dtype: 'float32',
    samples: ['(3, 5, 6)', '(3, 5, 6):bool'],
  }),
  op(
    "torchvision.ops.sigmoid_focal_loss(inputs: Tensor, targets: Tensor, alpha: any = 0.25, gamma: any = 2, reduction: str = 'none') -> Tensor",
    {
      raises: ({ reduction }) => notReduced(reduction),
      shape: (args, call) => (args.reduction === 'none' ? focal(args, call) : []),
      samples: [
        '(2, 3)  (2, 3)',
        '(2, 3)/(1, 2)  (2, 3)',
        '(2, 3)/(1, 2)  (2, 3)/(1, 2)',
        "(2, 3)  (2, 3)  reduction='mean'",
      ],
    },
  ),
];
