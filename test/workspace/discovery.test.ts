import { expect, test } from 'vitest';
import { createConfigs } from '../../server/workspace/config.ts';
import { discover } from '../../server/workspace/discovery.ts';
import type { Disk } from '../../server/workspace/disk.ts';

test('a folder that cannot be listed is told, and the rest is searched', () => {
  const disk: Disk = {
    read: () => ({ problem: 'there is no such file' }),
    size: () => null,
    kind: (file) => (/\.py$/.test(file) ? 'file' : /pyproject|cfg|\.git/.test(file) ? null : 'folder'),
    list: (folder) =>
      folder.endsWith('locked')
        ? { problem: 'no permission to read it' }
        : [
            { name: 'a.py', kind: 'file' },
            { name: 'locked', kind: 'folder' },
          ],
  };
  const { files, problems } = discover(disk, createConfigs(disk, []), ['src'], '/home');
  expect(files.map(({ shown }) => shown)).toEqual(['src/a.py']);
  expect(problems).toEqual([{ path: 'src/locked', message: 'not searched: no permission to read it' }]);
});
