import type { Actor } from '#platform/audit/actor';

/** Roles of keys, one a surface (docs/contract.md, "Surfaces"). */
export const ROLES = ['partenaire', 'plateforme', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Modules that a client may have and a key may be restricted to (docs/contract.md, "Modules"). */
export const MODULES = ['carteMembre', 'vote', 'voteEnSeance'] as const;
export type ModuleName = (typeof MODULES)[number];

export const ENVIRONMENTS = ['production', 'staging'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/** The caller of a request, from its key. */
export interface Caller {
  readonly cleId: string;
  readonly role: Role;
  /** The data space of the key; absent for administrators, who have none. */
  readonly tenantId?: string;
  readonly clientId?: string;
  readonly clientNom?: string;
  readonly environnement?: Environment;
  /** Modules this key may use: those of the client that the key does not exclude. */
  readonly modules: readonly ModuleName[];
  /** Requests a minute, over all replicas. */
  readonly limiteParMinute: number;
  /** E-mails a day of the data space; absent for administrators. */
  readonly courrielsParJour?: number;
  /** Whether the client is suspended; absent for administrators. */
  readonly isSuspended?: boolean;
}

/** An actor whose modules decide what it may do or see. */
export interface ActorWithModules {
  readonly actor: Actor;
  /** The modules that the key may use. */
  readonly modules: readonly ModuleName[];
}
