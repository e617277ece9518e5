const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join, sep } = require('node:path');
const { compileFunction, constants } = require('node:vm');
const { ModernFakeTimers } = require('@jest/fake-timers');
const { TestEnvironment } = require('jest-environment-node');

/** Constructors of the main context, because Jest compares values with them (`expect.any(String)`). */
const CONSTRUCTORS = [
  'Array',
  'BigInt',
  'Boolean',
  'Date',
  'Error',
  'Function',
  'Map',
  'Number',
  'Object',
  'Promise',
  'RegExp',
  'Set',
  'String',
  'Symbol',
];
const JEST_GLOBALS = ['describe', 'it', 'test', 'expect', 'beforeAll', 'beforeEach', 'afterEach', 'afterAll'];

/**
 * Runs built test files in Node's main context. They load the product and its packages by Node's own `require`, so a worker
 * process loads these once, not once for each test file. Modules of `test/` use Jest's registry: each test file has its own.
 */
module.exports = class extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    const { projectConfig } = config;
    const { record, spent } = require(join(projectConfig.rootDir, 'dist/test/setup/processor-time.js'));
    const before = spent();
    this.recordTime = () => record(context.testPath, spent() - before);
    for (const name of CONSTRUCTORS) this.global[name] = globalThis[name];
    const testFolder = join(projectConfig.rootDir, 'dist', 'test') + sep;
    this.fakeTimersModern.dispose();
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });

    this.global.runBuilt = ({ file, path }, { module, jestRequire, jest }) => {
      // The next test files of this process use the same modules of the product.
      this.restoreMocks = () => jest.restoreAllMocks();
      const nodeRequire = createRequire(path);
      const isOfTests = (name) => name.startsWith('.') && nodeRequire.resolve(name).startsWith(testFolder);
      const parameters = {
        module,
        exports: module.exports,
        require: (name) => (isOfTests(name) ? jestRequire(name) : nodeRequire(name)),
        __filename: file,
        __dirname: dirname(file),
        jest,
        ...Object.fromEntries(JEST_GLOBALS.map((name) => [name, this.global[name]])),
      };
      const run = compileFunction(readFileSync(path, 'utf8'), Object.keys(parameters), {
        filename: file,
        importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
      });
      run.apply(module.exports, Object.values(parameters));
    };
  }

  async teardown() {
    this.recordTime();
    this.restoreMocks?.();
    await super.teardown();
  }
};
