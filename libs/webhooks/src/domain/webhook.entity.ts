import { WEBHOOK } from './webhooks.errors';
import { WEBHOOK_EVENTS } from './webhooks.events';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DomainError } from '#platform/errors/domain-error';
import type { EventType } from './event.types';
import type { WebhookRecord } from './webhook.fields';
import type { Signature } from './webhook.types';
import { fr, type Text } from '#platform/errors/text';

const HOUR_MS = 3_600_000;

/** Time for which a replaced secret also signs, in ms. */
export const OVERLAP_MS = 24 * HOUR_MS;

/** Replaced secrets that may sign at a time. */
const MOST_REPLACED = 5;

/** An endpoint that has accepted nothing for this time is disabled, in ms. */
export const LONGEST_FAILURE_MS = 5 * 24 * HOUR_MS;

/** Minimum time between two noted failures, in ms. */
const NOTED_MS = HOUR_MS;

/** Result of attempts at an address. `gone`: it responded with 410. */
export interface Finding {
  readonly verdict: 'accepted' | 'failed' | 'gone';
  /** Address of the attempt. */
  readonly url: string;
  /** End of the attempt. */
  readonly at: Date;
}

/** A key that signs: sealed, and with its public part if it has one. */
export interface SealedKey {
  readonly sealed: Buffer;
  /** `whpk_…`; null for a secret. */
  readonly clePublique: string | null;
}

/** Reasons for which the service disables an endpoint. The endpoint and its event have the English one, the e-mail the French one. */
export const DISABLED_BECAUSE = {
  gone: {
    en: 'The receiver answered 410 Gone.',
    fr: fr('Le récepteur a répondu 410 Gone.'),
  },
  failing: {
    en: 'No attempt has succeeded for five days.',
    fr: fr("Aucune tentative n'a réussi depuis cinq jours."),
  },
} as const satisfies Record<string, Text>;

/** An endpoint that receives events (docs/contract.md, "Endpoints"). Its secrets are sealed. */
@Entity('webhook')
export class Webhook {
  @PrimaryColumn({ type: 'uuid', update: false })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid', update: false })
  idUnique: string;

  @Column('text')
  url: string;

  @Column('text', { array: true })
  types: EventType[];

  @Column('boolean')
  actif: boolean;

  @Column('text', { nullable: true })
  description: string | null;

  /** Signature of the next key, made by a rotation. */
  @Column('text')
  signature: Signature;

  /** Public part of the present key; null if that is a secret. */
  @Column('text', { nullable: true })
  clePublique: string | null;

  /** The present key, a secret or a private key. */
  @Column('bytea')
  secret: Buffer;

  /** The previous secret, which also signs until `secretPrecedentJusqua`. */
  @Column('bytea', { nullable: true })
  secretPrecedent: Buffer | null;

  @Column('timestamptz', { nullable: true })
  secretPrecedentJusqua: Date | null;

  /** The replaced secrets before that one, which sign until the times at the same places, the newest first. */
  @Column('bytea', { array: true })
  secretsAnciens: Buffer[];

  @Column('timestamptz', { array: true })
  secretsAnciensJusqua: Date[];

  /** Start of the present series of failures; null after a success. */
  @Column('timestamptz', { nullable: true })
  echecDepuis: Date | null;

  /** The last noted failure; null if and only if `echecDepuis` is. */
  @Column('timestamptz', { nullable: true })
  dernierEchec: Date | null;

  /** Time at which the service disabled it, or null. */
  @Column('timestamptz', { nullable: true })
  desactiveLe: Date | null;

  @Column('text', { nullable: true })
  raisonDesactivation: string | null;

  @Column({ type: 'timestamptz', update: false, insert: false })
  dateCreation: Date;

  /** Set by the database at each change that partners see. */
  @Column({ type: 'timestamptz', insert: false })
  derniereMAJ: Date;

  /** Returns a new endpoint without failures. */
  static register(tenantId: string, idUnique: string, record: WebhookRecord, key: SealedKey): Webhook {
    const { sealed: secret, clePublique } = key;
    return Object.assign(new Webhook(), {
      ...{ tenantId, idUnique, secret, clePublique, url: record.url, types: record.types },
      signature: signatureOf(record),
      actif: record.actif ?? true,
      description: record.description ?? null,
      ...{ secretPrecedent: null, secretPrecedentJusqua: null, secretsAnciens: [], secretsAnciensJusqua: [] },
      ...{ echecDepuis: null, dernierEchec: null, desactiveLe: null, raisonDesactivation: null },
    });
  }

  /** Replaces the properties that partners write. A new address or an activation clears the failures. */
  replaceWith(record: WebhookRecord): void {
    const { url, types, actif: sent, description } = record;
    const actif = sent ?? true;
    if (url !== this.url || (actif && !this.actif)) this.clearFailures();
    if (actif) Object.assign(this, { desactiveLe: null, raisonDesactivation: null });
    Object.assign(this, {
      url,
      types,
      actif,
      description: description ?? null,
      signature: signatureOf(record),
    });
  }

  /**
   * Replaces the secret. The old one also signs for 24 hours.
   *
   * @returns the end of the 24 hours
   * @throws DomainError `Webhook.RotationsTropNombreuses` if as many replaced ones as may sign still do
   */
  rotateSecret({ sealed: secret, clePublique }: SealedKey, at: Date): Date {
    const replaced = this.replacedAt(at);
    const oldest = replaced.at(-1);
    if (oldest && replaced.length >= MOST_REPLACED) {
      const until = oldest.until.toISOString();
      const detail = {
        en: `${MOST_REPLACED} replaced secrets still sign, each for 24 hours. Rotate again after ${until}.`,
        fr: fr`${MOST_REPLACED} secrets remplacés signent encore, chacun pendant 24 heures. Renouvelez de nouveau le secret après ${until}.`,
      };
      throw new DomainError(WEBHOOK.RotationsTropNombreuses, detail);
    }
    const until = new Date(at.getTime() + OVERLAP_MS);
    Object.assign(this, {
      ...{ secret, clePublique, secretPrecedent: this.secret, secretPrecedentJusqua: until },
      secretsAnciens: replaced.map((one) => one.secret),
      secretsAnciensJusqua: replaced.map((one) => one.until),
    });
    return until;
  }

  /** Returns the secrets that sign at a moment, the present one first. */
  secretsAt(at: Date): Buffer[] {
    return [this.secret, ...this.replacedAt(at).map(({ secret }) => secret)];
  }

  /** Returns the replaced secrets that sign at a moment, the newest first. */
  private replacedAt(at: Date): { secret: Buffer; until: Date }[] {
    const replaced = this.secretsAnciens.map((secret, place) => ({
      secret,
      until: this.secretsAnciensJusqua[place]!,
    }));
    if (this.secretPrecedent && this.secretPrecedentJusqua)
      replaced.unshift({ secret: this.secretPrecedent, until: this.secretPrecedentJusqua });
    return replaced.filter(({ until }) => until > at);
  }

  /** Whether it subscribes to a type of event. `webhook.test` goes to every endpoint. */
  subscribesTo(type: string): boolean {
    const types: readonly string[] = this.types;
    return type === WEBHOOK_EVENTS.test.type || types.includes(type);
  }

  /** Whether deliveries of a type are sent to it; in SQL it is `takes` (webhook.sql.ts). */
  takes(type: string): boolean {
    return this.actif && this.subscribesTo(type);
  }

  /** @throws DomainError `Webhook.Inactif` */
  assertActive(): void {
    if (this.actif) return;
    throw new DomainError(WEBHOOK.Inactif);
  }

  /** @throws DomainError `Webhook.Inactif`, `Webhook.TypeNonAbonne` */
  assertTakes(type: string): void {
    this.assertActive();
    if (this.subscribesTo(type)) return;
    const detail = {
      en: `The endpoint no longer subscribes to ${type}. Add it to \`types\` first.`,
      fr: fr`Le webhook n'est plus abonné à ${type}. Ajoutez-le d'abord à \`types\`.`,
    };
    throw new DomainError(WEBHOOK.TypeNonAbonne, detail);
  }

  /**
   * Whether a finding would change the endpoint. A success clears known failures. A failure counts for the address that was
   * tried; it is noted when it is the first one, once an hour, and when it disables.
   */
  isNews({ verdict, url, at }: Finding): boolean {
    if (verdict === 'accepted') return this.echecDepuis !== null;
    if (url !== this.url) return false;
    if (verdict === 'gone') return this.actif;
    const { echecDepuis, dernierEchec } = this;
    if (!echecDepuis || !dernierEchec) return true;
    return ms(dernierEchec, at) >= NOTED_MS || ms(echecDepuis, at) >= LONGEST_FAILURE_MS;
  }

  /**
   * Notes a finding: a 410 or five days of failures disable the endpoint. After five days without an attempt, the five days
   * begin again, because one failure must not disable an endpoint that was idle for weeks.
   *
   * @returns what has changed: the endpoint was disabled, only its health, or nothing (undefined)
   */
  note(finding: Finding): 'disabled' | 'health' | undefined {
    if (!this.isNews(finding)) return undefined;
    const { verdict, at } = finding;
    if (verdict === 'gone') return this.disable(at, DISABLED_BECAUSE.gone.en);
    if (verdict === 'accepted') {
      this.clearFailures();
      return 'health';
    }
    const goesOn = this.dernierEchec && ms(this.dernierEchec, at) < LONGEST_FAILURE_MS;
    const since = (goesOn && this.echecDepuis) || at;
    Object.assign(this, { echecDepuis: since, dernierEchec: at });
    const isTooLong = ms(since, at) >= LONGEST_FAILURE_MS;
    return isTooLong && this.actif ? this.disable(at, DISABLED_BECAUSE.failing.en) : 'health';
  }

  private disable(desactiveLe: Date, raisonDesactivation: string): 'disabled' {
    Object.assign(this, { actif: false, desactiveLe, raisonDesactivation });
    return 'disabled';
  }

  private clearFailures(): void {
    Object.assign(this, { echecDepuis: null, dernierEchec: null });
  }
}

/** Returns the signature that a record asks for. */
export function signatureOf({ signature }: Pick<WebhookRecord, 'signature'>): Signature {
  return signature ?? 'v1';
}

function ms(from: Date, to: Date): number {
  return to.getTime() - from.getTime();
}
