// Writes what is generated from the rules' and ops' own words: docs/rules/, docs/operators.md, docs/background.md (from
// docs/background.json), the table in the README, the settings in package.json.
//   node generate.mjs [--check]      --check writes nothing, names what is stale and exits with 1
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const TABLE = /(<!-- rules: generated -->\n)[\s\S]*?(<!-- end of rules -->)/;
const MESSAGES = /(<!-- messages: generated -->\n)[\s\S]*?(<!-- end of messages -->)/;
const SHOWN = [
  'hidden-copy',
  'incompatible-view',
  'stride-zero-write',
  'write-through-view',
  'pinned-storage',
  'retained-graph',
];

const { rules, ruleMessages, ruleSettings, ruleTable } = await load('engine/rules/index.ts');
const { check, createEngine, createParser } = await load('engine/index.ts');
const { backgroundPage } = await load('engine/rules/background.ts');
const { operatorsPage } = await load('engine/ops/registry/markdown.ts');

const files = new Map(rules.map((rule) => [`docs/rules/${rule.name}.md`, rule.documentation]));

files.set('docs/operators.md', operatorsPage());
files.set('docs/background.md', backgroundPage(JSON.parse(readFileSync('docs/background.json', 'utf8'))));

const engine = createEngine({ resolve: () => null, read: () => null }, await createParser(grammar()));
const messages = SHOWN.map((name) =>
  ruleMessages(
    rules.find((rule) => rule.name === name),
    findingsIn,
  ),
).join('\n');
const readme = read('README.md');
if (readme !== null)
  files.set(
    'README.md',
    readme
      .replace(TABLE, (_, open, close) => `${open}${ruleTable(rules)}${close}`)
      .replace(MESSAGES, (_, open, close) => `${open}${messages}${close}`),
  );

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
manifest.contributes.configuration.properties['stridelint.rules'].properties = ruleSettings(rules);
files.set('package.json', `${JSON.stringify(manifest, null, 2)}\n`);

const stale = [...files].filter(([path, text]) => read(path) !== text).map(([path]) => path);
mkdirSync('docs/rules', { recursive: true });
const left = readdirSync('docs/rules')
  .map((name) => `docs/rules/${name}`)
  .filter((path) => !files.has(path));

if (process.argv.includes('--check')) {
  for (const path of [...stale, ...left]) console.error(`${path} is stale: run \`npm run generate\``);
  process.exitCode = stale.length + left.length > 0 ? 1 : 0;
} else {
  for (const path of stale) writeFileSync(path, files.get(path));
  for (const path of left) console.error(`${path} belongs to no rule: remove it`);
}

/** The findings in a program of one file, as the command line has them. */
function findingsIn(text) {
  engine.update('program.py', text);
  return check(engine.analyze('program.py'), {});
}

function grammar() {
  const { resolve } = createRequire(import.meta.url);
  return {
    core: readFileSync(resolve('web-tree-sitter/web-tree-sitter.wasm')),
    python: readFileSync(resolve('tree-sitter-python/tree-sitter-python.wasm')),
  };
}

async function load(entryPoint) {
  const outfile = `node_modules/.cache/stridelint/${entryPoint.replaceAll('/', '-')}.mjs`;
  await build({
    entryPoints: [entryPoint],
    bundle: true,
    format: 'esm',
    packages: 'external',
    outfile,
    logLevel: 'warning',
  });
  return import(pathToFileURL(outfile));
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
