import { describe, expect, test } from 'vitest';
import { folderWith, stridelint } from './run.ts';

const COPY = 'import torch\n\nx = torch.randn(2, 3, 4)\ny = x.transpose(1, 2).reshape(2, 12)\n';
const RAISES = 'import torch\n\nx = torch.randn(2, 3, 4)\ny = x.transpose(1, 2).view(2, 12)\n';
const CLEAN = 'import torch\n\nx = torch.randn(2, 3, 4)\ny = x.view(2, 12)\n';

describe('check', () => {
  test('prints place, rule, source line, reason, fix and a closing summary', () => {
    const { status, stdout, stderr } = stridelint(folderWith({ 'a.py': RAISES }), 'check', 'a.py');
    expect(status).toBe(1);
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^a\.py:4:4 error\[incompatible-view\] ./);
    expect(stdout).toContain('4 | y = x.transpose(1, 2).view(2, 12)');
    expect(stdout).toMatch(/\n {4}\| {5}\^{29}\n/);
    expect(stdout).toContain('why:');
    expect(stdout).toContain('fix:');
    expect(stdout).toMatch(/\n1 finding in 1 file \(4 lines\) in \d+\.\d\d s: 1 error\n$/);
    expect(stdout).not.toContain('\u001b');
  });

  test('json: the contract, positions counted as Python does', () => {
    const folder = folderWith({ 'a.py': COPY.replace('y = x', 's = "日𝕏"; y = x') });
    const { status, stdout, stderr } = stridelint(folder, 'check', 'a.py', '--format', 'json');
    expect(status).toBe(0);
    expect(stderr).toMatch(/^1 finding in 1 file \(4 lines\) in /);
    const { version, findings } = JSON.parse(stdout);
    expect(version).toBe(1);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatchObject({
      path: 'a.py',
      rule: 'hidden-copy',
      severity: 'information',
      message: expect.any(String),
      lineno: 4,
      col_offset: 19,
      end_lineno: 4,
      end_col_offset: 51,
      function: expect.any(String),
      related: [{ path: 'a.py', lineno: 4, message: expect.any(String) }],
      assumes: [],
    });
    expect(findings[0].fixes[0]).toMatchObject({ title: expect.any(String), safe: true });
    expect(findings[0].fixes[0].edits[0]).toMatchObject({ lineno: 4, end_lineno: 4, text: expect.any(String) });
    expect('bytes' in findings[0]).toBe(true);
  });

  test('exit level decides what counts', () => {
    const folder = folderWith({ 'a.py': COPY });
    expect(stridelint(folder, 'check', 'a.py').status).toBe(0);
    expect(stridelint(folder, 'check', 'a.py', '--exit-level', 'information').status).toBe(1);
    expect(stridelint(folder, 'check', 'a.py', '--exit-level', 'error').status).toBe(0);
    expect(stridelint(folderWith({ 'a.py': CLEAN }), 'check', '.', '--exit-level', 'hint').status).toBe(0);
  });

  test('reads folders, without what is ignored, excluded, or not ours', () => {
    const folder = folderWith({
      'a.py': RAISES,
      'sub/b.py': RAISES,
      'sub/.gitignore': 'skipped.py\n',
      'sub/skipped.py': RAISES,
      '.venv/lib/site-packages/p.py': RAISES,
      'env/pyvenv.cfg': '',
      'env/q.py': RAISES,
      'node_modules/r.py': RAISES,
      'vendored/s.py': RAISES,
      'pyproject.toml': '[tool.stridelint]\nexclude = ["vendored/"]\n',
      'notes.txt': 'x',
    });
    const paths = (...args: string[]) =>
      JSON.parse(stridelint(folder, 'check', ...args, '--format', 'json').stdout).findings.map(
        (f: { path: string }) => f.path,
      );
    expect(paths('.')).toEqual(['a.py', 'sub/b.py']);
    // Whoever names a path means it.
    expect(paths('.venv')).toEqual([]);
    expect(paths('.venv/lib/site-packages')).toEqual(['.venv/lib/site-packages/p.py']);
    expect(paths('sub/skipped.py', 'vendored/s.py')).toEqual(['sub/skipped.py', 'vendored/s.py']);
    expect(paths('a.py', '.', 'a.py')).toEqual(['a.py', 'sub/b.py']);
  });

  test('a file that is ignored by its repository is read when its folder is named', () => {
    const folder = folderWith({ '.git/HEAD': '', '.gitignore': '/out/\n', 'out/a.py': RAISES, 'b.py': CLEAN });
    expect(stridelint(folder, 'check', '.').stdout).toContain('0 findings in 1 file ');
    expect(stridelint(folder, 'check', 'out').stdout).toContain('1 finding in 1 file ');
  });

  test('levels come from pyproject.toml, also for some files only', () => {
    const config =
      '[tool.stridelint]\nrules = { hidden-copy = "error" }\n[tool.stridelint.per-file]\n"tests/**" = { hidden-copy = "off" }\n';
    const folder = folderWith({ 'pyproject.toml': config, 'a.py': COPY, 'tests/t.py': COPY });
    const { status, stdout } = stridelint(folder, 'check', '.');
    expect(status).toBe(1);
    expect(stdout).toContain('a.py:4:4 error[hidden-copy]');
    expect(stdout).not.toContain('t.py:');
  });
});

describe('what cannot be done is said, located, and costs nothing else', () => {
  test('a path that does not exist', () => {
    const { status, stdout, stderr } = stridelint(folderWith({ 'a.py': RAISES }), 'check', 'a.py', 'nope.py');
    expect(status).toBe(2);
    expect(stderr).toBe('nope.py: there is no such file or folder\n');
    expect(stdout).toContain('incompatible-view');
  });

  test('binary, UTF-16, badly encoded and huge files', () => {
    const folder = folderWith({
      'a.py': RAISES,
      'binary.py': new Uint8Array([1, 2, 0, 4]),
      'notes.ipynb': '{"cells": []}',
      'huge.py': Buffer.alloc(9 * 1024 * 1024, '#'),
      'utf16.py': Buffer.from('\ufeffx = 1\n', 'utf16le'),
      'wrong.py': Buffer.from('x = "é"\n', 'latin1'),
    });
    const { status, stdout, stderr } = stridelint(folder, 'check', '.', 'notes.ipynb');
    expect(status).toBe(2);
    expect(stderr).toMatch(/^notes\.ipynb: not read: it is a notebook/m);
    expect(stderr).toMatch(/^binary\.py: not read: it is a binary file/m);
    expect(stderr).toMatch(/^huge\.py: not read: 9 MB is more than/m);
    expect(stderr).toMatch(/^utf16\.py: not read: it is encoded as UTF-16/m);
    expect(stderr).toMatch(/^wrong\.py: not read: it is not UTF-8/m);
    expect(stdout).toContain('1 finding in 1 file ');
  });

  test('declared encodings and byte order marks are read as Python reads them', () => {
    const folder = folderWith({
      'bom.py': `\ufeff${RAISES.replace('y = ', 'y= ')}`,
      'latin.py': Buffer.from(`# -*- coding: latin-1 -*-\n${RAISES.replace('y = x', 's = "é"; y = x')}`, 'latin1'),
    });
    const { stdout } = stridelint(folder, 'check', '.', '--format', 'json');
    const places = JSON.parse(stdout).findings.map((f: Record<string, unknown>) => [f.path, f.lineno, f.col_offset]);
    expect(places).toEqual([
      ['bom.py', 4, 3],
      ['latin.py', 5, 14],
    ]);
  });

  test('settings that make no sense', () => {
    const config =
      '[tool.stridelint]\ntorch-version = 2.6\nrule = {}\n\n[tool.stridelint.rules]\nhiden-copy = "off"\nhidden-copy = "warn"\n';
    const { status, stderr } = stridelint(folderWith({ 'pyproject.toml': config, 'a.py': CLEAN }), 'check', '.');
    expect(status).toBe(2);
    expect(stderr).toBe(
      [
        'pyproject.toml:2: "torch-version" must be a version in quotes, such as "2.6"',
        'pyproject.toml:3: [tool.stridelint] has no setting "rule"; did you mean "rules"?',
        'pyproject.toml:6: there is no rule "hiden-copy"; did you mean "hidden-copy"?',
        'pyproject.toml:7: "hidden-copy" has the level "warn", but a level is one of error, warning, information, hint, off; did you mean "warning"?',
        '',
      ].join('\n'),
    );
  });

  test('the version of torch: the command line before pyproject.toml, and what is wrong with it', () => {
    const source = 'import torch\n\nx = torch.zeros(2, 3)\nx.masked_fill(x, 1)\n';
    const config = '[tool.stridelint]\ntorch-version = "1.13"\n';
    const folder = folderWith({ 'pyproject.toml': config, 'a.py': source, 'plain/a.py': source });
    expect(stridelint(folder, 'check', 'a.py').status).toBe(0);
    expect(stridelint(folder, 'check', 'a.py', '--torch-version', '2.6.0+cu124').status).toBe(1);
    expect(stridelint(folder, 'check', 'a.py', '--torch-version', '2.4').status).toBe(0);
    expect(stridelint(folder, 'check', 'a.py', '--torch-version', '1.8')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('the oldest torch that is modelled is 1.13'),
    });
    const old = folderWith({ 'pyproject.toml': config.replace('1.13', '1.8'), 'a.py': CLEAN });
    expect(stridelint(old, 'check', '.').stderr).toContain(
      'pyproject.toml:2: "torch-version" is 1.8, but the oldest torch that is modelled is 1.13',
    );
  });

  test('a pyproject.toml that is no TOML', () => {
    const { status, stderr } = stridelint(
      folderWith({ 'pyproject.toml': '[tool.stridelint]\nrules = \n', 'a.py': CLEAN }),
      'check',
      '.',
    );
    expect(status).toBe(2);
    expect(stderr).toMatch(/^pyproject\.toml:2: not TOML: /);
  });

  test('source that is no Python costs its own lines', () => {
    const folder = folderWith({ 'broken.py': `def f(:\n    ]]]\n\n${RAISES}`, 'a.py': RAISES });
    expect(stridelint(folder, 'check', 'a.py', 'broken.py').stdout).toContain('a.py:4:4 error[incompatible-view]');
  });

  test('a call without sense prints how it is meant', () => {
    const folder = folderWith({ 'a.py': CLEAN });
    for (const args of [['check'], ['chek', 'a.py'], ['check', '--format', 'xml', 'a.py'], ['hover', 'a.py'], []]) {
      const { status, stderr } = stridelint(folder, ...args);
      expect(status).toBe(2);
      expect(stderr).not.toBe('');
    }
    expect(stridelint(folder, 'chek').stderr).toContain('Did you mean check?');
  });
});
