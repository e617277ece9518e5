import type { Answer, TestApp, TestTenant } from '../../setup/test-app';

export const CAMPAGNES = '/b2b/v1/campagnes';

/** Far enough ahead that no test reaches it. */
export const NEXT_YEAR = {
  ouvertureDuVoteUtc: '2099-01-01T13:00:00.000Z',
  fermetureDuVoteUtc: '2099-01-08T22:00:00.000Z',
};

/** What is done to campaigns of one data space, and what its rows say of it. */
export class Campaigns {
  private number = 0;

  constructor(
    private readonly app: TestApp,
    readonly tenant: TestTenant,
  ) {}

  /** @param rest of the path, behind `/b2b/v1/campagnes` */
  send(method: string, rest = '', body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.app.send(this.tenant, method, CAMPAGNES + rest, body, headers);
  }

  /** The same, which must succeed. */
  async sent(method: string, rest = '', body?: unknown): Promise<Answer> {
    const answer = await this.send(method, rest, body);
    if (answer.status >= 300) throw new Error(`${method} ${rest}: ${answer.status} ${answer.text}`);
    return answer;
  }

  /** Makes a campaign in Brouillon; answers its id. */
  async draft(overrides: object = {}): Promise<string> {
    const body = { titre: `Campagne ${++this.number}`, ...NEXT_YEAR, ...overrides };
    return (await this.sent('POST', '', body)).json as string;
  }

  async question(id: string, overrides: object = {}): Promise<string> {
    const body = { Titre: 'Pour ou contre ?', Type: 'Proposition', ...overrides };
    return (await this.sent('POST', `/${id}/questions`, body)).json.Id as string;
  }

  async votant(id: string, overrides: object = {}): Promise<string> {
    const body = { Prenom: 'Zoé', Nom: 'Roy', ...overrides };
    return (await this.sent('POST', `/${id}/votants/upsert`, body)).json.VotantId as string;
  }

  /** A campaign with a question and a voter, which nothing keeps from being published. */
  async ready(overrides: object = {}): Promise<string> {
    const id = await this.draft(overrides);
    await this.question(id);
    await this.votant(id);
    return id;
  }

  async scheduled(overrides: object = {}): Promise<string> {
    const id = await this.ready(overrides);
    await this.sent('POST', `/${id}/publier`);
    return id;
  }

  async opened(overrides: object = {}): Promise<string> {
    const id = await this.scheduled(overrides);
    await this.sent('POST', `/${id}/ouvrir`);
    return id;
  }

  async closed(overrides: object = {}): Promise<string> {
    const id = await this.opened(overrides);
    await this.sent('POST', `/${id}/fermer`);
    return id;
  }

  async archived(overrides: object = {}): Promise<string> {
    const id = await this.closed(overrides);
    await this.sent('POST', `/${id}/archiver`);
    return id;
  }

  async item(id: string): Promise<Answer['json']> {
    return (await this.sent('GET', `/${id}`)).json;
  }

  async etat(id: string): Promise<string> {
    return (await this.item(id)).etat as string;
  }

  /** Lets time pass for a campaign, as its dates see it: they move into the past. */
  async pass(id: string, interval: string): Promise<void> {
    await this.app.database.query(
      `UPDATE campagne SET ouverture_du_vote_utc = ouverture_du_vote_utc - $3::interval,
         fermeture_du_vote_utc = fermeture_du_vote_utc - $3::interval WHERE tenant_id = $1 AND id_unique = $2`,
      [this.tenant.tenantId, id, interval],
    );
  }

  /** Puts a ballot of a voter that abstains into the box, whatever the state of the campaign. */
  async markVoted(id: string, votantId: string): Promise<void> {
    await this.rows(
      `WITH voter AS (
         UPDATE votant SET a_vote = true WHERE tenant_id = $1 AND campagne_id = $2 AND id_unique = $3 RETURNING poids
       ), receipt AS (
         INSERT INTO recu (tenant_id, campagne_id, empreinte) SELECT $1, $2, sha256(gen_random_uuid()::text::bytea) FROM voter
       )
       INSERT INTO bulletin (tenant_id, campagne_id, poids, reponses)
       SELECT $1, $2, poids, array_fill(''::text, ARRAY[(SELECT count(*)::int FROM urne_question WHERE tenant_id = $1 AND campagne_id = $2)])
       FROM voter`,
      ...[id, votantId],
    );
  }

  /** Marks some voter of the campaign as one who has voted. */
  async vote(id: string): Promise<void> {
    const [{ VotantId }] = (await this.sent('GET', `/${id}/votants?limite=1`)).json;
    await this.markVoted(id, VotantId);
  }

  /** Gives the ballot box its copy of a campaign that statements made, as a publication does. */
  async copyStructure(id: string): Promise<void> {
    await this.rows(
      `WITH entered AS MATERIALIZED (SELECT set_config('app.tenant_id', $1::text, true))
       SELECT urne_preparer($2) FROM entered`,
      id,
    );
  }

  /** Types of the events of a campaign, in the order of their making. */
  async events(id: string): Promise<string[]> {
    const rows = await this.rows<{ type: string }>(
      `SELECT type FROM evenement WHERE tenant_id = $1 AND (data ->> 'id' = $2 OR data ->> 'CampagneId' = $2)
       ORDER BY date_creation, id_unique`,
      id,
    );
    return rows.map(({ type }) => type);
  }

  /** Rows of a statement whose `$1` is the tenant, read as a superuser. */
  async rows<R extends object>(text: string, ...values: unknown[]): Promise<R[]> {
    return (await this.app.database.query<R>(text, [this.tenant.tenantId, ...values])).rows;
  }
}
