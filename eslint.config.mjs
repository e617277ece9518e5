import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const TESTS = ['**/*.spec.ts', '**/*.e2e-spec.ts', 'test/**/*.ts'];

/** Forbidden in every file. Blocks with more restrictions repeat it, because a later block replaces an earlier one. */
const NO_FORWARD_REF = {
  name: '@nestjs/common',
  importNames: ['forwardRef'],
  message:
    'forwardRef hides a circle of imports. Define an interface in the lower module and implement it in the higher one.',
};

/** Handlers declare the parts of a request that they read. Operations without a declaration reject query and body. */
const NO_NEST_PARTS = {
  name: '@nestjs/common',
  importNames: ['Body', 'Query'],
  message:
    'Import it from #platform/input/request-parts.decorator, because operations that declare neither reject both.',
};

/** Text that begins like an SQL statement: a keyword in capitals and the words that follow it in a statement only. */
const SQL =
  '/^\\s*(SELECT\\s|INSERT\\s+INTO\\s|UPDATE\\s+($|\\S+\\s+SET\\s)|DELETE\\s+FROM\\s|MERGE\\s+INTO\\s|' +
  'TRUNCATE\\s|COPY\\s+\\S+\\s*(\\(|FROM\\s|TO\\s)|WITH\\s+(RECURSIVE\\s+)?\\w+\\s*(\\([^)]*\\)\\s*)?AS\\s)/';
const NO_SQL = ['Literal[value=', 'TemplateLiteral > TemplateElement:first-child[value.raw='].map((node) => ({
  selector: `${node}${SQL}]`,
  message:
    'SQL lives in persistence/, migrations/, topology/ and platform/(database|bulk|jobs|events|audit).',
}));

/**
 * V8 allocates a function in the old generation if it is assigned to a property where it is written. The objects that it reaches, such
 * as a request or the rows of a page, then stay in memory until a full collection.
 */
const NO_LASTING_FUNCTION = {
  selector:
    "AssignmentExpression[left.type='MemberExpression'] > :matches(ArrowFunctionExpression, FunctionExpression).right",
  message:
    'Give the function a name first and assign the name. V8 keeps what the function reaches until a full collection.',
};

export default defineConfig(
  globalIgnores(['**/dist/', '**/node_modules/', '.data/', 'coverage/', 'packages/client/src/generated/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },

  {
    name: 'typescript',
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-restricted-imports': ['error', { paths: [NO_FORWARD_REF] }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      // In a try or a transaction, `return promise` without await leaves the block before the promise fails.
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      // The compiler must find each switch that lacks a new state or error code.
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // Does not apply in files with decorators, because Nest injects by the imported class.
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      // A method may be async only because its interface is.
      '@typescript-eslint/require-await': 'off',
    },
  },
  {
    name: 'product',
    files: ['libs/**/*.ts', 'apps/**/*.ts', 'packages/**/*.ts', 'tools/**/*.ts'],
    rules: {
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'no-restricted-syntax': ['error', NO_LASTING_FUNCTION],
    },
  },
  {
    name: 'output goes through the logger',
    files: ['libs/**/*.ts', 'apps/partner-api/**/*.ts', 'apps/worker/**/*.ts'],
    rules: { 'no-console': 'error' },
  },
  {
    name: 'SQL in its place',
    files: ['libs/**/*.ts', 'apps/**/*.ts'],
    ignores: [
      'libs/*/src/**/persistence/**',
      'libs/embedded-postgres/**',
      'libs/platform/src/{database,bulk,jobs,events,audit}/**',
      'libs/topology/src/**',
      ...TESTS,
    ],
    rules: { 'no-restricted-syntax': ['error', NO_LASTING_FUNCTION, ...NO_SQL] },
  },
  {
    name: 'controllers declare the parts of a request',
    files: ['libs/**/*.controller.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: [NO_FORWARD_REF, NO_NEST_PARTS] }] },
  },
  {
    name: 'persistence takes injection from Nest, nothing else',
    files: ['libs/*/src/**/persistence/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: [
            {
              name: '@nestjs/common',
              allowImportNames: ['Inject', 'Injectable'],
              message: 'A repository is injected; HTTP errors, guards and pipes belong to http/.',
            },
          ],
        },
      ],
    },
  },
  {
    name: 'tests read untyped answers',
    files: [...TESTS, 'bench/**/*.ts', 'examples/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    name: 'scripts',
    files: ['**/*.{js,mjs,cjs}'],
    rules: { eqeqeq: 'error' },
  },
);
