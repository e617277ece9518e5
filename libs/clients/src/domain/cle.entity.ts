import { CLE } from '#access/access.errors';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ModuleName, Role } from '#access/caller';
import { DomainError } from '#platform/errors/domain-error';
import { generateKey, type KeyKind } from './api-key';
import type { Client } from './client.entity';
import { fr, type Text } from '#platform/errors/text';

/** Properties of a new key. */
export interface NewCle {
  readonly nom: string;
  readonly role: Role;
  readonly modules?: ModuleName[] | null;
  readonly expireLe?: Date | null;
}

const REVOKED: Text = {
  en: 'The key in X-Api-Key was revoked.',
  fr: fr('La clé dans X-Api-Key a été révoquée.'),
};
const EXPIRED: Text = {
  en: 'The key in X-Api-Key has expired.',
  fr: fr('La clé dans X-Api-Key est expirée.'),
};

/** A key. Its text is not stored. */
@Entity('cle')
export class Cle {
  @PrimaryColumn('uuid')
  id: string;

  /** The data space it opens; null for a key of an administrator. */
  @Column('uuid', { nullable: true })
  tenantId: string | null;

  @Column('text')
  role: Role;

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

  /** Last use, updated at most once a minute. */
  @Column('timestamptz', { nullable: true })
  dernierUsage: Date | null;

  @Column('timestamptz')
  dateCreation: Date;

  /** The time from issue to expiry, in ms; null for a key without expiry. A rotation ends the key sooner and leaves this. */
  @Column('double precision', { nullable: true })
  vieMs: number | null;

  /**
   * Makes a key for a tenant, or for an administrator if `tenantId` is null.
   *
   * @returns the key and its text, which is not stored
   */
  static issue(
    id: string,
    tenantId: string | null,
    kind: KeyKind,
    wanted: NewCle,
    at: Date,
  ): { cle: Cle; text: string } {
    const { cle: text, prefixe, empreinte } = generateKey(kind);
    const cle = Object.assign(new Cle(), {
      ...{ id, tenantId, prefixe, empreinte },
      role: wanted.role,
      nom: wanted.nom,
      modules: wanted.modules ?? null,
      expireLe: wanted.expireLe ?? null,
      vieMs: wanted.expireLe ? wanted.expireLe.getTime() - at.getTime() : null,
      revoqueLe: null,
      dernierUsage: null,
      dateCreation: at,
    });
    return { cle, text };
  }

  /** Revokes the key for good. A revoked key keeps its first date. */
  revoke(at: Date): void {
    this.revoqueLe ??= at;
  }

  /** The properties of a key that replaces this one. One that expires gets as long a life as this key was issued with. */
  successor(at: Date): NewCle {
    const { nom, role, modules, vieMs } = this;
    return {
      ...{ nom, role, modules: modules as ModuleName[] | null },
      expireLe: vieMs === null ? null : new Date(at.getTime() + vieMs),
    };
  }

  /**
   * Ends the key once a replacement has been issued, at a later time or at once. An earlier end stays.
   *
   * @throws DomainError `Cle.DejaTerminee` if the key is revoked or has expired
   */
  endAfterReplacement(at: Date, end: Date): void {
    if (!this.isActive(at)) throw new DomainError(CLE.DejaTerminee);
    if (!this.expireLe || this.expireLe > end) this.expireLe = end;
  }

  /** Whether the key works at a moment: it is not revoked, and `expireLe` is later. */
  isActive(at: Date): boolean {
    return !this.revoqueLe && (!this.expireLe || this.expireLe > at);
  }

  /** @throws DomainError `Cle.Invalide` unless the key is active */
  assertActive(at: Date): void {
    if (this.isActive(at)) return;
    throw new DomainError(CLE.Invalide, this.revoqueLe ? REVOKED : EXPIRED);
  }

  /**
   * Returns the modules that the key opens: those of its client that the key does not exclude (docs/contract.md,
   * "Modules").
   */
  modulesOf(client: Pick<Client, 'modules'>): ModuleName[] {
    const excludes = (name: string): boolean => this.modules !== null && !this.modules.includes(name);
    return client.modules.filter((name) => !excludes(name)) as ModuleName[];
  }
}

/** A key and the environment of the data space it opens. */
export type CleWithEnvironment = Cle & { environnement: string };
