import { defineConfig } from 'vitest/config';

/** The ordinary tests: no Python, no browser, no network. Those inside real editors have a configuration of their own. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts', 'engine/**/*.test.ts'],
    exclude: ['test/extension/**', 'test/neovim/**'],
    setupFiles: ['test/seed.ts'],
    testTimeout: 60_000,
  },
});
