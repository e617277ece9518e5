import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DomainError } from '#platform/errors/domain-error';
import { CLIENT } from './clients.errors';
import { fr } from '#platform/errors/text';

/** Days of a suspension after which a client may be erased. */
const DAYS_BEFORE_ERASURE = 30;
const DAY_MS = 86_400_000;

/** Limits that stop a sync (docs/contract.md, "Plan and brake"). Null means no limit. */
export interface Freins {
  readonly terminaisonsPourcent: number | null;
  readonly champsVidesPourcent: number | null;
  readonly minimum: number;
  readonly jamaisSupprimer: boolean;
}

const NO_FREINS: Freins = {
  terminaisonsPourcent: null,
  champsVidesPourcent: null,
  minimum: 1,
  jamaisSupprimer: false,
};

/** Properties that an administrator writes; an absent property stays as it is. */
export interface ClientChange {
  nom?: string | null;
  modules?: string[] | null;
  limiteParMinute?: number | null;
  fuseauHoraire?: string | null;
  quotaCourrielsParJour?: number | null;
  adresseDeReponse?: string | null;
  courrielsEssai?: string[] | null;
  drapeaux?: { resultatsVoteActifVisibles?: boolean | null; seuilAnonymat?: number | null } | null;
  freins?: { [N in keyof Freins]?: Freins[N] | null } | null;
  organisation?: { contactTechnique?: string | null; casUsage?: string | null } | null;
}

/** Properties of a new client. */
export type NewClient = ClientChange & { nom: string; modules: string[] };

/** An organisation that uses the service (docs/contract.md, "Keys, tenants, environments, modules"). */
@Entity('client')
export class Client {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  nom: string;

  @Column('text', { array: true })
  modules: string[];

  /** Whether statistics show results while the vote is open. */
  @Column('boolean')
  resultatsVoteActifVisibles: boolean;

  /** Smallest number of ballots that a filtered result may show; 1 hides nothing. */
  @Column('integer')
  seuilAnonymat: number;

  /** Requests a minute of each of its keys; null is the service's default. */
  @Column('integer', { nullable: true })
  limiteParMinute: number | null;

  @Column('text', { nullable: true })
  contactTechnique: string | null;

  @Column('text', { nullable: true })
  casUsage: string | null;

  /** IANA time zone that says which day it is for the client. */
  @Column('text')
  fuseauHoraire: string;

  /** Maximum email recipients of each of its tenants in a day of its time zone. */
  @Column('integer')
  quotaCourrielsParJour: number;

  /** Where replies to its emails go; null leaves them to the sender's address. */
  @Column('text', { nullable: true })
  adresseDeReponse: string | null;

  /** Addresses and domains that e-mail of its staging data space may reach; none if empty. */
  @Column('text', { array: true })
  courrielsEssai: string[];

  /** Limits that stop its syncs. */
  @Column('json')
  freins: Freins;

  /** Start of the suspension, which rejects its keys and delays deliveries and emails; null if not suspended. */
  @Column('timestamptz', { nullable: true })
  suspenduLe: Date | null;

  /** Why it is suspended. */
  @Column('text', { nullable: true })
  raisonSuspension: string | null;

  /** When its last suspension ended. */
  @Column('timestamptz', { nullable: true })
  reprisLe: Date | null;

  /** When its erasure was requested; from then on nothing of it changes. */
  @Column('timestamptz', { nullable: true })
  suppressionDemandeeLe: Date | null;

  /** When its data spaces and keys were erased. */
  @Column('timestamptz', { nullable: true })
  effaceLe: Date | null;

  /** The cell that its next data space gets. */
  @Column({ type: 'text', update: false })
  cellule: string;

  /** The cells of its data spaces by their environments, as far as there are data spaces. */
  cellules: Readonly<Record<string, string>> = {};

  @Column('timestamptz')
  dateCreation: Date;

  /** A new client, with the default of each property that `wanted` does not give. */
  static create(id: string, cellule: string, wanted: NewClient, at: Date): Client {
    const client = Object.assign(new Client(), {
      id,
      cellule,
      resultatsVoteActifVisibles: false,
      seuilAnonymat: 1,
      limiteParMinute: null,
      fuseauHoraire: 'America/Toronto',
      quotaCourrielsParJour: 5_000,
      adresseDeReponse: null,
      courrielsEssai: [],
      freins: NO_FREINS,
      contactTechnique: null,
      casUsage: null,
      suspenduLe: null,
      raisonSuspension: null,
      reprisLe: null,
      suppressionDemandeeLe: null,
      effaceLe: null,
      dateCreation: at,
    });
    client.change(wanted);
    return client;
  }

  /** Suspends the client. One that is suspended already keeps the date, and gets the new reason. */
  suspend(raison: string, at: Date): void {
    this.suspenduLe ??= at;
    this.raisonSuspension = raison;
  }

  /** Ends a suspension. @returns false if there was none */
  resume(at: Date): boolean {
    if (this.suspenduLe === null) return false;
    this.suspenduLe = null;
    this.raisonSuspension = null;
    this.reprisLe = at;
    return true;
  }

  /**
   * Requests the erasure of the client. It cannot be taken back.
   *
   * @throws DomainError `Client.NonSuspendu` unless it has been suspended for 30 days
   */
  requestErasure(at: Date): void {
    if (!this.suspenduLe)
      throw new DomainError(CLIENT.NonSuspendu, {
        en: 'The client is not suspended. Suspend it first: it may be erased 30 days later.',
        fr: fr(
          "Le client n'est pas suspendu. Suspendez-le d'abord : il pourra être supprimé 30 jours plus tard.",
        ),
      });
    const from = new Date(this.suspenduLe.getTime() + DAYS_BEFORE_ERASURE * DAY_MS);
    if (at < from)
      throw new DomainError(CLIENT.NonSuspendu, {
        en: `The client has been suspended since ${this.suspenduLe.toISOString()}. It may be erased from ${from.toISOString()} on.`,
        fr: fr`Le client est suspendu depuis ${this.suspenduLe.toISOString()}. Il pourra être supprimé à partir de ${from.toISOString()}.`,
      });
    this.suppressionDemandeeLe = at;
  }

  /** @throws DomainError `Client.Supprime` from the request for its erasure on */
  assertNotErased(): void {
    if (this.suppressionDemandeeLe) throw new DomainError(CLIENT.Supprime);
  }

  /** Erases what the client has said of itself. Its name is free again. */
  erase(at: Date): void {
    this.effaceLe = at;
    this.change({
      nom: `Client effacé ${this.id}`,
      modules: [],
      limiteParMinute: null,
      adresseDeReponse: null,
      courrielsEssai: [],
      organisation: { contactTechnique: null, casUsage: null },
    });
  }

  /**
   * Takes over the given properties. Null clears the limit of requests, the reply address, the percents of the brake and the two texts;
   * elsewhere it changes nothing.
   */
  change({ drapeaux, organisation, ...change }: ClientChange): void {
    this.nom = change.nom ?? this.nom;
    this.modules = change.modules ?? this.modules;
    if (change.limiteParMinute !== undefined) this.limiteParMinute = change.limiteParMinute;
    this.fuseauHoraire = change.fuseauHoraire ?? this.fuseauHoraire;
    this.quotaCourrielsParJour = change.quotaCourrielsParJour ?? this.quotaCourrielsParJour;
    if (change.adresseDeReponse !== undefined) this.adresseDeReponse = change.adresseDeReponse;
    this.courrielsEssai = change.courrielsEssai ?? this.courrielsEssai;
    this.freins = changedFreins(this.freins, change.freins ?? {});
    this.resultatsVoteActifVisibles = drapeaux?.resultatsVoteActifVisibles ?? this.resultatsVoteActifVisibles;
    this.seuilAnonymat = drapeaux?.seuilAnonymat ?? this.seuilAnonymat;
    const { contactTechnique, casUsage } = organisation ?? {};
    if (contactTechnique !== undefined) this.contactTechnique = contactTechnique;
    if (casUsage !== undefined) this.casUsage = casUsage;
  }
}

function changedFreins(
  freins: Freins,
  {
    terminaisonsPourcent,
    champsVidesPourcent,
    minimum,
    jamaisSupprimer,
  }: NonNullable<ClientChange['freins']>,
): Freins {
  return {
    terminaisonsPourcent:
      terminaisonsPourcent === undefined ? freins.terminaisonsPourcent : terminaisonsPourcent,
    champsVidesPourcent: champsVidesPourcent === undefined ? freins.champsVidesPourcent : champsVidesPourcent,
    minimum: minimum ?? freins.minimum,
    jamaisSupprimer: jamaisSupprimer ?? freins.jamaisSupprimer,
  };
}
