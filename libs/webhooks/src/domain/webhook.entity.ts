import { WEBHOOK } from './webhooks.errors';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { DomainError } from '#platform/errors/domain-error';
import type { EventType } from './event.types';
import type { WebhookRecord } from './webhook.fields';

const HOUR_MS = 3_600_000;

/** How long a replaced secret signs along, in ms. */
export const OVERLAP_MS = 24 * HOUR_MS;

/** An endpoint that has accepted nothing for this time is disabled, in ms. */
export const LONGEST_FAILURE_MS = 5 * 24 * HOUR_MS;

/** A failure is noted again after this time at the earliest, in ms. */
const NOTED_MS = HOUR_MS;

/** Result of attempts at an address. `gone`: it responded with 410. */
export interface Finding {
  readonly verdict: 'accepted' | 'failed' | 'gone';
  /** The address that was tried. */
  readonly url: string;
  /** When the attempt ended. */
  readonly at: Date;
}

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

  @Column('bytea')
  secret: Buffer;

  /** The secret before, which signs along until `secretPrecedentJusqua`. */
  @Column('bytea', { nullable: true })
  secretPrecedent: Buffer | null;

  @Column('timestamptz', { nullable: true })
  secretPrecedentJusqua: Date | null;

  /** Since when it has accepted nothing; null while it accepts. */
  @Column('timestamptz', { nullable: true })
  echecDepuis: Date | null;

  /** The last failure that was noted; null exactly if `echecDepuis` is. */
  @Column('timestamptz', { nullable: true })
  dernierEchec: Date | null;

  /** When the service disabled it; null unless it did. */
  @Column('timestamptz', { nullable: true })
  desactiveLe: Date | null;

  @Column('text', { nullable: true })
  raisonDesactivation: string | null;

  @Column({ type: 'timestamptz', update: false, insert: false })
  dateCreation: Date;

  /** Set by the database at each change that partners see. */
  @Column({ type: 'timestamptz', insert: false })
  derniereMAJ: Date;

  /** A new endpoint without failures. */
  static register(tenantId: string, idUnique: string, record: WebhookRecord, secret: Buffer): Webhook {
    return Object.assign(new Webhook(), {
      ...{ tenantId, idUnique, secret, url: record.url, types: record.types },
      actif: record.actif ?? true,
      description: record.description ?? null,
      ...{ secretPrecedent: null, secretPrecedentJusqua: null },
      ...{ echecDepuis: null, dernierEchec: null, desactiveLe: null, raisonDesactivation: null },
    });
  }

  /** Replaces the properties that partners write. Another address, or an activation, clears the failures. */
  replaceWith({ url, types, actif: sent, description }: WebhookRecord): void {
    const actif = sent ?? true;
    if (url !== this.url || (actif && !this.actif)) this.clearFailures();
    if (actif) Object.assign(this, { desactiveLe: null, raisonDesactivation: null });
    Object.assign(this, { url, types, actif, description: description ?? null });
  }

  /**
   * Replaces the secret. The old one signs along for 24 hours; the one before it does not any more.
   *
   * @returns until when the old one signs along
   */
  rotateSecret(secret: Buffer, at: Date): Date {
    const until = new Date(at.getTime() + OVERLAP_MS);
    Object.assign(this, { secret, secretPrecedent: this.secret, secretPrecedentJusqua: until });
    return until;
  }

  /** Returns the secrets that sign at a moment, the present one first. */
  secretsAt(at: Date): Buffer[] {
    const { secret, secretPrecedent, secretPrecedentJusqua } = this;
    const signsAlong = secretPrecedent && secretPrecedentJusqua && secretPrecedentJusqua > at;
    return signsAlong ? [secret, secretPrecedent] : [secret];
  }

  /** Whether it subscribes to a type of event. `webhook.test` goes to every endpoint. */
  hears(type: string): boolean {
    const types: readonly string[] = this.types;
    return type === 'webhook.test' || types.includes(type);
  }

  /** Whether deliveries of a type are sent to it. */
  takes(type: string): boolean {
    return this.actif && this.hears(type);
  }

  /** @throws DomainError `Webhook.Inactif` */
  assertActive(): void {
    if (this.actif) return;
    const detail = 'Nothing is sent to an endpoint that is not active: set `actif` first.';
    throw new DomainError(WEBHOOK.Inactif, detail);
  }

  /** @throws DomainError `Webhook.Inactif`, `Webhook.TypeNonAbonne` */
  assertTakes(type: string): void {
    this.assertActive();
    if (this.hears(type)) return;
    const detail = `The endpoint does not hear of ${type} any more: add it to \`types\` first.`;
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
   * Notes a finding: a 410 disables the endpoint, and so do five days of failure. After five days without an attempt the
   * five days begin again: one failure does not disable an endpoint that nothing was sent to for weeks.
   *
   * @returns what has changed: the endpoint was disabled, only its health, or nothing (undefined)
   */
  note(finding: Finding): 'disabled' | 'health' | undefined {
    if (!this.isNews(finding)) return undefined;
    const { verdict, at } = finding;
    if (verdict === 'gone') return this.disable(at, 'The receiver answered 410 Gone.');
    if (verdict === 'accepted') {
      this.clearFailures();
      return 'health';
    }
    const goesOn = this.dernierEchec && ms(this.dernierEchec, at) < LONGEST_FAILURE_MS;
    const since = (goesOn && this.echecDepuis) || at;
    Object.assign(this, { echecDepuis: since, dernierEchec: at });
    const isTooLong = ms(since, at) >= LONGEST_FAILURE_MS;
    return isTooLong && this.actif ? this.disable(at, 'No attempt has succeeded for five days.') : 'health';
  }

  private disable(desactiveLe: Date, raisonDesactivation: string): 'disabled' {
    Object.assign(this, { actif: false, desactiveLe, raisonDesactivation });
    return 'disabled';
  }

  private clearFailures(): void {
    Object.assign(this, { echecDepuis: null, dernierEchec: null });
  }
}

function ms(from: Date, to: Date): number {
  return to.getTime() - from.getTime();
}
