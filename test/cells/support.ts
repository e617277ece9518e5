import type { Client } from 'pg';
import { ClientsService, type Deplacement, DeplacementsService } from '../../libs/clients/src';
import { Mover, type Step } from '../../libs/topology/src';
import { setTimeout as sleep } from 'node:timers/promises';
import { synced } from '../membership/synced';
import { TEST_ACTOR } from '../setup/actor';
import { type Answer, cloneTemplate, TestApp, type TestTenant } from '../setup/test-app';
import { SharedClient } from '../setup/two-cells';
import { employee, employer, job, membership, union } from '../sync/support';
import { Campaigns } from '../voting/support/campaigns';

export const CELLS = ['principal', 'nord'] as const;
export type Cell = (typeof CELLS)[number];

/** Tables whose rows are no data of a space. */
const APART = ['cle', 'deplacement', 'espace_ferme'];

/** An application with two cells, a superuser's connection to each, and the mover. */
export class TwoCells {
  private number = 0;
  private objects = 0;

  private constructor(
    readonly app: TestApp,
    readonly urls: Readonly<Record<Cell, string>>,
    readonly databases: Readonly<Record<Cell, Client>>,
    /** Has the login of migrations; the application has that of the processes. Deletes old rows after 8 s, not 3 minutes. */
    readonly mover: Mover,
  ) {}

  static async start(): Promise<TwoCells> {
    const urls = { principal: await cloneTemplate(), nord: await cloneTemplate() };
    const app = await TestApp.start({ databaseUrl: urls.principal, cells: new Map(Object.entries(urls)) });
    const connect = async (url: string): Promise<Client> => {
      const client = new SharedClient(url);
      await client.connect();
      return client;
    };
    const databases = { principal: await connect(urls.principal), nord: await connect(urls.nord) };
    const mover = new Mover(app.app.get(DeplacementsService), app.config);
    mover.keepOldRowsMs = 8_000;
    return new TwoCells(app, urls, databases, mover);
  }

  async stop(): Promise<void> {
    for (const cell of CELLS) await this.databases[cell].end();
    await this.app.stop();
  }

  asAdmin(method: string, path: string, body?: unknown): Promise<Answer> {
    return this.app.send(this.app.adminKey, method, `/admin/v1${path}`, body);
  }

  created(more: object = {}): Promise<Answer> {
    const nom = `Cellule ${++this.number}`;
    return this.asAdmin('POST', '/clients', { nom, modules: ['carteMembre', 'vote'], ...more });
  }

  /** A tenant with records, and its voting campaigns. */
  async tenantIn(cellule: Cell): Promise<Campaigns> {
    const { json } = await this.created({ cellule });
    const wanted = { nom: 'Test', environnement: 'staging' as const, role: 'partenaire' as const };
    const cle = await this.app.app.get(ClientsService).issueCle(TEST_ACTOR, json.id as string, wanted);
    const tenant: TestTenant = { clientId: json.id, tenantId: cle.tenantId!, cleId: cle.id, cle: cle.cle };
    await synced(this.app, tenant, {
      Syndicats: [union('SYN-1', [employer('EMP-1')])],
      Employes: ['E-1', 'E-2', 'É-3 😀 \\N'].map((name) =>
        employee(name, { Emplois: [job('J-1', 'EMP-1')], Adhesions: [membership('SYN-1')] }),
      ),
    });
    return new Campaigns(this.app, tenant);
  }

  /** Tables of tenants, with the number of rows that a database has of a tenant, if any. */
  async rowsIn(cell: Cell, tenantId: string): Promise<Record<string, number>> {
    const { rows: tables } = await this.databases[cell].query<{ name: string }>(
      `SELECT c.oid::regclass::text AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
       WHERE a.attname = 'tenant_id' AND c.relkind IN ('r', 'p') AND NOT c.relispartition
         AND c.relnamespace = 'public'::regnamespace AND c.relname <> ALL ($1)`,
      [APART],
    );
    const found: Record<string, number> = {};
    for (const { name } of tables) {
      const { rows } = await this.databases[cell].query<{ count: number }>(
        `SELECT count(*)::int AS count FROM ${name} WHERE tenant_id = $1`,
        [tenantId],
      );
      if (rows[0]!.count > 0) found[name] = rows[0]!.count;
    }
    return found;
  }

  /** Writes a record that did not exist. */
  write(tenant: TestTenant): Promise<Answer> {
    const body = { idExterne: `O-${++this.objects}`, nom: 'Objet' };
    return this.app.send(tenant, 'POST', '/b2b/v2/objet-consentement', body);
  }

  request(tenant: TestTenant, cellule: Cell): Promise<Answer> {
    return this.asAdmin('POST', `${spaceOf(tenant)}/deplacer`, { cellule });
  }

  /** The latest move. */
  async latest(tenant: TestTenant): Promise<Answer['json']> {
    return (await this.asAdmin('GET', `${spaceOf(tenant)}/deplacement`)).json;
  }

  /** Requests a move and performs it. */
  async moved(
    tenant: TestTenant,
    cellule: Cell,
    onStep?: (step: Step) => Promise<void> | void,
  ): Promise<void> {
    const { status, text } = await this.request(tenant, cellule);
    if (status !== 202) throw new Error(text);
    await this.performed(tenant, onStep);
  }

  /** Performs the requested move to its end. */
  async performed(
    tenant: TestTenant,
    onStep?: (step: Step) => Promise<void> | void,
    mover = this.mover,
  ): Promise<void> {
    const move = await this.openMove(tenant);
    for (let wait = 1; wait > 0; await sleep(wait)) wait = await mover.perform(move, onStep);
  }

  async openMove({ tenantId }: TestTenant): Promise<Deplacement> {
    const open = await this.app.app.get(DeplacementsService).open();
    return open.find((move) => move.tenantId === tenantId)!;
  }
}

export const spaceOf = ({ clientId }: TestTenant): string => `/clients/${clientId}/environnements/staging`;
