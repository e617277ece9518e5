import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import pLimit from 'p-limit';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import { inTurn } from '#platform/limits/list-parts';
import { EventLoopYielder } from '#platform/ops/event-loop-yielder';
import {
  type AnsweredQuestion,
  BulletinsService,
  ChiffrementService,
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
/** Encrypted ones: sealing and checking keep a processor busy for milliseconds each. */
export const MOST_ENCRYPTED_BALLOTS = 2_000;

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
  readonly isEncrypted: boolean;
}

/** Synthetic ballots. They pass the same checks as those of voters. */
@Injectable()
export class BulletinsEssaiService {
  constructor(
    private readonly bulletins: BulletinsService,
    private readonly chiffrement: ChiffrementService,
    private readonly votants: VotantsService,
    private readonly transactions: Transactions,
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
    const votedOn = await this.bulletins.votedOn(tenantId, campagneId);
    const ballot = ballotOf(votedOn?.questions ?? [], votedOn?.estChiffree ?? false);
    const votants = await this.votants.countWithRight(tenantId, campagneId);
    const wanted = Math.min(MOST_VOTERS, Math.round((votants * Number(participation)) / 100));
    const drawn = await this.votants.draw(tenantId, campagneId, graine, wanted);
    const open = drawn.filter(({ aVote }) => !aVote);
    const digest = createHash('sha256');
    const client = this.transactions.clientOf({ tenantId });
    for await (const part of inTurn(client, choicesOf(graine, drawn, ballot))) digest.update(part);
    const empreinte = digest.digest('hex');
    const atOnce = pLimit(AT_ONCE);
    const cast = await atOnce
      .map(open.slice(0, ballot.isEncrypted ? MOST_ENCRYPTED_BALLOTS : MOST_BALLOTS), (votant) =>
        this.castOne(tenantId, campagneId, graine, votant, ballot),
      )
      .finally(() => atOnce.clearQueue());
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
    { questions, options, scrutins, isEncrypted }: Ballot,
  ): Promise<boolean> {
    const choix = choixOf(graine, cle, scrutins);
    const content = isEncrypted
      ? {
          BulletinChiffre: await this.chiffrement.sealSynthetic(
            { tenantId, campagneId, votantId: id },
            choix,
          ),
        }
      : {
          Reponses: choix.map((places, at) => ({
            QuestionId: questions[at]!.id,
            Options: places.map((place) => options[at]![place]!),
            Abstention: places.length === 0,
          })),
        };
    try {
      await this.bulletins.cast(tenantId, campagneId, { VotantId: id, ...content });
      return true;
    } catch (error) {
      if (error instanceof DomainError && NO_VOTER_NOW.includes(error.code)) return false;
      throw error;
    }
  }
}

function ballotOf(questions: readonly AnsweredQuestion[], isEncrypted: boolean): Ballot {
  const options = questions.map(optionsOf);
  return {
    questions,
    options,
    isEncrypted,
    scrutins: questions.map((question, at) => ({ ...question, options: options[at]!.length })),
  };
}

/** Yields a line for each voter and its choices, as fast as other requests allow. */
async function* choicesOf(
  graine: string,
  votants: readonly DrawnVotant[],
  { scrutins }: Ballot,
): AsyncGenerator<string, void> {
  const yielder = new EventLoopYielder();
  let text = '';
  for (const { cle } of votants) {
    text += `${JSON.stringify([cle, choixOf(graine, cle, scrutins)])}\n`;
    if (!yielder.isDue) continue;
    yield text;
    text = '';
    await yielder.yield();
  }
  yield text;
}
