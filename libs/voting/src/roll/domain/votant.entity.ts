import { VOTANT, VOTE } from '../../domain/voting.errors';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DomainError } from '#platform/errors/domain-error';
import { decimalOf } from '#platform/input/decimal';
import type { VotantRecord } from './votant.fields';
import { fr, type Text } from '#platform/errors/text';

/** Properties of a voter that a cast ballot fixes, with their columns. The right and the weight are fixed beside them. */
export const FIXED_BY_VOTE = {
  Identifiant: 'identifiant',
  EmployeIdExterne: 'employeIdExterne',
  SyndicatIdExterne: 'syndicatIdExterne',
  EmployeurIdentifiantExterne: 'employeurIdentifiantExterne',
} as const satisfies Partial<Record<keyof VotantRecord, string>>;

const FIXED_NAMES = Object.keys(FIXED_BY_VOTE) as (keyof typeof FIXED_BY_VOTE)[];

/** The error for a change that a voter who has voted does not allow; lists of voters answer the same. */
export const FIXED_ONCE_VOTED = {
  error: VOTANT.AVote,
  message: {
    en: 'The voter has voted: only Prenom, Nom and Courriel may change. Leave the other properties out, or send them as they are.',
    fr: fr(
      'Le votant a voté : seuls Prenom, Nom et Courriel peuvent changer. Omettez les autres propriétés, ou envoyez-les telles quelles.',
    ),
  },
} as const;

const STAYS: Text = {
  en: 'The voter has voted and stays on the roll.',
  fr: fr('Le votant a voté et reste sur la liste électorale.'),
};
const HAS_VOTED: Text = {
  en: 'The voter has voted. That ballot is counted and cannot be changed.',
  fr: fr('Le votant a voté. Son bulletin est compté et ne peut pas être modifié.'),
};
const NO_RIGHT: Text = {
  en: 'The voter does not have the right to vote.',
  fr: fr("Le votant n'a pas le droit de vote."),
};

/**
 * A voter on the roll of a campaign (docs/contract.md, "Voters"), with the columns that rules depend on; `VotantsBulk`
 * writes them and the others. The campaign decides whether its roll may change at all.
 */
@Entity('votant')
export class Votant {
  @PrimaryColumn({ type: 'uuid', update: false })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid', update: false })
  campagneId: string;

  @PrimaryColumn({ type: 'uuid', update: false })
  idUnique: string;

  @Column('text', { nullable: true })
  identifiant: string | null;

  @Column('text', { nullable: true })
  employeIdExterne: string | null;

  @Column('text', { nullable: true })
  syndicatIdExterne: string | null;

  @Column('text', { nullable: true })
  employeurIdentifiantExterne: string | null;

  @Column('boolean')
  aDroitDeVote: boolean;

  /** Set only by the database function that casts a ballot. */
  @Column({ type: 'boolean', update: false, insert: false })
  aVote: boolean;

  /** Exact decimal number, as text. */
  @Column('numeric')
  poids: string;

  /** Whether the right to vote may be taken away: not once the voter has voted. */
  get mayLoseDroitDeVote(): boolean {
    return !this.aVote;
  }

  /**
   * Checks that a change leaves a cast ballot as it is. After the voter has voted, only names and address may change, because
   * every count of a filter must have the same people. Properties that are absent do not change.
   *
   * @throws DomainError `Votant.AVote`
   */
  assertMayBecome(record: VotantRecord): void {
    if (!this.aVote) return;
    const { ADroitDeVote, Poids } = record;
    const losesDroitDeVote = ADroitDeVote === false;
    const isReweighted = Poids != null && decimalOf(Poids) !== decimalOf(this.poids);
    const isSomebodyElse = FIXED_NAMES.some(
      (name) => record[name] !== undefined && record[name] !== this[FIXED_BY_VOTE[name]],
    );
    if (losesDroitDeVote || isReweighted || isSomebodyElse)
      throw new DomainError(FIXED_ONCE_VOTED.error, FIXED_ONCE_VOTED.message);
  }

  /** Checks that the voter may be taken off the roll. @throws DomainError `Votant.AVote` */
  assertRemovable(): void {
    if (this.aVote) throw new DomainError(VOTANT.AVote, STAYS);
  }

  /** Checks that the voter may vote. @throws DomainError `Vote.DejaVote`, `Vote.SansDroitDeVote` */
  assertMayVote(): void {
    if (this.aVote) throw new DomainError(VOTE.DejaVote, HAS_VOTED);
    if (!this.aDroitDeVote) throw new DomainError(VOTE.SansDroitDeVote, NO_RIGHT);
  }
}
