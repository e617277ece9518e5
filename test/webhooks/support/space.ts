import { ClientsService } from '../../../libs/clients/src';
import type { ModuleName } from '../../../libs/access/src/caller';
import { synced } from '../../membership/synced';
import { TEST_ACTOR } from '../../setup/actor';
import type { Answer, TestApp, TestTenant } from '../../setup/test-app';
import { until } from './receiver';
import { scene, type Scene } from './signed';

export const PATH = '/b2b/v2/webhook';

/** An address without a server, for endpoints that no worker delivers to. */
export const NOWHERE = 'http://hooks.test/mandat';

export interface Endpoint {
  readonly id: string;
  readonly secret: string;
}

/** A tenant as its partner sees it, and its rows. */
export class Space implements Scene {
  private constructor(
    readonly app: TestApp,
    readonly tenant: TestTenant,
    readonly plateforme: string,
  ) {}

  /** Opens a tenant with the union `S-1`, the employee `E-1`, and one event: that of the sync which created them. */
  static async open(app: TestApp): Promise<Space> {
    const { tenant, plateforme } = await scene(app);
    return new Space(app, tenant, plateforme);
  }

  get tenantId(): string {
    return this.tenant.tenantId;
  }

  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
    caller: { cle: string } = this.tenant,
  ): Promise<Answer> {
    return this.app.send(caller, method, path, body, headers);
  }

  /** Issues another key for the same tenant with only some modules. */
  keyFor(modules: ModuleName[]): Promise<{ cle: string }> {
    return this.app.app.get(ClientsService).issueCle(TEST_ACTOR, this.tenant.clientId, {
      nom: 'Restreinte',
      environnement: 'staging',
      role: 'partenaire',
      modules,
      expireLe: null,
    });
  }

  /** Registers an endpoint, which must be accepted. */
  async endpoint(body: object = {}): Promise<Endpoint> {
    const answer = await this.send('POST', PATH, { url: NOWHERE, types: ['sync.terminee'], ...body });
    expect({ status: answer.status, errors: answer.json.errors }).toEqual({ status: 201, errors: undefined });
    return answer.json;
  }

  /** Replaces an endpoint, which must be accepted. */
  async replace({ id }: { id: string }, body: object): Promise<Answer> {
    const answer = await this.send('PUT', `${PATH}/${id}`, {
      url: NOWHERE,
      types: ['sync.terminee'],
      ...body,
    });
    expect({ status: answer.status, errors: answer.json.errors }).toEqual({ status: 200, errors: undefined });
    return answer;
  }

  /** Causes one event `sync.terminee`, which says that `n` consent objects were created or updated. */
  async sync(n = 1): Promise<void> {
    await synced(this.app, this.tenant, {
      ObjetsConsentement: Array.from({ length: n }, (_, at) => ({ IdExterne: `O-${at}`, Nom: `O-${at}` })),
    });
  }

  /** Returns the rows of a statement whose `$1` is the tenant, read as a superuser. */
  async rows<R extends object = Record<string, unknown>>(text: string, ...values: unknown[]): Promise<R[]> {
    return (await this.app.database.query<R>(text, [this.tenantId, ...values])).rows;
  }

  async count(table: 'webhook' | 'livraison' | 'evenement'): Promise<number> {
    const [row] = await this.rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM ${table} WHERE tenant_id = $1`,
    );
    return row!.count;
  }

  /** Returns the jobs in the queue of deliveries, oldest first. */
  jobs(): Promise<{ livraisonId: string; webhookId: string; tour: number }[]> {
    return this.rows(
      `SELECT data->>'livraisonId' AS "livraisonId", data->>'webhookId' AS "webhookId", (data->>'tour')::int AS tour
       FROM pgboss.job WHERE name = 'livraison' AND data->>'tenantId' = $1::text ORDER BY created_on, id`,
    );
  }

  /** Waits until the queue has no delivery of the tenant, due now or later. */
  async drained(): Promise<void> {
    await until('the queue is empty', async () => {
      const [row] = await this.rows<{ count: number }>(
        `SELECT count(*)::int AS count FROM pgboss.job
         WHERE name = 'livraison' AND data->>'tenantId' = $1::text`,
      );
      return row!.count === 0;
    });
  }

  /** Returns the ids of the events of one type or of all, in the order of creation. */
  async eventIds(type?: string): Promise<string[]> {
    const found = await this.rows<{ id: string }>(
      `SELECT id_unique AS id FROM evenement WHERE tenant_id = $1 AND type = coalesce($2, type)
       ORDER BY date_creation, id_unique`,
      type ?? null,
    );
    return found.map(({ id }) => id);
  }

  /** The log of an endpoint. */
  async log(id: string): Promise<Answer['json'][]> {
    const { status, json } = await this.send('GET', `${PATH}/${id}/livraisons`);
    expect(status).toBe(200);
    return json;
  }

  /** The audit trail of the tenant, without the sync that created its records. */
  journal(): Promise<Record<string, unknown>[]> {
    return this.rows(
      `SELECT cle_id, action, objet_id, requete_id FROM journal WHERE tenant_id = $1 AND action <> 'sync.v2'
       ORDER BY id_unique`,
    );
  }
}

/** Empties the queue, because workers of a test must not process jobs of an earlier test. */
export async function clearQueue(app: TestApp): Promise<void> {
  await app.database.query('DELETE FROM pgboss.job');
}

/**
 * Adds old events to a tenant without deliveries.
 *
 * @returns their ids, oldest first
 */
export async function seedEvents(
  space: Space,
  count: number,
  { type = 'sync.terminee', age = '1 hour' }: { type?: string; age?: string } = {},
): Promise<string[]> {
  const { rows } = await space.app.database.query<{ id: string }>(
    `INSERT INTO evenement (tenant_id, type, data, date_creation)
     SELECT $1, $2, json_build_object('n', n), now() - $4::interval + n * interval '1 millisecond'
     FROM generate_series(1, $3) n RETURNING id_unique AS id`,
    [space.tenantId, type, count, age],
  );
  return rows.map(({ id }) => id);
}
