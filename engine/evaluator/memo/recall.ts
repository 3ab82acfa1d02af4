import { learnAgain, type SymInt, substitute, symbol } from '../../symbols/index.ts';
import type { Storage } from '../../tensor/tensor.ts';
import type { Value } from '../../values/value.ts';
import { derivedAgain, serialOf } from '../state/derived.ts';
import { hintOf, isShared, nextId, type Run, rebindTensor, rebindUnknown } from '../state/run.ts';
import type { Description, Numbering } from './pen.ts';
import { type Renaming, renameObject, renameValue } from './renaming.ts';
import type { Summary } from './summary.ts';

/** What a summary says, in the words of another call of the same description; as if that had been evaluated. */
export function recall(run: Run, summary: Summary, description: Description): Value {
  const by = renamingFor(run, summary, description);
  run.truncated ||= summary.truncated;
  run.frozen ||= summary.frozen;
  run.budget -= 1;
  run.steps += 1;
  for (const id of summary.made) by.symbol(id);
  const refs = [...summary.objects.keys()].map((ref) => by.ref(ref));
  let i = 0;
  for (const object of summary.objects.values()) {
    const ref = refs[i++];
    if (ref === undefined) continue;
    if (ref < run.memory.settled) run.memory.touched.add(ref);
    run.layer.own.set(ref, renameObject(object, by));
  }
  for (const lesson of summary.lessons) run.layer.facts = learnAgain(run.layer.facts, lesson, by.symbol);
  for (const [id, tensor] of summary.tensors) {
    const now = renameValue(tensor, by);
    if (now.kind === 'tensor') rebindTensor(run, now, by.tensor(id));
  }
  for (const [id, value] of summary.unknowns)
    rebindUnknown(run, { kind: 'unknown', reason: '', symbol: by.symbol(id) }, renameValue(value, by));
  for (const id of summary.written) run.written.add(by.block(id));
  if (run.memory.watch) for (const ref of summary.outside) run.memory.watch(ref);
  return renameValue(summary.value, by);
}

function renamingFor(run: Run, { of }: Summary, now: Description): Renaming {
  const symbols = new Map<string, string>();
  const numbers = new Map<number, number>();
  const anew = (id: number, from: Numbering<number>, to: Numbering<number>): number => {
    const seen = from.numbers.get(id);
    const known = seen === undefined ? numbers.get(id) : to.keys[seen];
    if (known !== undefined) return known;
    const made = isShared(run, id) ? id : nextId(run);
    numbers.set(id, made);
    return made;
  };
  const ints = new Map<SymInt, SymInt>();
  const by: Renaming = {
    symbol: (id) => {
      const seen = of.symbols.numbers.get(id);
      const found = seen === undefined ? symbols.get(id) : now.symbols.keys[seen];
      if (found !== undefined) return found;
      const derivation = run.symbols.derivations.get(id);
      const number = serialOf(id);
      const made =
        derivation && derivation.of.length > 0
          ? derivedAgain(run, derivation, hintOf(id), by)
          : derivation || (number !== null && isShared(run, number))
            ? id
            : `${hintOf(id)}#${nextId(run)}`;
      symbols.set(id, made);
      if (made !== id) {
        if (run.plain.has(id)) run.plain.add(made);
        const instance = run.instancesOf.get(id);
        if (instance !== undefined) run.instancesOf.set(made, instance);
        const whole = run.pieces.get(id);
        if (whole) run.pieces.set(made, by.int(whole));
      }
      return made;
    },
    int: (value) => {
      if (value.constant !== null) return value;
      const found = ints.get(value);
      if (found) return found;
      const made = substitute(value, (id) => symbol(by.symbol(id)));
      ints.set(value, made);
      return made;
    },
    ref: (ref) => anew(ref, of.refs, now.refs),
    tensor: (id) => anew(id, of.tensors, now.tensors),
    block: (id) => anew(id, of.storages, now.storages),
    storage: (storage) => {
      const number = of.storages.numbers.get(storage.id);
      const [then, today] = number === undefined ? [] : [of.blocks[number], now.blocks[number]];
      if (then && today && sameOrigin(then, storage)) return today;
      return {
        id: by.block(storage.id),
        nbytes: storage.nbytes && by.int(storage.nbytes),
        origin: storage.origin,
      };
    },
    program: (program) => {
      const method = program.what === 'method' ? run.methods[program.id] : undefined;
      if (!method) return program;
      const [receiver, callee] = [renameValue(method.receiver, by), renameValue(method.callee, by)];
      return {
        kind: 'program',
        what: 'method',
        id: run.methods.push({ id: run.methods.length, receiver, callee }) - 1,
      };
    },
  };
  return by;
}

const sameOrigin = (a: Storage, b: Storage): boolean =>
  a.origin === b.origin ||
  (a.origin.is === b.origin.is &&
    ('name' in a.origin ? a.origin.name : '') === ('name' in b.origin ? b.origin.name : ''));
