import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ObjetConsentementRecord } from './objet-consentement.fields';

/** Something that a person may consent to, such as a newsletter. */
@Entity('objet_consentement')
export class ObjetConsentement {
  @PrimaryColumn('uuid')
  tenantId: string;

  @PrimaryColumn('uuid')
  idUnique: string;

  @Column('text')
  idExterne: string;

  @Column('text')
  nom: string;

  @Column('timestamptz')
  derniereMAJ: Date;

  /** Takes over every writable field; the identifier stays. */
  replaceWith(record: ObjetConsentementRecord): void {
    this.nom = record.nom;
  }
}
