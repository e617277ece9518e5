import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A key: what is known of it without its text. */
@Entity('cle')
export class Cle {
  @PrimaryColumn('uuid')
  id: string;

  /** The data space it opens; null for a key of an administrator. */
  @Column('uuid', { nullable: true })
  tenantId: string | null;

  @Column('text')
  role: string;

  @Column('text')
  nom: string;

  /** The first characters, to recognise it in a list. */
  @Column('text')
  prefixe: string;

  /** SHA-256 of the text. */
  @Column('bytea', { select: false })
  empreinte: Buffer;

  /** The modules it is restricted to; null restricts nothing. */
  @Column('text', { array: true, nullable: true })
  modules: string[] | null;

  @Column('timestamptz', { nullable: true })
  expireLe: Date | null;

  @Column('timestamptz', { nullable: true })
  revoqueLe: Date | null;

  /** When it last opened the door, to the minute. */
  @Column('timestamptz', { nullable: true })
  dernierUsage: Date | null;

  @Column('timestamptz')
  dateCreation: Date;
}

/** A key and the environment of the data space it opens. */
export type CleWithEnvironment = Cle & { environnement: string };
