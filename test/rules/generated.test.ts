import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('the rule pages, the table of rules and the settings are what the rules say', async () => {
  const { stderr } = await promisify(execFile)(process.execPath, ['generate.mjs', '--check']).catch((error) => error);
  expect(stderr).toBe('');
});
