import { POINT } from './meeting.errors';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DomainError, type InputFault, invalidRequest } from '#platform/errors/domain-error';
import { decimalOf } from '#platform/input/decimal';
import { isAdopted } from './majorite';
import type { Majorite, PointRecord, TypeVote } from './point.fields';
import type { Resultat } from './resultat';
import { fr, type Text } from '#platform/errors/text';

const VOTABLE_ONLY: Text = {
  en: 'is for a votable point only',
  fr: fr('sert à un point votable seulement'),
};

/** A point of the agenda of a meeting, with the result of its vote (docs/contract.md, "Meetings"). */
@Entity('point_seance')
export class Point {
  @PrimaryColumn({ type: 'uuid', update: false })
  tenantId: string;

  /** Given by the database unless the caller brings one. */
  @PrimaryColumn({ type: 'uuid', update: false })
  idUnique: string;

  @Column({ type: 'uuid', update: false })
  seanceId: string;

  @Column({ type: 'text', update: false })
  titre: string;

  @Column({ type: 'integer', update: false })
  ordre: number;

  @Column({ type: 'boolean', update: false })
  votable: boolean;

  /** Null for a point without a vote, as is the majority. */
  @Column({ type: 'text', nullable: true, update: false })
  typeVote: TypeVote | null;

  @Column({ type: 'text', nullable: true, update: false })
  majorite: Majorite | null;

  /** Null until a result is recorded, as are the other counts, the weights and `adopte`. */
  @Column('integer', { nullable: true })
  pour: number | null;

  @Column('integer', { nullable: true })
  contre: number | null;

  @Column('integer', { nullable: true })
  abstentions: number | null;

  /** Exact decimal number, as text. */
  @Column('numeric', { nullable: true })
  poidsPour: string | null;

  @Column('numeric', { nullable: true })
  poidsContre: string | null;

  @Column('numeric', { nullable: true })
  poidsAbstentions: string | null;

  /** Whether the proposal was adopted by the rule that held when its result was recorded. */
  @Column('boolean', { nullable: true })
  adopte: boolean | null;

  /**
   * A new point without a result, with the default of each property that the record does not give.
   *
   * @throws DomainError `Requete.Invalide` for a vote's property of a point without a vote
   */
  static of(tenantId: string, seanceId: string, record: PointRecord): Point {
    const { titre, ordre, votable, typeVote, majorite } = record;
    const faults = Object.entries({ typeVote, majorite }).flatMap(([name, value]): InputFault[] =>
      votable || value == null ? [] : [{ pointer: `/${name}`, code: 'range', detail: VOTABLE_ONLY }],
    );
    if (faults.length > 0) throw invalidRequest(faults);
    return Object.assign(new Point(), {
      ...{ tenantId, seanceId, titre, ordre, votable },
      typeVote: votable ? (typeVote ?? 'secret') : null,
      majorite: votable ? (majorite ?? 'simple') : null,
    });
  }

  /**
   * Replaces the result, and computes whether the proposal is adopted. Presences do not limit a result: members vote for
   * others, leave early or join late.
   *
   * @throws DomainError `Point.NonVotable`
   */
  record(resultat: Resultat): void {
    if (this.majorite === null)
      throw new DomainError(POINT.NonVotable, {
        en: 'The point is not put to the vote: it can have no result.',
        fr: fr("Le point n'est pas soumis au vote : il ne peut pas avoir de résultat."),
      });
    Object.assign(this, resultat);
    this.adopte = isAdopted(this.majorite, {
      pour: decimalOf(resultat.poidsPour),
      contre: decimalOf(resultat.poidsContre),
      abstentions: decimalOf(resultat.poidsAbstentions),
    });
  }
}
