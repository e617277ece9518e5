import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { EmployeurRecord } from './employeur.fields';

@Entity('employeur')
export class Employeur {
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
  replaceWith(record: EmployeurRecord): void {
    this.nom = record.nom;
  }
}
