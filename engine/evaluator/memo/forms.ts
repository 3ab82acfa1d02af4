import type { Place } from '../state/heap.ts';
import { heapRead, type Run } from '../state/run.ts';
import { objectText } from './description.ts';
import { type Description, MOST_VALUES, type Numbering, newPen, numbered, type Pen, together } from './pen.ts';

/** An object that is as it was when the function began, with all that it holds, described once and for all. */
export interface Form extends Description {
  /** The same for forms that are alike. */
  readonly alike: number;
}

/** The form of an object; null where it has been written to, or is part of what it holds. */
export function formOf(run: Run, ref: number): Form | null {
  const known = run.memory.forms.get(ref);
  if (known !== undefined) return known !== null && isValid(run, known) ? known : null;
  if (ref >= run.memory.settled || run.memory.touched.size > 0 || run.memory.described.has(ref)) return null;
  const object = heapRead(run, ref);
  if (!object) return null;
  const pen = newPen(run, true);
  run.memory.described.add(ref);
  const text = `@${numbered(pen.refs, ref)}${objectText(pen, object)}`;
  run.memory.described.delete(ref);
  const alike = run.memory.alike.get(text) ?? run.memory.alike.size;
  run.memory.alike.set(text, alike);
  const form = pen.cyclic || pen.values > MOST_VALUES ? null : { ...pen, text: '', alike };
  run.memory.forms.set(ref, form);
  return form;
}

/** Nothing in it has been written since, nor any tensor in it changed in place. */
function isValid(run: Run, form: Form): boolean {
  const { refs, tensors, storages } = form;
  return apart(run.memory.touched, refs) && apart(run.changed, tensors) && apart(run.written, storages);
}

/** Whether none of what is numbered is in a set; whichever is smaller is gone through. */
function apart(set: ReadonlySet<Place>, { numbers, keys }: Numbering<number>): boolean {
  if (set.size > keys.length) return !keys.some((key) => set.has(key));
  for (const place of set) if (typeof place === 'number' && numbers.has(place)) return false;
  return true;
}

/** A form within a description. */
export function formText(pen: Pen, form: Form): string {
  const text = `F${form.alike}${together(pen.symbols, form.symbols)}${together(pen.refs, form.refs)}${together(pen.tensors, form.tensors)}`;
  form.storages.keys.forEach((id, i) => {
    const block = form.blocks[i];
    if (block && !pen.storages.numbers.has(id)) pen.blocks.push(block);
  });
  return `${text}${together(pen.storages, form.storages)}`;
}
