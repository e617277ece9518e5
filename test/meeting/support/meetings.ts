import type { Answer, TestApp, TestTenant } from '../../setup/test-app';

export const SEANCE = '/b2b/v2/seance';
export const SEANCES = '/plateforme/v1/seances';
export const DATE = '2026-05-14T23:00:00.000Z';

/** Meetings of one data space: the platform writes them, a partner reads them. */
export class Meetings {
  private constructor(
    private readonly app: TestApp,
    readonly tenant: TestTenant,
    readonly platform: { readonly cle: string },
  ) {}

  static async open(app: TestApp): Promise<Meetings> {
    const tenant = await app.tenant();
    return new Meetings(app, tenant, await app.platformOf(tenant));
  }

  /**
   * Sends a read with the partner key.
   *
   * @param rest of the path, after `/b2b/v2/seance`
   */
  read(rest = '', headers?: Record<string, string>): Promise<Answer> {
    return this.app.send(this.tenant, 'GET', SEANCE + rest, undefined, headers);
  }

  /**
   * Sends a request with the platform key.
   *
   * @param rest of the path, after `/plateforme/v1/seances`
   */
  write(method: string, rest = '', body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.app.send(this.platform, method, SEANCES + rest, body, headers);
  }

  /** The same, which must succeed. */
  async written(method: string, rest: string, body: object): Promise<Answer['json']> {
    const answer = await this.write(method, rest, body);
    if (answer.status >= 300) throw new Error(`${method} ${rest}: ${answer.status} ${answer.text}`);
    return answer.json;
  }

  /** Makes a meeting; answers its id. */
  async seance(overrides: object = {}): Promise<string> {
    return (await this.written('POST', '', { titre: 'Assemblée', date: DATE, ...overrides })).seanceId;
  }

  /** Adds a votable point; answers its id. */
  async point(seance: string, ordre: number, overrides: object = {}): Promise<string> {
    const body = { titre: `Point ${ordre}`, ordre, votable: true, ...overrides };
    return (await this.written('POST', `/${seance}/points`, body)).pointId;
  }

  /** Makes unions by these external identifiers. */
  async unions(...ids: string[]): Promise<void> {
    const Syndicats = ids.map((IdentifiantExterne) => ({ IdentifiantExterne, Nom: 'Local' }));
    const answer = await this.app.send(this.tenant, 'POST', '/b2b/v2/sync', { Syndicats });
    if (answer.json.Syndicats.AddCount !== ids.length) throw new Error(answer.text);
  }

  /** The audit trail behind the sync that made the unions, oldest first: action and object. */
  async journal(): Promise<string[]> {
    const rows = await this.rows<{ entry: string }>(
      `SELECT action || ' ' || objet_id AS entry FROM journal WHERE tenant_id = $1 AND action <> 'sync.v2'
       ORDER BY id_unique`,
    );
    return rows.map(({ entry }) => entry);
  }

  /** Rows of a statement whose `$1` is the tenant, read as a superuser. */
  async rows<R extends object>(text: string, ...values: unknown[]): Promise<R[]> {
    return (await this.app.database.query<R>(text, [this.tenant.tenantId, ...values])).rows;
  }
}
