import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import { DomainError } from '#platform/errors/domain-error';
import { EventLoopYielder } from '#platform/ops/event-loop-yielder';
import {
  type AnsweredQuestion,
  BulletinsService,
  type DrawnVotant,
  optionsOf,
  VotantsService,
  VOTANT,
  VOTE,
} from '#voting';
import type { BulletinsEssaiRecord } from '../domain/bulletins-essai.fields';
import { choixOf, type Scrutin } from '../domain/choix';

/** Maximum number of voters who vote by a seed, and of ballots of one request. */
export const MOST_VOTERS = 50_000;
export const MOST_BALLOTS = 10_000;

/** Ballots at once. Each uses a connection for one round trip. */
const AT_ONCE = 8;

/** A voter who has voted, or may not vote any more, since the draw. */
const NO_VOTER_NOW: readonly string[] = [VOTE.DejaVote.code, VOTANT.NotFound.code, VOTE.SansDroitDeVote.code];

/** Ballots of a seed. */
export interface BulletinsDeposes {
  readonly votants: number;
  readonly bulletins: number;
  readonly deposes: number;
  readonly dejaDeposes: number;
  readonly restants: number;
  readonly empreinte: string;
}

/** The questions of a campaign. */
interface Ballot {
  readonly questions: readonly AnsweredQuestion[];
  /** The ids of the options of each question. */
  readonly options: readonly (readonly string[])[];
  readonly scrutins: readonly Scrutin[];
}

/** Synthetic ballots. They pass the same checks as those of voters. */
@Injectable()
export class BulletinsEssaiService {
  constructor(
    private readonly bulletins: BulletinsService,
    private readonly votants: VotantsService,
  ) {}

  /**
   * Casts the ballots of voters whom the seed chooses. A repetition casts those that are left.
   *
   * @throws DomainError `Campagne.NotFound`, `Vote.CampagneNonOuverte`; ballots that were cast before stay
   */
  async cast(
    tenantId: string,
    campagneId: string,
    { graine, participation }: BulletinsEssaiRecord,
  ): Promise<BulletinsDeposes> {
    const ballot = ballotOf(await this.bulletins.questions(tenantId, campagneId));
    const votants = await this.votants.countWithRight(tenantId, campagneId);
    const wanted = Math.min(MOST_VOTERS, Math.round((votants * Number(participation)) / 100));
    const drawn = await this.votants.draw(tenantId, campagneId, graine, wanted);
    const open = drawn.filter(({ aVote }) => !aVote);
    const empreinte = await digestOf(graine, drawn, ballot);
    const inTurn = pLimit(AT_ONCE);
    const cast = await inTurn
      .map(open.slice(0, MOST_BALLOTS), (votant) =>
        this.castOne(tenantId, campagneId, graine, votant, ballot),
      )
      .finally(() => inTurn.clearQueue());
    return {
      votants,
      bulletins: drawn.length,
      deposes: cast.filter((isCast) => isCast).length,
      dejaDeposes: drawn.length - open.length,
      restants: open.length - cast.length,
      empreinte,
    };
  }

  /** @returns false if the voter has voted meanwhile, or may not vote any more */
  private async castOne(
    tenantId: string,
    campagneId: string,
    graine: string,
    { id, cle }: DrawnVotant,
    { questions, options, scrutins }: Ballot,
  ): Promise<boolean> {
    const Reponses = choixOf(graine, cle, scrutins).map((places, at) => ({
      QuestionId: questions[at]!.id,
      Options: places.map((place) => options[at]![place]!),
      Abstention: places.length === 0,
    }));
    try {
      await this.bulletins.cast(tenantId, campagneId, { VotantId: id, Reponses });
      return true;
    } catch (error) {
      if (error instanceof DomainError && NO_VOTER_NOW.includes(error.code)) return false;
      throw error;
    }
  }
}

function ballotOf(questions: readonly AnsweredQuestion[]): Ballot {
  const options = questions.map(optionsOf);
  return {
    questions,
    options,
    scrutins: questions.map((question, at) => ({ ...question, options: options[at]!.length })),
  };
}

/** Returns a digest of the voters and their choices. */
async function digestOf(
  graine: string,
  votants: readonly DrawnVotant[],
  { scrutins }: Ballot,
): Promise<string> {
  const digest = createHash('sha256');
  const yielder = new EventLoopYielder();
  for (const { cle } of votants) {
    digest.update(`${JSON.stringify([cle, choixOf(graine, cle, scrutins)])}\n`);
    if (yielder.isDue) await yielder.yield();
  }
  return digest.digest('hex');
}
