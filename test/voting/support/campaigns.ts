import type { Answer, TestApp, TestTenant } from '../../setup/test-app';

export const CAMPAGNES = '/b2b/v1/campagnes';

/** Far enough ahead that no test reaches it. */
export const NEXT_YEAR = {
  ouvertureDuVoteUtc: '2099-01-01T13:00:00.000Z',
  fermetureDuVoteUtc: '2099-01-08T22:00:00.000Z',
};

/** Every property that a request can set. */
export const WHOLE = {
  titre: 'Élection du comité',
  ...NEXT_YEAR,
  textePageAccueil: '<p>Bienvenue</p>',
  libelleAbstention: 'Je m’abstiens',
  ordreReponsesAleatoire: true,
};

export const ETATS = ['Brouillon', 'Planifie', 'VoteOuvert', 'Termine', 'Archive'] as const;
export type Etat = (typeof ETATS)[number];
/** Transitions that lead from a complete draft to each state. */
const STEPS = ['publier', 'ouvrir', 'fermer', 'archiver'];

/** The events of a vote that was published, opened and closed. */
export const WHOLE_LIFE = ['campagne.publiee', 'campagne.ouverte', 'campagne.terminee'];

/** Requests to the campaigns of one tenant, and reads of its rows. */
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

  /** Sends a request that must succeed. */
  async sent(method: string, rest = '', body?: unknown): Promise<Answer> {
    const answer = await this.send(method, rest, body);
    if (answer.status >= 300) throw new Error(`${method} ${rest}: ${answer.status} ${answer.text}`);
    return answer;
  }

  /** Makes a campaign in Brouillon. @returns its id */
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

  /** Makes a draft with a question and a voter, which can be published. */
  async ready(overrides: object = {}): Promise<string> {
    const id = await this.draft(overrides);
    await this.question(id);
    await this.votant(id);
    return id;
  }

  /** Makes a campaign in a state. */
  async in(etat: Etat, overrides: object = {}): Promise<string> {
    const id = await this.ready(overrides);
    for (const step of STEPS.slice(0, ETATS.indexOf(etat))) await this.sent('POST', `/${id}/${step}`);
    return id;
  }
  scheduled = (overrides?: object): Promise<string> => this.in('Planifie', overrides);
  opened = (overrides?: object): Promise<string> => this.in('VoteOuvert', overrides);
  closed = (overrides?: object): Promise<string> => this.in('Termine', overrides);
  archived = (overrides?: object): Promise<string> => this.in('Archive', overrides);

  /** Sets flags of the client. */
  async setFlags(drapeaux: { seuilAnonymat?: number; resultatsVoteActifVisibles?: boolean }): Promise<void> {
    const path = `/admin/v1/clients/${this.tenant.clientId}`;
    const { status, text } = await this.app.send(this.app.adminKey, 'PUT', path, { drapeaux });
    if (status !== 200) throw new Error(text);
  }

  /** Sends an administrator's request for one campaign. */
  administer(method: string, rest: string, body: object, environnement = 'staging'): Promise<Answer> {
    const path = `/admin/v1/clients/${this.tenant.clientId}/environnements/${environnement}/campagnes${rest}`;
    return this.app.send(this.app.adminKey, method, path, body);
  }

  async item(id: string): Promise<Answer['json']> {
    return (await this.sent('GET', `/${id}`)).json;
  }

  async etat(id: string): Promise<string> {
    return (await this.item(id)).etat as string;
  }

  /** Moves the dates of a campaign into the past. */
  async pass(id: string, interval: string): Promise<void> {
    await this.app.database.query(
      `UPDATE campagne SET ouverture_du_vote_utc = ouverture_du_vote_utc - $3::interval,
         fermeture_du_vote_utc = fermeture_du_vote_utc - $3::interval WHERE tenant_id = $1 AND id_unique = $2`,
      [this.tenant.tenantId, id, interval],
    );
  }

  /** Puts the ballot of a voter who abstains into the box, in any state of the campaign. */
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

  /** Does the same for the first voter of the campaign. */
  async vote(id: string): Promise<void> {
    const [{ VotantId }] = (await this.sent('GET', `/${id}/votants?limite=1`)).json;
    await this.markVoted(id, VotantId);
  }

  /** Gives the ballot box its copy of a campaign that SQL inserted, as a publication does. */
  async copyStructure(id: string): Promise<void> {
    await this.rows(
      `WITH entered AS MATERIALIZED (SELECT set_config('app.tenant_id', $1::text, true))
       SELECT urne_preparer($2) FROM entered`,
      id,
    );
  }

  /** Actions of the audit trail on an object, the oldest first. */
  async audited(id: string): Promise<string[]> {
    const text = 'SELECT action FROM journal WHERE tenant_id = $1 AND objet_id = $2 ORDER BY id_unique';
    return (await this.rows<{ action: string }>(text, id)).map(({ action }) => action);
  }

  /** Types of the events of a campaign, the oldest first. */
  async events(id: string): Promise<string[]> {
    const rows = await this.rows<{ type: string }>(
      `SELECT type FROM evenement WHERE tenant_id = $1 AND (data ->> 'id' = $2 OR data ->> 'CampagneId' = $2)
       ORDER BY date_creation, id_unique`,
      id,
    );
    return rows.map(({ type }) => type);
  }

  /** Returns the rows of a statement whose `$1` is the tenant, read as a superuser. */
  async rows<R extends object>(text: string, ...values: unknown[]): Promise<R[]> {
    return (await this.app.database.query<R>(text, [this.tenant.tenantId, ...values])).rows;
  }
}
