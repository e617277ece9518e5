import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Client } from 'pg';
import { employers, EMPLOYEE_PROPERTIES } from './employees';
import { say } from './progress';
import type { Server, World } from './world';

/**
 * Directus, what somebody would use instead of writing an API: the same rows in a database of its own on the same
 * PostgreSQL. It runs as in production with its own settings; what is changed makes it quicker, or lets it take ten
 * thousand records in one request.
 */

export const PEER = 'Directus';

/** A package of its own: nobody who builds or runs the product installs it. */
const FOLDER = join(__dirname, '../../bench/directus');
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
  // Under this load it would answer 503.
  PRESSURE_LIMITER_ENABLED: 'false',
};

/** Named as the wire names them, so that its answers are the product's; indexes as the product has them. */
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

/** The peer, installed and started at its first use; undefined where it cannot be installed. */
export function peerOf(world: World): Promise<Peer | undefined> {
  return (started ??= Peer.start(world));
}

export class Peer {
  private held = '';

  private constructor(
    private readonly server: Server,
    readonly database: Client,
  ) {}

  static async start(world: World): Promise<Peer | undefined> {
    if (!(await isInstalled()) && !(await install())) {
      say(`${PEER} COULD NOT BE INSTALLED (see above; it takes a network): its rows are left out`);
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
    // As the product does, it notes when a record was last changed.
    await peer.change('/fields/employe/derniereMAJ', {
      type: 'timestamp',
      meta: { special: ['date-updated'] },
    });
    return peer;
  }

  get port(): number {
    return this.server.port;
  }

  /** Holds these employees from now on, which are the product's answer for the tenant, and can be set back to them. */
  async hold(tenantId: string, rows: () => Promise<string>): Promise<void> {
    if (this.held === tenantId) return;
    this.held = tenantId;
    await this.database.query('TRUNCATE seed');
    await this.database.query('INSERT INTO seed SELECT * FROM jsonb_populate_recordset(NULL::employe, $1)', [
      await rows(),
    ]);
    await this.restore();
  }

  /** Sets the table back to the rows that are held, and settles what PostgreSQL would otherwise do later. */
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

  /** Whether it writes each change of an employee into its trail of who changed what, as it does by itself. */
  async keepTrail(isKept: boolean): Promise<void> {
    await this.change('/collections/employe', { meta: { accountability: isKept ? 'all' : null } });
  }

  /** How many rows there are, how many were changed since they were set back, and a sum over all that was sent. */
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

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly optional?: true }>>;
}

/** Whether all that the lock file names is there; what is optional may be for another system. */
async function isInstalled(): Promise<boolean> {
  const read = async (path: string): Promise<Lock> =>
    JSON.parse(await readFile(join(FOLDER, path), 'utf8')) as Lock;
  const wanted = await read('package-lock.json');
  const found = await read('node_modules/.package-lock.json').catch((): Lock => ({ packages: {} }));
  return Object.entries(wanted.packages).every(
    ([path, { version, optional }]) => path === '' || optional || found.packages[path]?.version === version,
  );
}

/** Installs what the lock file names, without running any of its scripts; answers whether that went well. */
async function install(): Promise<boolean> {
  say(`Installing ${PEER} into bench/directus/node_modules: 700 MB, some minutes, once`);
  const npm = process.env.npm_execpath;
  if (!npm) {
    say('Only `npm run bench` can install it');
    return false;
  }
  const child = spawn(process.execPath, [npm, 'ci', '--prefix', FOLDER], {
    cwd: FOLDER,
    // Standard output holds the table alone.
    stdio: ['ignore', process.stderr, process.stderr],
  });
  const still = setInterval(() => say('npm ci is still at work'), 15_000);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(still);
  return code === 0 && (await isInstalled());
}
