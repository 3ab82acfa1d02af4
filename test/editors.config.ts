import { defineConfig } from 'vitest/config';

/** Tests inside real editors: `vitest run --config test/editors.config.ts FOLDER`. They need a build, and programs of the system. */
export default defineConfig({
  test: {
    include: ['test/extension/**/*.test.ts', 'test/neovim/**/*.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    fileParallelism: false,
  },
});
