import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { randomBytes, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Client } from 'pg';
import { AppModule } from '../../apps/partner-api/src/app.module';
import { configureApp } from '../../apps/partner-api/src/configure-app';
import { ClientsService } from '../../libs/clients/src';
import { KeylessBudget } from '../../libs/platform/src/limits/keyless-budget';
import { BUDGETS } from '../../libs/platform/src/limits/budgets';
import { FloodDelay } from '../../libs/platform/src/limits/flood-delay';
import { type Environment, MODULES, type ModuleName } from '../../libs/access/src/caller';
import { Config } from '../../libs/platform/src/ops/config';
import { KeyRing } from '../../libs/platform/src/ops/key-ring';
import { TEST_ACTOR } from './actor';
import { withServiceLogin } from './service-login';
import { dataUrlOf, superuserOf, testCells, testStandbys } from './two-cells';

/** A client's data space and a key for it. */
export interface TestTenant {
  clientId: string;
  tenantId: string;
  cleId: string;
  cle: string;
}

/** Options of a tenant; by default it is a partner with every module and no practical rate limit. */
export interface TenantOptions {
  role?: 'partenaire' | 'plateforme';
  environnement?: Environment;
  modules?: ModuleName[];
  cleModules?: ModuleName[];
  limiteParMinute?: number;
  quotaCourrielsParJour?: number;
  /** Addresses and domains that e-mail of a staging data space may reach; example.org by default. */
  courrielsEssai?: string[];
  expireLe?: Date;
}

/** A JSON body without static types. */
type Loose = ReturnType<typeof JSON.parse>;

/** A response with its body; `json` is undefined if the body is not JSON. */
export interface Answer<T = Loose> {
  status: number;
  headers: Headers;
  text: string;
  json: T;
}

/** Why a test file uses an application and a database that no other file uses. */
export type OwnReason =
  /** A worker would do the work that the tenants of other files have left. */
  | 'a worker runs'
  /** The file reads, counts or changes rows of every tenant, or what the process counts for all of them. */
  | 'sees all tenants'
  /** The file changes the running application, or stops it. */
  | 'changes the application'
  /** The file keeps triggers or functions of its own, or removes some, until its end. */
  | 'changes the schema'
  /** The rows of the file would slow other files down, or its plans depend on the rows of other files. */
  | 'volume';

/** The application that the files of a Jest worker share. */
interface Running {
  readonly app: NestExpressApplication;
  readonly url: string;
  readonly config: Config;
}

/** The test files run in the main context of a worker process, each with its own modules of `test/`. */
export const processWide = globalThis as { sharedApp?: Promise<Running & { schema: string }> };

/** The real application on a real database. */
export class TestApp {
  readonly adminKey: string;
  private readonly connections: Client[] = [];
  /** The data spaces of `tenant`. */
  readonly tenantIds: string[] = [];

  private constructor(
    readonly app: NestExpressApplication,
    readonly url: string,
    /** Configuration with a superuser's login. The application uses another login. */
    readonly config: Config,
    /** A superuser's connection, to read rows and to break protections deliberately. */
    readonly database: Client,
    /** The schema that the file must leave behind, if it shares the application. */
    private readonly schema?: string,
  ) {
    this.adminKey = config.adminApiKey!;
  }

  /**
   * Without a configuration of its own, the file shares the application and its database with the other files of its Jest
   * worker. They run one after the other, and each has its own tenants.
   */
  static async start(overrides?: Partial<Config>): Promise<TestApp> {
    if (overrides) return TestApp.connected(await run(overrides));
    const shared = await (processWide.sharedApp ??= share());
    return TestApp.connected(shared, shared.schema);
  }

  /** Starts an application with a database that no other file uses. */
  static async own(_reason: OwnReason): Promise<TestApp> {
    return TestApp.start({});
  }

  private static async connected({ app, url, config }: Running, schema?: string): Promise<TestApp> {
    const database = superuserOf(config);
    await database.connect();
    return new TestApp(app, url, config, database, schema);
  }

  /** URL of the database that has the data spaces. */
  get dataUrl(): string {
    return dataUrlOf(this.config.databaseUrl);
  }

  /** Connects as a superuser once more, for transactions beside those of the service. `stop` ends the connection. */
  async connect(options?: string): Promise<Client> {
    const client = new Client({ connectionString: this.dataUrl, options });
    this.connections.push(client);
    await client.connect();
    return client;
  }

  /** @throws Error if the file shares the application and leaves another schema; the next file starts another one */
  async stop(): Promise<void> {
    await Promise.all(this.connections.map((client) => client.end()));
    const left = this.schema && (await schemaOf(this.database));
    await this.database.end();
    if (this.schema && left === this.schema) return;
    if (this.schema) processWide.sharedApp = undefined;
    await this.app.close();
    if (this.schema)
      throw new Error('The file leaves a changed schema in the database that files share: see TestApp.own.');
  }

  async tenant(options: TenantOptions = {}): Promise<TestTenant> {
    const clients = this.app.get(ClientsService);
    const client = await clients.create(TEST_ACTOR, {
      nom: `Client ${randomUUID()}`,
      modules: options.modules ?? [...MODULES],
      limiteParMinute: options.limiteParMinute ?? null,
      quotaCourrielsParJour: options.quotaCourrielsParJour ?? null,
      courrielsEssai: options.courrielsEssai ?? ['example.org'],
    });
    const cle = await clients.issueCle(TEST_ACTOR, client.id, {
      nom: 'Test',
      environnement: options.environnement ?? 'staging',
      role: options.role ?? 'partenaire',
      modules: options.cleModules ?? null,
      expireLe: options.expireLe ?? null,
    });
    this.tenantIds.push(cle.tenantId!);
    return { clientId: client.id, tenantId: cle.tenantId!, cleId: cle.id, cle: cle.cle };
  }

  /** Creates a platform key for the same data space. */
  async platformOf({ clientId }: TestTenant): Promise<{ cle: string }> {
    const cle = await this.app
      .get(ClientsService)
      .issueCle(TEST_ACTOR, clientId, { nom: 'Test', environnement: 'staging', role: 'plateforme' });
    return { cle: cle.cle };
  }

  /** Sends a request; an object as body is sent as JSON. `caller` is a tenant, a key, or undefined. */
  async send(
    caller: { cle: string } | string | undefined,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const cle = typeof caller === 'object' ? caller.cle : caller;
    const response = await fetch(this.url + path, {
      method,
      headers: {
        // Fetch asks for gzip by itself: every long answer would be compressed and unpacked.
        'Accept-Encoding': 'identity',
        ...(cle === undefined ? {} : { 'X-Api-Key': cle }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : {
            body:
              typeof body === 'string' || body instanceof Uint8Array
                ? (body as string)
                : JSON.stringify(body),
          }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parse(text) };
  }
}

/** Runs the application, with a database of its own if the configuration names none. */
async function run(overrides: Partial<Config>): Promise<Running> {
  const databaseUrl = overrides.databaseUrl ?? (await cloneTemplate());
  const cells = overrides.cells ?? testCells(databaseUrl);
  const config = new Config({
    host: undefined,
    port: 0,
    workerPort: 0,
    dataDir: '',
    publicUrl: 'http://mandat.test',
    adminApiKey: randomBytes(32).toString('base64'),
    secretsKey: KeyRing.of(randomBytes(32)),
    dossierSigningKey: randomBytes(32).toString('base64'),
    rateLimitPerMinute: 1_000_000,
    logLevel: 'silent',
    otlpEndpoint: undefined,
    production: false,
    shutdownDelayMs: 0,
    webhookAllowInsecure: true,
    smtpUrl: undefined,
    cells,
    // Tests ask the API for services of the worker, too.
    workerCell: overrides.cells ? undefined : [...cells.keys()][0],
    standbys: testStandbys([databaseUrl, ...cells.values()]),
    // The service looks at standbys four times as often, so they serve reads soon after a write.
    standbyLagMs: 200,
    mailFrom: 'Mandat <ne-pas-repondre@mandat.test>',
    poolSize: 10,
    ...overrides,
    databaseUrl,
  });
  const { app, url } = await listen(AppModule.forRoot(withServiceLogin(config)));
  // Tests send more rejected requests and more requests without a key than callers do.
  const floodDelay = app.get(FloodDelay);
  floodDelay.limits = { ...floodDelay.limits, free: 1_000_000 };
  app.get(KeylessBudget).perSecond = 1_000_000;
  // On a busy machine the same statements take several times as long.
  Object.assign(BUDGETS, { databaseSeconds: 1_000_000 });
  return { app, url, config };
}

/** Runs the application that the files of this process share. It runs until the process ends (global-teardown.ts). */
async function share(): Promise<Running & { schema: string }> {
  const running = await run({});
  // A worker process of Jest ends once nothing keeps it alive, and then no longer listens for files to run.
  if (process.send) process.on('removeListener', (event) => event === 'message' && process.exit());
  const database = superuserOf(running.config);
  await database.connect();
  const schema = await schemaOf(database);
  await database.end();
  return { ...running, schema };
}

/** Digests objects that tests break deliberately: functions, triggers, constraints, indexes, policies, privileges. */
async function schemaOf(database: Client): Promise<string> {
  const { rows } = await database.query<{ schema: string }>(
    `WITH whole AS (SELECT oid, concat_ws(' ', relname, relacl, relrowsecurity, relforcerowsecurity, relchecks) AS text
       FROM pg_class WHERE relnamespace = 'public'::regnamespace AND NOT relispartition)
     SELECT concat_ws(' ', (SELECT md5(string_agg(text, '' ORDER BY text)) FROM whole),
       (SELECT md5(string_agg(concat(proname, prosrc, proacl), '' ORDER BY oid)) FROM pg_proc WHERE pronamespace = 'public'::regnamespace),
       (SELECT md5(string_agg(concat(tgname, tgenabled), '' ORDER BY oid)) FROM pg_trigger WHERE tgrelid IN (SELECT oid FROM whole)),
       (SELECT count(*) FROM pg_constraint WHERE conrelid IN (SELECT oid FROM whole)),
       (SELECT count(*) FROM pg_index WHERE indrelid IN (SELECT oid FROM whole)), (SELECT count(*) FROM pg_policy)) AS schema`,
  );
  return rows[0]!.schema;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Starts an application as production configures it, on a free port. */
export async function listen(
  module: Type | DynamicModule,
): Promise<{ app: NestExpressApplication; url: string }> {
  const app = await NestFactory.create<NestExpressApplication>(module, {
    bodyParser: false,
    logger: false,
    abortOnError: false,
  });
  configureApp(app);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { app, url: `http://127.0.0.1:${port}` };
}

/** A fresh copy of the migrated template, on each server. */
export async function cloneTemplate(): Promise<string> {
  const name = `mandat_test_${randomUUID().replaceAll('-', '')}`;
  const [directory, second] = [process.env.TEST_DATABASE_URL!, process.env.TEST_CELL_URL];
  await Promise.all([directory, ...(second ? [second] : [])].map((server) => cloneAs(name, server)));
  return new URL(`/${name}`, directory).href;
}

async function cloneAs(name: string, server: string): Promise<void> {
  const client = new Client({ connectionString: server });
  await client.connect();
  // PostgreSQL rejects two concurrent clones of one template.
  await client.query('SELECT pg_advisory_lock(1)');
  await client.query(`CREATE DATABASE ${name} TEMPLATE mandat_template`);
  await client.end();
}
