/** @type {import('jest').Config} */
const base = {
  rootDir: __dirname,
  testEnvironment: 'node',
  transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: '<rootDir>/tsconfig.json', diagnostics: false }] },
  moduleNameMapper: {
    '^#shared/(.*)$': '<rootDir>/libs/shared/src/$1',
    '^#(clients|membership|consent|adhesion|sync|voting|meeting|webhooks|messaging|personne)$':
      '<rootDir>/libs/$1/src/index',
  },
  setupFiles: ['reflect-metadata'],
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
  testTimeout: 60_000,
  // One process for all files would keep what each leaves behind, and run out of memory after some hundred.
  workerIdleMemoryLimit: '1GB',
  maxWorkers: 2,
};
