// Bundles the three front doors into dist/, beside the two WebAssembly files that the parser needs.
//   node build.mjs [--minify]
import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { build } from 'esbuild';

const require = createRequire(import.meta.url);
const minify = process.argv.includes('--minify');
const shared = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  minify,
  logLevel: 'warning',
  legalComments: 'none',
  metafile: true,
};

mkdirSync('dist', { recursive: true });
const grammars = ['web-tree-sitter/web-tree-sitter.wasm', 'tree-sitter-python/tree-sitter-python.wasm'];
for (const file of grammars) copyFileSync(require.resolve(file), `dist/${file.split('/')[1]}`);
const bundles = await Promise.all([
  build({
    ...shared,
    entryPoints: { server: 'server/main.ts', cli: 'server/cli.ts' },
    outdir: 'dist',
    format: 'esm',
    // `stridelint check` does not load the language server.
    splitting: true,
    chunkNames: 'chunk-[hash]',
    // Dependencies that are CommonJS ask for Node's modules by `require`.
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  }),
  build({
    ...shared,
    entryPoints: ['client/extension.ts'],
    outfile: 'dist/extension.cjs',
    format: 'cjs',
    // VS Code 1.91 brings Node 20.
    external: ['vscode'],
  }),
]);

// What an earlier build left goes last, so that a program that is running meanwhile still finds its parts.
const current = new Set([
  ...bundles.flatMap(({ metafile }) => Object.keys(metafile.outputs)),
  ...grammars.map((file) => `dist/${file.split('/')[1]}`),
]);
for (const name of readdirSync('dist')) if (!current.has(`dist/${name}`)) rmSync(`dist/${name}`);
