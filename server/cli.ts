#!/usr/bin/env node
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type DType, readDType, readTorchVersion, type Severity } from '../engine/index.ts';
import { version as ownVersion } from '../package.json';
import { runCheck } from './commands/check.ts';
import { runExplain, runRules } from './commands/explain.ts';
import { runFacts } from './commands/facts.ts';
import { type Place, runHover } from './commands/hover.ts';
import { type LedgerOptions, type Part, runLedger } from './commands/ledger.ts';
import { processTerminal, type Status } from './commands/terminal.ts';
import { keepHeapSmall } from './heap.ts';

keepHeapSmall();
const terminal = processTerminal();
const finish = (status: Status) => {
  // Not process.exit: what was written to a pipe may still be on its way.
  process.exitCode = status;
};
// `stridelint check . | head`: nobody reads on, so there is nothing left to say.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 2));

const torchVersion = () =>
  new Option('--torch-version <version>', 'the torch that the code runs on, before what pyproject.toml says')
    .argParser(version)
    .default(null, 'the newest');

const program = new Command('stridelint')
  .description(
    'Reads PyTorch code the way PyTorch will run it: strides, hidden copies, views that raise, pinned storages.\nNothing is executed or imported.',
  )
  .version(ownVersion)
  .exitOverride()
  .configureHelp({ showGlobalOptions: false });

program
  .command('check')
  .description('report what PyTorch will do that nobody asked for')
  .argument('<path...>', 'Python files, or folders to search for them')
  .addOption(new Option('--format <format>', 'how to print the findings').choices(['text', 'json']).default('text'))
  .addOption(
    new Option('--exit-level <level>', 'exit with 1 on findings of this severity or above')
      .choices(['error', 'warning', 'information', 'hint'])
      .default('warning'),
  )
  .addOption(torchVersion())
  .addHelpText(
    'after',
    `
Folders are searched for .py files; what .gitignore or [tool.stridelint] in pyproject.toml excludes is left out, and so
are virtual environments, caches and build folders. A path that is named is read in any case.
Positions are Python's: lines from 1, columns from 0.

Exit status: 0 nothing at or above the level, 1 findings, 2 something could not be read or done.

Examples:
  $ stridelint check .
  $ stridelint check models/ train.py --exit-level error
  $ stridelint check src --format json > findings.json`,
  )
  .action(
    async (paths: string[], options: { format: 'text' | 'json'; exitLevel: Severity; torchVersion: string | null }) =>
      finish(await runCheck(paths, options, terminal)),
  );

program
  .command('facts')
  .description('print what is known of every tensor: shape, strides, dtype, storage')
  .argument('<path...>', 'Python files, or folders to search for them')
  .addOption(new Option('--format <format>', 'how to print the facts').choices(['json']).default('json'))
  .addOption(torchVersion())
  .addHelpText('after', '\nExamples:\n  $ stridelint facts model.py --format json')
  .action(async (paths: string[], options: { torchVersion: string | null }) =>
    finish(await runFacts(paths, options.torchVersion, terminal)),
  );

program
  .command('hover')
  .description('print the card that an editor shows at a place')
  .argument('<file:line:col>', 'lines count from 1, columns from 0', place)
  .addOption(torchVersion())
  .addHelpText('after', '\nExamples:\n  $ stridelint hover model.py:12:8')
  .action(async (where: Place, options: { torchVersion: string | null }) =>
    finish(await runHover(where, options.torchVersion, terminal)),
  );

program
  .command('ledger')
  .description('print what a function does to memory, line by line: every storage alive, its bytes, who views it')
  .argument('<file:function[:line]>', 'a function by its name, <module> for the top level', part)
  .addOption(new Option('--format <format>', 'how to print it').choices(['text', 'json']).default('text'))
  .addOption(
    new Option('--dtype <dtype>', 'as if every floating tensor were of this dtype').argParser(dtype).default(null),
  )
  .addOption(torchVersion())
  .addHelpText(
    'after',
    `
Bytes are those of the storages. What a CUDA block rounds them to, multiples of 512, stands apart.

Examples:
  $ stridelint ledger model.py:Attention.forward
  $ stridelint ledger model.py:Attention.forward:42 --dtype bfloat16
  $ stridelint ledger "train.py:<module>" --format json`,
  )
  .action(async (which: Part, options: LedgerOptions) => finish(await runLedger(which, options, terminal)));

program
  .command('explain')
  .description('print what a rule is about, with examples')
  .argument('<rule>', 'the name of a rule, such as hidden-copy')
  .addHelpText('after', '\nExamples:\n  $ stridelint explain hidden-copy')
  .action((rule: string) => finish(runExplain(rule, terminal)));

program
  .command('rules')
  .description('list the rules')
  .addOption(new Option('--format <format>', 'how to print them').choices(['text', 'json']).default('text'))
  .action((options: { format: 'text' | 'json' }) => finish(runRules(options.format, terminal)));

program
  .command('server')
  .description('run the language server for an editor')
  .allowUnknownOption()
  .option('--stdio', 'talk over standard input and output (the only way here, and the default)')
  .addHelpText('after', '\nExamples:\n  $ stridelint server --stdio')
  .action(async () => (await import('./lsp/node.ts')).serveStdio());

program.parseAsync().catch((error: unknown) => {
  if (error instanceof CommanderError) return finish(error.exitCode === 0 ? 0 : 2);
  terminal.err(`stridelint: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return finish(2);
});

function version(text: string): string {
  const read = readTorchVersion(text);
  if (typeof read === 'string') throw new InvalidArgumentError(`It ${read.replace(' in quotes', '')}.`);
  return text;
}

function place(text: string): Place {
  const [, file, lineno, colOffset] = /^(.+):(\d+):(\d+)$/.exec(text) ?? [];
  if (file === undefined) throw new InvalidArgumentError('FILE:LINE:COL is wanted, such as model.py:12:8');
  return { file, lineno: Number(lineno), colOffset: Number(colOffset) };
}

function part(text: string): Part {
  const [, file, name, lineno] = /^(.+?):([^:]+)(?::(\d+))?$/.exec(text) ?? [];
  if (file === undefined || name === undefined)
    throw new InvalidArgumentError('FILE:FUNCTION[:LINE] is wanted, such as model.py:Attention.forward:42');
  return { file, function: name, lineno: lineno === undefined ? null : Number(lineno) };
}

function dtype(text: string): DType {
  const read = readDType(text);
  if (read === null) throw new InvalidArgumentError('A dtype of torch is wanted, such as bfloat16.');
  return read;
}
