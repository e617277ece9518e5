import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from 'pg';
import { employers, EMPLOYEE_PROPERTIES } from './employees';
import { say } from './progress';
import type { Server, World } from './world';

/**
 * Directus, an alternative to a handwritten API: the same rows in its own database on the same PostgreSQL. It runs as
 * in production. Changed settings only make it faster, or allow ten thousand records in one request.
 */

export const PEER = 'Directus';

/** A separate package, because builds and installations of the product do not need it. */
const PACKAGE = join(__dirname, '../../bench/directus');
const VERSION = (
  JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as { dependencies: { directus: string } }
).dependencies.directus;
/** Outside of the repository, because Node would look for packages that it lacks among those of the product. */
const FOLDER = join(tmpdir(), `mandat-bench-${userInfo().username}`, `directus-${VERSION}`);
const API = join(FOLDER, 'node_modules/@directus/api/dist');
const TOKEN = randomBytes(32).toString('hex');
const SETTINGS = {
  NODE_ENV: 'production',
  HOST: '127.0.0.1',
  DB_CLIENT: 'pg',
  SECRET: randomBytes(32).toString('hex'),
  ADMIN_EMAIL: 'admin@example.org',
  ADMIN_PASSWORD: randomBytes(16).toString('hex'),
  ADMIN_TOKEN: TOKEN,
  LOG_LEVEL: 'error',
  TELEMETRY: 'false',
  SERVE_APP: 'false',
  MAX_PAYLOAD_SIZE: '100mb',
  // Without this it would answer 503 under this load.
  PRESSURE_LIMITER_ENABLED: 'false',
};

/** The names of the wire, because the responses must equal the product's; with the product's indexes. */
const TABLES = `
  CREATE TABLE employeur ("idExterne" text COLLATE "C" PRIMARY KEY);
  CREATE TABLE employe (
    "idExterne" text COLLATE "C" PRIMARY KEY,
    prenom text NOT NULL,
    nom text NOT NULL,
    "noMembre" text,
    courriel text,
    "identifiantExterneEmployeur" text COLLATE "C" REFERENCES employeur,
    "telephonePrincipal" text,
    adresse1 text,
    ville text,
    province text,
    "codePostal" text,
    "valeursChampUtilisateur" jsonb NOT NULL DEFAULT '[]',
    "idUnique" uuid NOT NULL DEFAULT uuidv7() UNIQUE,
    "derniereMAJ" timestamptz(3) NOT NULL DEFAULT now(),
    "dateCreation" timestamptz(3) NOT NULL DEFAULT now()
  );
  CREATE INDEX ON employe ("dateCreation", "idUnique");
  CREATE INDEX ON employe ("derniereMAJ");
  CREATE INDEX ON employe ("identifiantExterneEmployeur", "dateCreation", "idUnique");
  CREATE TABLE seed (LIKE employe)`;

/** The whole list in the product's order. */
export const PEER_LIST = '/items/employe?sort=dateCreation,idUnique&limit=';
export const PEER_HEADERS = { Authorization: `Bearer ${TOKEN}` };

let started: Promise<Peer | undefined> | undefined;

/** Returns the peer, installed and started at its first use; undefined if it cannot be installed or is not measured. */
export async function peerOf(world: World): Promise<Peer | undefined> {
  return world.hasPeer ? (started ??= Peer.start(world)) : undefined;
}

export class Peer {
  private held = '';

  private constructor(
    private readonly server: Server,
    readonly database: Client,
  ) {}

  static async start(world: World): Promise<Peer | undefined> {
    if (!(await isInstalled()) && !(await install())) {
      say(`${PEER} COULD NOT BE INSTALLED (see above; it needs a network): its rows are omitted`);
      return undefined;
    }
    say(`Starting ${PEER}`);
    const url = await world.newDatabase();
    const settings = { ...SETTINGS, DB_CONNECTION_STRING: url };
    const cwd = await world.newFolder();
    const env = { PATH: process.env.PATH, ...settings };
    await promisify(execFile)(process.execPath, [join(API, 'cli/run.js'), 'bootstrap'], { cwd, env });
    const database = await world.connect(url);
    await database.query(TABLES);
    await database.query('INSERT INTO employeur SELECT unnest($1::text[])', [
      employers().map(({ idExterne }) => idExterne),
    ]);
    const host = join(__dirname, 'peer-host.js');
    const server = await world.startServer(host, settings, { args: [join(API, 'start.js')], cwd });
    const peer = new Peer(server, database);
    // Updates the time of the last change, as the product does.
    await peer.change('/fields/employe/derniereMAJ', {
      type: 'timestamp',
      meta: { special: ['date-updated'] },
    });
    return peer;
  }

  get port(): number {
    return this.server.port;
  }

  /** Stores these employees, which are the product's response for the tenant. The table can be set back to them. */
  async hold(tenantId: string, rows: () => Promise<string>): Promise<void> {
    if (this.held === tenantId) return;
    this.held = tenantId;
    await this.database.query('TRUNCATE seed');
    await this.database.query('INSERT INTO seed SELECT * FROM jsonb_populate_recordset(NULL::employe, $1)', [
      await rows(),
    ]);
    await this.restore();
  }

  /** Sets the table back to the stored rows, and runs maintenance that PostgreSQL would otherwise run later. */
  async restore(): Promise<void> {
    for (const statement of [
      'TRUNCATE employe, directus_activity, directus_revisions CASCADE',
      'SET session_replication_role = replica',
      'INSERT INTO employe SELECT * FROM seed',
      'RESET session_replication_role',
      'VACUUM ANALYZE employe',
      'CHECKPOINT',
    ])
      await this.database.query(statement);
  }

  /** Switches its trail of changes of employees on (its default) or off. */
  async keepTrail(isKept: boolean): Promise<void> {
    await this.change('/collections/employe', { meta: { accountability: isKept ? 'all' : null } });
  }

  /** Returns the number of rows, the number changed since they were set back, and a sum over all sent values. */
  async contents(): Promise<unknown> {
    const sent = EMPLOYEE_PROPERTIES.map((property) => `t."${property}"`).join(', ');
    const { rows } = await this.database.query<Record<string, string>>(
      `SELECT count(*), count(*) FILTER (WHERE t."derniereMAJ" > s."derniereMAJ") AS changed,
         sum(hashtextextended(concat_ws('|', ${sent}), 0))
       FROM employe t LEFT JOIN seed s USING ("idExterne")`,
    );
    return rows[0];
  }

  private async change(path: string, body: object): Promise<void> {
    const response = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method: 'PATCH',
      headers: { ...PEER_HEADERS, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  }
}

/** Returns whether an installation has ended: npm writes its list of packages last. */
async function isInstalled(): Promise<boolean> {
  return readFile(join(FOLDER, 'node_modules/.package-lock.json')).then(
    () => true,
    () => false,
  );
}

/** Installs the package without the scripts of its dependencies. Returns whether it succeeded. */
async function install(): Promise<boolean> {
  say(`Installing ${PEER} ${VERSION} into ${FOLDER}: 700 MB, some minutes, once`);
  const npm = process.env.npm_execpath;
  if (!npm) {
    say('Only `npm run bench` can install it');
    return false;
  }
  await mkdir(FOLDER, { recursive: true, mode: 0o700 });
  for (const file of ['package.json', '.npmrc']) await cp(join(PACKAGE, file), join(FOLDER, file));
  const child = spawn(process.execPath, [npm, 'install', '--prefix', FOLDER], {
    cwd: FOLDER,
    // Standard output contains only the table.
    stdio: ['ignore', process.stderr, process.stderr],
  });
  const still = setInterval(() => say('npm install is still running'), 15_000);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(still);
  return code === 0 && (await isInstalled());
}
