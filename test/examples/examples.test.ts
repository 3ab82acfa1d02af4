import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { check, createEngine, createParser, rules } from '../../engine/index.ts';

const require = createRequire(import.meta.url);
const wasm = (path: string): Buffer => readFileSync(require.resolve(path));
const parser = await createParser({
  core: wasm('web-tree-sitter/web-tree-sitter.wasm'),
  python: wasm('tree-sitter-python/tree-sitter-python.wasm'),
});

const EXAMPLES = new URL('../../examples/', import.meta.url);
const NAMES = new Set(rules.map((rule) => rule.name));

/** `12 hidden-copy` for every line whose comment begins with the name of a rule. */
function announced(text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const rule = / {2}# ([a-z-]+): /.exec(line)?.[1];
    return rule !== undefined && NAMES.has(rule) ? [`${index + 1} ${rule}`] : [];
  });
}

test.each(readdirSync(EXAMPLES).filter((name) => name.endsWith('.py')))(
  '%s shows what its comments announce',
  (name) => {
    const text = readFileSync(new URL(name, EXAMPLES), 'utf8');
    const engine = createEngine({ resolve: () => null, read: () => null }, parser);
    engine.update(name, text);
    const found = check(engine.analyze(name), {}).map(
      (finding) => `${text.slice(0, finding.start).split('\n').length} ${finding.rule}`,
    );
    expect(found).toEqual(announced(text));
  },
);
