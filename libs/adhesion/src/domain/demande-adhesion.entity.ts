import { CONCILIATION } from './adhesion.errors';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PersonneRecord } from '#membership/vocabulary';
import { DomainError } from '#platform/errors/domain-error';
import type { AsSigned } from './as-signed';
import type { StatutDemande } from './conciliation.fields';
import { fr, type Text } from '#platform/errors/text';

const DECIDED: Readonly<Record<Exclude<StatutDemande, 'ATransferer'>, Text>> = {
  Confirmee: {
    en: 'The request has been confirmed; a decision is final.',
    fr: fr('La demande a été confirmée; une décision est définitive.'),
  },
  Rejetee: {
    en: 'The request has been rejected; a decision is final.',
    fr: fr('La demande a été rejetée; une décision est définitive.'),
  },
};

/** A signing of an unknown person. It waits until the partner names the employee or rejects it. */
@Entity('demande_adhesion')
export class DemandeAdhesion implements AsSigned, Required<PersonneRecord> {
  @PrimaryColumn('uuid')
  tenantId: string;

  @PrimaryColumn('uuid')
  idUnique: string;

  @Column('text')
  statut: StatutDemande;

  @Column('text')
  syndicatIdExterne: string;

  @Column('text')
  prenom: string;

  @Column('text')
  nom: string;

  @Column('text')
  courriel: string;

  @Column('text', { nullable: true })
  telephonePrincipal: string | null;

  @Column('text', { nullable: true })
  adresse1: string | null;

  @Column('text', { nullable: true })
  ville: string | null;

  @Column('text', { nullable: true })
  province: string | null;

  @Column('text', { nullable: true })
  codePostal: string | null;

  @Column('text', { nullable: true })
  noMembre: string | null;

  @Column('timestamptz')
  dateSignature: Date;

  @Column('text', { nullable: true })
  transactionId: string | null;

  @Column('boolean')
  aSignatureManuscrite: boolean;

  @Column('uuid', { nullable: true })
  formulaireId: string | null;

  @Column('json')
  valeursChamp: object[];

  /** Custom values in V1's flat shape, for the consents of the same signing. */
  @Column('json')
  valeursChampV1: object[];

  /** The employee that a confirmation created or matched. */
  @Column('text', { nullable: true })
  idExterneEmploye: string | null;

  @Column('uuid', { nullable: true })
  adhesionId: string | null;

  @Column('text', { nullable: true })
  raison: string | null;

  @Column('timestamptz', { nullable: true })
  dateDecision: Date | null;

  /**
   * Returns true if the request is undecided, false if it was already decided this way.
   *
   * @throws DomainError `Conciliation.DejaTraitee`
   */
  awaits(decision: Exclude<StatutDemande, 'ATransferer'>): boolean {
    if (this.statut === 'ATransferer') return true;
    if (this.statut === decision) return false;
    throw new DomainError(CONCILIATION.DejaTraitee, DECIDED[this.statut]);
  }

  confirm(idExterneEmploye: string, adhesionId: string, dateDecision: Date): void {
    Object.assign(this, { statut: 'Confirmee', idExterneEmploye, adhesionId, dateDecision });
  }

  reject(raison: string, dateDecision: Date): void {
    Object.assign(this, { statut: 'Rejetee', raison, dateDecision });
  }
}
