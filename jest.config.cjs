const { randomInt } = require('node:crypto');
const { join } = require('node:path');
const { assertBuilt } = require('./test/setup/jest/stale.cjs');

// Jest runs what was built, so it would silently ignore changes of sources.
assertBuilt(__dirname);

if (process.env.TEST_DEPTH === 'whole' && process.env.TEST_SEED === undefined) {
  process.env.TEST_SEED = String(randomInt(2 ** 31));
  process.stdout.write(`TEST_SEED=${process.env.TEST_SEED}\n`);
}

// Jest's workers, and the processes that tests start, load the product's modules from Node's compile cache.
process.env.NODE_COMPILE_CACHE ??= join(__dirname, 'dist', '.compile-cache');

/** @type {import('jest').Config} */
const base = {
  rootDir: __dirname,
  testEnvironment: '<rootDir>/test/setup/jest/environment.cjs',
  transform: { '\\.ts$': '<rootDir>/test/setup/jest/built.cjs' },
  setupFiles: ['<rootDir>/test/setup/jest/random.ts'],
};

module.exports = {
  projects: [
    // Unit tests without a database, part of `npm run check`.
    { ...base, displayName: 'unit', testMatch: ['<rootDir>/{libs,apps,test}/**/*.spec.ts'] },
    // The real application on a real PostgreSQL.
    {
      ...base,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'],
      globalSetup: '<rootDir>/test/setup/global-setup.ts',
      globalTeardown: '<rootDir>/test/setup/global-teardown.ts',
    },
    // Trials with failing processes, databases and networks, which take minutes: `npm run test:reliability`.
    {
      ...base,
      displayName: 'reliability',
      testMatch: ['<rootDir>/test/reliability/*.trial-spec.ts'],
      globalSetup: '<rootDir>/test/reliability/support/setup.ts',
      globalTeardown: '<rootDir>/test/reliability/support/teardown.ts',
    },
  ],
  testSequencer: '<rootDir>/test/setup/jest/sequencer.cjs',
  testTimeout: 120_000,
  workerIdleMemoryLimit: '2GB',
  // One Jest worker more than cores, because many tests wait for a lock or for the next round of the product's worker.
  maxWorkers: 3,
};
