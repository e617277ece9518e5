import type { Client } from 'pg';
import { MOST_OPTIONS, MOST_QUESTIONS } from '../../../libs/voting/src/structure/domain/question.fields';
import { times } from '../../membership/synced';
import type { Answer, Fleet, FleetSpace } from './fleet';
import { WHOLE } from './effort';

interface Shape {
  readonly options: number;
  readonly isRanked: boolean;
  /** The number of seats of an Election. */
  readonly seats?: number;
}

/** A campaign, named after its largest dimension. */
export interface Large {
  readonly most: string;
  readonly shapes: readonly Shape[];
  readonly ballots: number;
  /** Published by a statement, as before results had a bound. */
  readonly isUnbounded?: boolean;
}

const ranked = (options: number, seats?: number): Shape => ({
  ...{ options, isRanked: true },
  ...(seats === undefined ? {} : { seats }),
});
const chosen = (options: number, seats?: number): Shape => ({ ...ranked(options, seats), isRanked: false });

/** Campaigns of the largest permitted size in each dimension, and in all at once. */
export const LARGEST: readonly Large[] = [
  { most: 'rounds of one ballot', shapes: times(2, () => ranked(MOST_OPTIONS, 2)), ballots: 1 },
  {
    most: 'ballots and surpluses',
    shapes: times(2, () => ranked(MOST_OPTIONS, MOST_OPTIONS / 2)),
    ballots: WHOLE ? 20_000 : 2_000,
  },
  {
    most: 'ranked questions',
    shapes: times(MOST_QUESTIONS, (n) => (n % 2 ? ranked(50, 1 + (n % 50)) : ranked(50))),
    ballots: WHOLE ? 1_000 : 200,
  },
  { most: 'draws', shapes: times(2, () => chosen(MOST_OPTIONS, MOST_OPTIONS - 1)), ballots: 1 },
  {
    most: 'options',
    shapes: times(MOST_QUESTIONS, () => chosen(MOST_OPTIONS)),
    ballots: WHOLE ? 100 : 10,
  },
  {
    most: 'of all',
    shapes: [
      ranked(MOST_OPTIONS, 20),
      chosen(250, 249),
      ...times(50, () => ranked(60, 3)),
      ...times(MOST_QUESTIONS - 52, () => chosen(50)),
    ],
    ballots: WHOLE ? 1_000 : 200,
  },
  {
    ...{ most: 'rounds, published before there was a bound', isUnbounded: true, ballots: 1 },
    shapes: times(WHOLE ? 45 : 15, () => ranked(MOST_OPTIONS, 2)),
  },
];

/** Large open votes of one data space, with all their ballots. */
export class ClosingVotes {
  readonly votes: { readonly id: string; readonly large: Large }[] = [];

  constructor(
    private readonly fleet: Fleet,
    private readonly url: string,
    private readonly database: Client,
    private readonly space: FleetSpace,
  ) {}

  async open(large: Large): Promise<void> {
    const { rows } = await this.database.query<{ id: string }>(
      'SELECT tenant_id AS id FROM cle WHERE id = $1',
      [this.space.partnerId],
    );
    const day = 86_400_000;
    const id = (await this.sent('POST', '', {
      titre: large.most,
      ouvertureDuVoteUtc: new Date(Date.now() + day).toISOString(),
      fermetureDuVoteUtc: new Date(Date.now() + 2 * day).toISOString(),
    })) as string;
    for (const { options, isRanked, seats } of large.shapes)
      await this.sent('POST', `/${id}/questions`, {
        ...{ Titre: 'Qui ?', EstPreferentiel: isRanked, MaxReponses: options },
        ...(seats === undefined ? { Type: 'ChoixLibre' } : { Type: 'Election', NombreElus: seats }),
        Options: times(options, (place) => ({ Libelle: `Option ${place}` })),
      });
    const values = [rows[0]!.id, id];
    await this.database.query(
      `INSERT INTO votant (tenant_id, campagne_id, prenom, nom, a_droit_de_vote, poids)
       SELECT $1, $2, 'Zoé', 'Roy', true, 1 FROM generate_series(1, $3::int)`,
      [...values, large.ballots],
    );
    await this.database.query(
      'UPDATE campagne SET nombre_votants = $3 WHERE tenant_id = $1 AND id_unique = $2',
      [...values, large.ballots],
    );
    await (large.isUnbounded ? this.publishUnbounded(values) : this.sent('POST', `/${id}/publier`));
    if (!large.isUnbounded) await this.sent('POST', `/${id}/ouvrir`);
    await this.vote(values, large.ballots);
    this.votes.push({ id, large });
  }

  async close(): Promise<void> {
    await Promise.all(this.votes.map(({ id }) => this.sent('POST', `/${id}/fermer`)));
  }

  /** Returns the number of sealed boxes. */
  async sealed(): Promise<number> {
    const { rows } = await this.database.query<{ sealed: number }>(
      'SELECT count(*)::int AS sealed FROM campagne WHERE urne_scellee AND id_unique = ANY ($1)',
      [this.votes.map(({ id }) => id)],
    );
    return rows[0]!.sealed;
  }

  /** Returns the number of incomplete results. */
  async wrong(): Promise<string[]> {
    const wrong: string[] = [];
    for (const { id, large } of this.votes) {
      const { status, json } = await this.fleet.send(this.url, this.space.partner, 'GET', this.stats(id));
      const isWhole =
        json?.questions.length === large.shapes.length &&
        json.questions.every((one: Answer['json'], index: number) => {
          const { options, isRanked } = large.shapes[index]!;
          const isTold = one.Exprimes + one.Abstentions === large.ballots && one.Options.length === options;
          return isTold && (!isRanked || one.Tours.length > 0);
        });
      if (status !== 200 || !isWhole) wrong.push(`${large.most} ${status}`);
    }
    return wrong;
  }

  stats(id: string): string {
    return `/b2b/v1/campagnes/${id}/stats`;
  }

  private async publishUnbounded(values: unknown[]): Promise<void> {
    await this.database.query(
      `UPDATE campagne SET publiee = true, publications = publications + 1, ouverture_du_vote_utc = clock_timestamp()
       WHERE tenant_id = $1 AND id_unique = $2`,
      values,
    );
    await this.database.query(
      `WITH entered AS MATERIALIZED (SELECT set_config('app.tenant_id', $1::text, true))
       SELECT urne_preparer($2) FROM entered`,
      values,
    );
  }

  /** All voters rank all options, or choose about half of them. */
  private async vote(values: unknown[], ballots: number): Promise<void> {
    const hash = "hashtext(n || '.' || q.place || '.' || p)";
    await this.database.query(
      `WITH voted AS (UPDATE votant SET a_vote = true WHERE tenant_id = $1 AND campagne_id = $2), receipt AS (
         INSERT INTO recu (tenant_id, campagne_id, empreinte)
         SELECT $1, $2, sha256(gen_random_uuid()::text::bytea) FROM generate_series(1, $3::int)
       )
       INSERT INTO bulletin (tenant_id, campagne_id, poids, reponses)
       SELECT $1, $2, 1, ARRAY(
         SELECT (
           SELECT coalesce(string_agg(p::text, ',' ORDER BY CASE WHEN q.est_preferentiel THEN ${hash} ELSE p END), '')
           FROM generate_series(0, q.nombre_options - 1) p WHERE q.est_preferentiel OR ${hash} % 2 = 0)
         FROM urne_question q WHERE q.tenant_id = $1 AND q.campagne_id = $2 ORDER BY q.place)
       FROM generate_series(1, $3::int) n`,
      [...values, ballots],
    );
  }

  private async sent(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await this.fleet.send(
      this.url,
      this.space.partner,
      method,
      `/b2b/v1/campagnes${path}`,
      body,
    );
    if (answer.status >= 300) throw new Error(`${path} ${answer.status} ${answer.text}`);
    return answer.json;
  }
}
