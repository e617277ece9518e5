import { Config } from '../../../libs/platform/src/ops/config';
import { synced } from '../../membership/synced';
import type { Answer, TestApp, TestTenant } from '../../setup/test-app';
import { until } from '../../webhooks/support/receiver';

export const PATH = '/b2b/v2/courriel';

export interface Email {
  readonly id: string;
  readonly nombreDestinataires: number;
}

/** The configuration of a test with a mail server. */
export function mailing(config: Config, smtpUrl: string): Config {
  return new Config({ ...config, smtpUrl });
}

/** A tenant that sends emails, as its partner sees it. */
export class Post {
  private constructor(
    readonly app: TestApp,
    readonly tenant: TestTenant,
  ) {}

  static async open(app: TestApp): Promise<Post> {
    return Post.of(app, await app.tenant());
  }

  static of(app: TestApp, tenant: TestTenant): Post {
    return new Post(app, tenant);
  }

  /** Changes the client of the tenant. */
  async client(change: object): Promise<void> {
    const path = `/admin/v1/clients/${this.tenant.clientId}`;
    const answer = await this.app.send(this.app.adminKey, 'PUT', path, change);
    expect({ status: answer.status, errors: answer.json.errors }).toEqual({ status: 200, errors: undefined });
  }

  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.app.send(this.tenant, method, path, body, headers);
  }

  /**
   * Creates employees `<prefix>-0`… with addresses of the same names.
   *
   * @returns their identifiers
   */
  async employes(count: number, prefix = 'E'): Promise<string[]> {
    const ids = Array.from({ length: count }, (_, at) => `${prefix}-${at}`);
    await synced(this.app, this.tenant, {
      Employes: ids.map((id) => ({ IdExterne: id, Prenom: 'Zoé', Nom: 'Roy', Courriel: addressOf(id) })),
    });
    return ids;
  }

  /** Sends an email and asserts a 202. */
  async email(destinataires: object, rest: object = {}): Promise<Email> {
    const answer = await this.send('POST', PATH, {
      destinataires,
      sujet: 'Assemblée',
      corpsHtml: '<p>Bonjour</p>',
      ...rest,
    });
    expect({ status: answer.status, errors: answer.json.errors }).toEqual({ status: 202, errors: undefined });
    return answer.json;
  }

  async etats(id: string): Promise<Record<string, number>> {
    const { json } = await this.send('GET', `${PATH}/${id}`);
    const counts = Object.values(json.etats as Record<string, number>);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(json.nombreDestinataires);
    return json.etats;
  }

  /** Returns recipients with their external identifiers. */
  async destinataires(id: string, query = ''): Promise<Answer['json'][]> {
    return (await this.send('GET', `${PATH}/${id}/destinataires${query}`)).json;
  }

  /**
   * Waits until all recipients have an outcome, and returns the recipients by state.
   *
   * @param hurry makes retries due at once
   */
  async over(id: string, { hurry = false, timeoutMs = 50_000 } = {}): Promise<Record<string, number>> {
    let etats = await this.etats(id);
    await until(
      'the email is sent',
      async () => {
        if (hurry) await hurryUp(this.app);
        etats = await this.etats(id);
        return etats.enAttente! + etats.enCours! === 0;
      },
      timeoutMs,
    );
    return etats;
  }

  /** Returns the rows of a statement whose `$1` is the tenant, read as a superuser. */
  async rows<R extends object = Record<string, unknown>>(text: string, ...values: unknown[]): Promise<R[]> {
    return (await this.app.database.query<R>(text, [this.tenant.tenantId, ...values])).rows;
  }
}

export function addressOf(idExterne: string): string {
  return `${idExterne.toLowerCase()}@example.org`;
}

/** Makes waiting retries due now; leased recipients stay with their worker. */
export async function hurryUp(app: TestApp): Promise<void> {
  await app.database.query(
    `UPDATE courriel_destinataire SET echeance = now()
     WHERE etat = 'EnAttente' AND essais > 0 AND echeance > now() + interval '32 seconds'`,
  );
  await app.database.query(`UPDATE pgboss.job SET start_after = now() WHERE name = 'courriel'`);
}
