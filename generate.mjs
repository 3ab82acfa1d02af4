// Writes what is generated from the rules' and ops' own words: docs/rules/, docs/operators.md, docs/background.md (from
// docs/background.json), the table in the README, the settings in package.json.
//   node generate.mjs [--check]      --check writes nothing, names what is stale and exits with 1
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';

const TABLE = /(<!-- rules: generated -->\n)[\s\S]*?(<!-- end of rules -->)/;

const { rules, ruleSettings, ruleTable } = await load('engine/rules/index.ts');
const { backgroundPage } = await load('engine/rules/background.ts');
const { operatorsPage } = await load('engine/ops/registry/markdown.ts');

const files = new Map(rules.map((rule) => [`docs/rules/${rule.name}.md`, rule.documentation]));

files.set('docs/operators.md', operatorsPage());
files.set('docs/background.md', backgroundPage(JSON.parse(readFileSync('docs/background.json', 'utf8'))));

const readme = read('README.md');
if (readme !== null)
  files.set(
    'README.md',
    readme.replace(TABLE, (_, open, close) => `${open}${ruleTable(rules)}${close}`),
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

async function load(entryPoint) {
  const bundle = await build({
    entryPoints: [entryPoint],
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'warning',
  });
  const code = Buffer.from(bundle.outputFiles[0].contents).toString('base64');
  return import(`data:text/javascript;base64,${code}`);
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
