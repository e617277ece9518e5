import { Column, Entity, PrimaryColumn } from 'typeorm';
import { namesOf } from '#platform/input/field';
import { type EmployeRecord, PERSONNE_FIELDS } from './employe.fields';

/** Fields that V2 writes and that a write of V1 keeps if they are absent. */
const KEPT_IF_ABSENT: ReadonlySet<string> = new Set(['adresse1', 'codePostal']);

@Entity('employe')
export class Employe {
  @PrimaryColumn('uuid')
  tenantId: string;

  @PrimaryColumn('uuid')
  idUnique: string;

  @Column('text')
  idExterne: string;

  @Column('text')
  prenom: string;

  @Column('text')
  nom: string;

  @Column('text', { nullable: true })
  noMembre: string | null;

  @Column('text', { nullable: true })
  courriel: string | null;

  @Column('text', { nullable: true })
  identifiantExterneEmployeur: string | null;

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

  /** Whether the employments are rows of their own; if not, `identifiantExterneEmployeur` stands for the only one. */
  @Column('boolean')
  aEmplois: boolean;

  @Column('timestamptz')
  derniereMAJ: Date;

  /**
   * Takes over every writable field: an absent optional one is cleared, except those of `KEPT_IF_ABSENT`; the identifier
   * stays (docs/contract.md, "Replacement").
   */
  replaceWith(record: EmployeRecord): void {
    for (const name of namesOf(PERSONNE_FIELDS)) {
      if (record[name] === undefined && KEPT_IF_ABSENT.has(name)) continue;
      Object.assign(this, { [name]: record[name] ?? null });
    }
    this.identifiantExterneEmployeur = this.aEmplois ? null : (record.identifiantExterneEmployeur ?? null);
  }
}
