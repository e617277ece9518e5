const { randomInt } = require('node:crypto');
const { join } = require('node:path');

if (process.env.TEST_DEPTH === 'whole' && process.env.TEST_SEED === undefined) {
  process.env.TEST_SEED = String(randomInt(2 ** 31));
  process.stdout.write(`TEST_SEED=${process.env.TEST_SEED}\n`);
}

// Workers, and the processes that tests start, load the product's modules from compiled code.
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
    // Pure rules, without a database: part of `npm run check`.
    { ...base, displayName: 'unit', testMatch: ['<rootDir>/{libs,apps,test}/**/*.spec.ts'] },
    // The real application on a real PostgreSQL.
    {
      ...base,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/**/*.e2e-spec.ts'],
      globalSetup: '<rootDir>/test/setup/global-setup.ts',
      globalTeardown: '<rootDir>/test/setup/global-teardown.ts',
    },
    // Processes, databases and networks that fail, for minutes: `npm run test:reliability`.
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
  // Many tests wait for a worker's round or for a lock: one more worker than cores uses that time.
  maxWorkers: 3,
};
