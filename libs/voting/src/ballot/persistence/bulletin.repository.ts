import { Injectable } from '@nestjs/common';
import type { Prelude } from '#platform/database/entered-query';
import { UNIQUE_VIOLATION, violates } from '#platform/errors/sql-errors';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import { VOTE } from '../../domain/voting.errors';
import type { AnsweredQuestion } from '../domain/bulletin.rules';
import { fr } from '#platform/errors/text';

/** The questions of one publication of a campaign; empty if it is not published. */
export interface VotedOn {
  /** How often the campaign has been published: while that stays the same, so do its questions. */
  readonly publications: number;
  readonly questions: readonly AnsweredQuestion[];
  /** Whether ballots are encrypted. */
  readonly estChiffree: boolean;
}

/** A ballot on its way into the box. */
export interface CastBulletin {
  readonly votantId: string;
  readonly publications: number;
  /** An answer to each question, in their order; or the bytes of an encrypted ballot, whose proofs hold. */
  readonly answers: readonly string[] | Uint8Array;
  /** Digest of the receipt. */
  readonly empreinte: Buffer;
}

/** Inserts ballots one by one, and never reads them (docs/adr/0014). */
@Injectable()
export class BulletinRepository {
  constructor(private readonly transactions: Transactions) {}

  /** Returns undefined for an unknown campaign. */
  async votedOn(tenantId: string, campagneId: string): Promise<VotedOn | undefined> {
    const [row] = await this.transactions.query<VotedOn & { exists: boolean }>(
      { tenantId },
      {
        name: 'bulletin_questions',
        text: `SELECT publications, chiffree AS "estChiffree", (
                 SELECT coalesce(jsonb_agg(jsonb_build_object('id', q.question_id, 'isRanked', q.est_preferentiel,
                   'minReponses', q.min_reponses, 'maxReponses', q.max_reponses, 'options', (
                     SELECT string_agg(o.option_id::text, '' ORDER BY o.place) FROM urne_option o
                     WHERE o.tenant_id = $1 AND o.campagne_id = $2 AND o.question = q.place)) ORDER BY q.place), '[]')
                 FROM urne_question q WHERE q.tenant_id = $1 AND q.campagne_id = $2
               ) AS questions
               FROM campagne WHERE tenant_id = $1 AND id_unique = $2`,
        values: [tenantId, campagneId],
      },
    );
    return row;
  }

  /**
   * Marks the voter and inserts the ballot, with the voter's current weight, union and employer, in a transaction of its
   * own. The time is read after the lock is taken.
   *
   * @param enter takes the shared lock of the campaign
   * @returns false if the vote is not open (`Campagne.assertTakesBallots`), the campaign is not the one that was
   * answered, or the voter may not vote (`Votant.assertMayVote`)
   * @throws OutcomeUnknown if the connection broke meanwhile
   * @throws DomainError `Vote.RecuDejaUtilise` for a receipt that the campaign has already, `Vote.BulletinRejoue` for an encrypted ballot
   */
  async cast(
    tenantId: string,
    campagneId: string,
    { votantId, publications, answers, empreinte }: CastBulletin,
    enter: Prelude,
  ): Promise<boolean> {
    const isEncrypted = answers instanceof Uint8Array;
    const cast = isEncrypted
      ? {
          name: 'bulletin_cast_chiffre',
          text: 'SELECT WHERE urne_voter_chiffre($1, $2, $3, $4)',
          values: [campagneId, votantId, publications, answers],
        }
      : {
          name: 'bulletin_cast',
          text: 'SELECT WHERE urne_voter($1, $2, $3, $4, $5)',
          values: [campagneId, votantId, publications, answers, empreinte],
        };
    try {
      return (await this.transactions.pipelined({ tenantId }, [enter], cast)) === 1;
    } catch (error) {
      if (['recu_pkey', 'bulletin_chiffre_recu'].every((key) => !violates(error, UNIQUE_VIOLATION, key)))
        throw error;
      if (isEncrypted) throw new DomainError(VOTE.BulletinRejoue);
      throw new DomainError(VOTE.RecuDejaUtilise, {
        en: 'A ballot of this campaign has this `EmpreinteRecu`; yours was not counted. Make another receipt and cast it again.',
        fr: fr(
          "Un bulletin de cette campagne a cette `EmpreinteRecu`; le vôtre n'a pas été compté. Produisez un autre reçu et déposez-le de nouveau.",
        ),
      });
    }
  }

  /** Whether a ballot with this receipt is in the box. */
  async hasRecu(tenantId: string, campagneId: string, empreinte: Buffer): Promise<boolean> {
    const rows = await this.transactions.query(
      { tenantId },
      {
        name: 'bulletin_recu',
        text: 'SELECT empreinte FROM recu WHERE tenant_id = $1 AND campagne_id = $2 AND empreinte = $3',
        values: [tenantId, campagneId, empreinte],
      },
    );
    return rows.length > 0;
  }
}
