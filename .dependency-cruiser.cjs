const { join } = require('node:path');

/**
 * The architecture as rules, each of which test/boundaries sees failing.
 * A path is relative to the repository; `$1` in a `to` is the first group of the rule's `from`.
 */

/** Every context with the contexts it may import; all else between contexts is forbidden. */
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

/** The folders of shared that domain/ may import, so that they may not import others themselves. */
const PURE_SHARED =
  '^libs/shared/src/(errors/|records/field\\.ts$|numbers/|time/wire-date\\.ts$|outbox/event-types\\.ts$|access/caller\\.ts$)';

const names = Object.keys(CONTEXTS).join('|');
const layer = (folder) => `^libs/((?!shared/)[^/]+)/src/${folder}/`;
const npm = (packages) => `(^|/)node_modules/(@types/)?(${packages})/`;

/** Unit tests and factories stand outside the layers: they may build what they test from any of them. */
const TEST_CODE = ['\\.spec\\.ts$', '^libs/[^/]+/src/testing/'];

const tree = [
  {
    name: 'no-unresolved',
    comment: 'An import that resolves to no file escapes every other rule of this list.',
    from: {},
    to: { couldNotResolve: true },
  },
  {
    name: 'sources-only',
    comment: 'What is built is no source: an import of dist would go round every other rule of this list.',
    from: {},
    to: { path: '^dist/' },
  },
  {
    name: 'no-circular',
    comment:
      'Two files in a circle are one file that nobody can read, test or load alone, and Jest’s modules break on it. ' +
      'Circles of types count: they become circles of code with the next import. What a generator makes nobody reads.',
    from: { pathNot: '^packages/client/src/generated/' },
    to: { circular: true },
  },
  {
    name: 'known-places',
    comment:
      'Every context has the same shape, so that a line’s place can be guessed: domain, persistence, application, ' +
      'http, testing, and four files of wiring. A new context is first given its place in CONTEXTS.',
    from: {},
    to: {
      path: '^libs/',
      pathNot: [
        '^libs/shared/src/([^/]+/|shared\\.module\\.ts$)',
        `^libs/(${names})/src/(domain|persistence|application|http|testing)/`,
        `^libs/(?<context>${names})/src/(index|fields|\\k<context>\\.module|\\k<context>-http\\.module)\\.ts$`,
      ],
    },
  },
  {
    name: 'declared-packages-only',
    comment: 'The image installs the `dependencies` of package.json and nothing else.',
    from: { path: '^(apps|libs|migrations)/', pathNot: TEST_CODE },
    to: {
      dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'],
      dependencyTypesNot: ['npm', 'type-only'],
    },
  },
  {
    name: 'testing-in-tests-only',
    comment: 'Factories make rows without the rules of the domain; no product code may reach them.',
    from: { pathNot: [...TEST_CODE, '^(test|bench)/'] },
    to: { path: '^libs/[^/]+/src/testing/' },
  },
  {
    name: 'nobody-imports-apps',
    comment:
      'An app is an end of the graph: what two apps need is a context’s or shared. Only tests and tools start an app.',
    from: { path: '^(?:apps/)?([^/]+)/', pathNot: '^(test|bench|tools)/' },
    to: { path: '^apps/', pathNot: '^apps/$1/' },
  },
  {
    name: 'client-stands-alone',
    comment: 'The client is installed without the product: it knows it from the OpenAPI documents alone.',
    from: { path: '^packages/client/' },
    to: { path: '^(apps|libs|migrations|test|bench|examples|tools)/' },
  },
  {
    name: 'migrations-stand-alone',
    comment:
      'A migration must do next year what it does today, so it uses no code that moves with the product.',
    from: { path: '^migrations/' },
    to: { path: '^libs/', pathNot: '^libs/shared/src/database/' },
  },
];

const contexts = [
  {
    name: 'contexts-by-index',
    comment: 'A context is imported through index.ts, or through fields.ts where only its fields are needed.',
    from: { path: '^(?:apps|libs)/([^/]+)/' },
    to: {
      path: '^libs/(?!shared/)[^/]+/src/',
      pathNot: ['^libs/$1/', '^libs/[^/]+/src/(index|fields)\\.ts$', '^libs/[^/]+/src/testing/'],
    },
  },
  ...Object.entries(CONTEXTS).map(([context, allowed]) => ({
    name: `order-of-${context}`,
    comment:
      `Contexts form no circle; ${context} may import ${allowed.join(', ') || 'none'}. Where a lower one needs an ` +
      'answer from a higher one, it owns a small interface and the higher one registers an implementation.',
    from: { path: `^libs/${context}/` },
    to: { path: '^libs/', pathNot: `^libs/(${[context, 'shared', ...allowed].join('|')})/` },
  })),
  {
    name: 'shared-knows-no-context',
    comment: 'shared lies below all contexts; one that it imported would lie below the others too.',
    from: { path: '^libs/shared/' },
    to: { path: '^libs/', pathNot: '^libs/shared/' },
  },
  {
    name: 'pure-shared-stays-pure',
    comment: 'What domain/ imports of shared is in every domain, with whatever that imports in turn.',
    from: { path: PURE_SHARED, pathNot: TEST_CODE },
    to: { pathNot: PURE_SHARED },
  },
];

/** The fields of a context import its domain's lists of fields and nothing else. */
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
      'A rule of the domain is read and tested without Nest, HTTP or a database; TypeORM lends its decorators.',
    from: { path: layer('domain'), pathNot: TEST_CODE },
    to: {
      pathNot: ['^libs/$1/src/domain/', '^libs/[^/]+/src/fields\\.ts$', PURE_SHARED, npm('typeorm')],
      dependencyTypesNot: ['core'],
    },
  },
  {
    name: 'domain-does-no-io',
    comment: 'Of Node, a rule may use what computes (crypto, buffer, util …), not what reads or waits.',
    from: { path: layer('domain'), pathNot: TEST_CODE },
    to: {
      path: '^(node:)?(fs|net|tls|dns|dgram|https?|http2|child_process|worker_threads|cluster|process|timers)(/|$)',
      dependencyTypes: ['core'],
    },
  },
  {
    name: 'persistence-inward',
    comment:
      'Repositories and queries know their own domain and the database; who calls them is not their business.',
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
      'A service serves a controller, a queue and another context alike, so it knows no controller or module.',
    from: { path: layer('application'), pathNot: TEST_CODE },
    to: { path: '^libs/$1/src/', pathNot: '^libs/$1/src/(domain|persistence|application)/' },
  },
  {
    name: 'application-knows-no-framework',
    comment:
      'Of Nest a service needs injection alone (@nestjs/common); HTTP is http/’s, TypeORM and SQL persistence/’s.',
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
      'A controller turns a request into one call of its own application; every further need is a service’s.',
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
      'A controller that calls the domain has taken a rule out of the service. It may `import type`; lists of the ' +
      'wire’s fields and values (*.fields.ts, *.types.ts) and error codes (*.errors.ts) it may import as they are.',
    from: { path: layer('http'), pathNot: TEST_CODE },
    to: {
      path: '^libs/$1/src/domain/',
      pathNot: '\\.(fields|types|errors)\\.ts$',
      dependencyTypesNot: ['type-only'],
    },
  },
  {
    name: 'http-knows-no-database',
    comment: 'Entities never go on the wire and a controller never queries.',
    from: { path: layer('http'), pathNot: TEST_CODE },
    to: { path: npm('typeorm|pg|pg-copy-streams') },
  },
  {
    name: 'services-without-controllers',
    comment:
      '<context>.module.ts is what the worker loads; controllers come with <context>-http.module.ts alone.',
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
