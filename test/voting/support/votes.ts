import { times } from '../../membership/synced';
import type { Answer, TestApp } from '../../setup/test-app';
import { Campaigns } from './campaigns';

interface Asked {
  readonly Id: string;
  readonly Options: readonly { readonly Id: string }[];
}

/** An open vote on one question, and others if asked for. */
export interface Vote {
  readonly id: string;
  readonly question: Asked;
  readonly others?: readonly Asked[];
  /** Ids of voters, in the order of the roll. */
  readonly voters: readonly string[];
}

/** Casts ballots in one data space. */
export class Votes {
  private constructor(
    private readonly app: TestApp,
    readonly campaigns: Campaigns,
    readonly platform: { cle: string },
  ) {}

  /** @param campaigns those of a new tenant if absent */
  static async of(app: TestApp, campaigns?: Campaigns): Promise<Votes> {
    const space = campaigns ?? new Campaigns(app, await app.tenant());
    return new Votes(app, space, await app.platformOf(space.tenant));
  }

  /** Returns the same data space through another replica. */
  by(app: TestApp): Votes {
    return new Votes(app, new Campaigns(app, this.campaigns.tenant), this.platform);
  }

  /**
   * An open vote with voters on one question: for or against, unless `question` says otherwise.
   *
   * @param voter fields of the voter of each number, beside a name
   * @param more further questions
   */
  async opened(
    voters = 1,
    question: object = {},
    voter: (number: number) => object = () => ({}),
    more: readonly object[] = [],
  ): Promise<Vote> {
    const { campaigns } = this;
    const id = await campaigns.draft();
    for (const one of [question, ...more]) await campaigns.question(id, one);
    const records = times(voters, (n) => ({ Identifiant: `V-${n}`, Prenom: 'Zoé', Nom: 'Roy', ...voter(n) }));
    await campaigns.sent('POST', `/${id}/votants/upsert`, records);
    await campaigns.sent('POST', `/${id}/publier`);
    await campaigns.sent('POST', `/${id}/ouvrir`);
    const [asked, ...others] = (await campaigns.sent('GET', `/${id}/questions`)).json;
    const roll = await campaigns.rows<{ id: string }>(
      `SELECT id_unique AS id FROM votant WHERE tenant_id = $1 AND campagne_id = $2 ORDER BY date_creation, id_unique`,
      id,
    );
    return { id, question: asked, others, voters: roll.map((one) => one.id) };
  }

  cast(id: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
    return this.app.send(this.platform, 'POST', `/plateforme/v1/campagnes/${id}/bulletins`, body, headers);
  }

  /** Reads what the platform may read of campaigns. */
  platformGet(rest: string): Promise<Answer> {
    return this.app.send(this.platform, 'GET', `/plateforme/v1/campagnes${rest}`);
  }

  /** Casts a ballot for an option by its place, which must succeed. @returns the receipt */
  async voted(vote: Vote, voter: number, option = 0): Promise<string> {
    const { status, text, json } = await this.cast(vote.id, ballot(vote, voter, option));
    if (status !== 201) throw new Error(text);
    return json.Recu as string;
  }

  box(id: string): Promise<{ poids: string; reponses: string[]; syndicat: string | null }[]> {
    return this.campaigns.rows(
      `SELECT poids::text, reponses, syndicat_id_externe AS syndicat FROM bulletin
       WHERE tenant_id = $1 AND campagne_id = $2 ORDER BY reponses`,
      id,
    );
  }

  /** Numbers of voters who have voted. */
  async aVote(id: string): Promise<number> {
    const [row] = await this.campaigns.rows<{ count: number }>(
      'SELECT count(*) FILTER (WHERE a_vote)::int AS count FROM votant WHERE tenant_id = $1 AND campagne_id = $2',
      id,
    );
    return row!.count;
  }
}

/** A voter's ballot for the option at a place, or with an answer that differs from one for the first. */
export function ballot({ question, voters }: Vote, voter = 0, answer: number | object = 0): object {
  const Options = [question.Options[typeof answer === 'number' ? answer : 0]!.Id];
  const rest = typeof answer === 'number' ? {} : answer;
  return { VotantId: voters[voter], Reponses: [{ QuestionId: question.Id, Options, ...rest }] };
}
