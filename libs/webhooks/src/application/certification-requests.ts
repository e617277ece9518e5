import { createHash, type KeyObject } from 'node:crypto';
import { WEBHOOK_EVENTS } from '../domain/webhooks.events';
import { RULES } from '../domain/certification.rules';
import { type Scenario, SCENARIOS } from '../domain/certification.types';
import { bodyOf, headersOf } from './envelope';
import { uuidOf } from './livraison-jobs';

/** The facts from which all requests of a certification follow: a repeated scenario sends the same events. */
export interface CertificationFacts {
  readonly id: string;
  readonly webhookId: string;
  /** Random bytes. */
  readonly graine: Buffer;
  readonly dateCreation: Date;
}

/** A request of a scenario. */
export interface CertificationRequest {
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** Distance of a timestamp that must be rejected, in ms: twice what the standard accepts. */
const REJECTED_MS = 600_000;

/** Distance of the events that are sent out of order, in ms. */
const ORDER_MS = 60_000;

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/** Begins the proof of `accentsEtEmoji`: composed letters, another script, and a character beyond the first 65,536. */
const ACCENTS = 'Zoé Œuvre 李 🙂 ';

/** Events of a scenario; a duplicate sends one twice. */
const eventsOf = (nom: Scenario): number => (nom === 'doublon' ? 1 : RULES[nom].requests);

/** The proofs that the events of a scenario carry. */
export function defisOf({ graine }: Pick<CertificationFacts, 'graine'>, nom: Scenario): string[] {
  return Array.from({ length: eventsOf(nom) }, (_one, n) => {
    const defi = digest(graine, 'defi', nom, n).toString('base64url').slice(0, 16);
    return nom === 'accentsEtEmoji' ? ACCENTS + defi : defi;
  });
}

/**
 * Returns the requests of a scenario in the order in which they are sent.
 *
 * @param keys of the endpoint
 * @param stranger a key that is not the endpoint's
 */
export function requestsOf(
  facts: CertificationFacts,
  nom: Scenario,
  keys: readonly KeyObject[],
  stranger: KeyObject,
  now: Date,
): CertificationRequest[] {
  const events = defisOf(facts, nom).map((defi, n) => eventOf(facts, nom, defi, n));
  const sent = nom === 'doublon' ? [...events, ...events] : events;
  return sent.map(({ evenementId, body }, n) => {
    const signers = { mauvaisSecret: [stranger], deuxSignatures: [stranger, ...keys] };
    const signing = nom in signers ? signers[nom as keyof typeof signers] : keys;
    const headers = headersOf({ evenementId }, body, signing, timeOf(nom, now));
    if (nom === 'enTeteManquant') delete headers[HEADERS[n]!];
    return { headers, body: nom === 'corpsAltere' ? altered(body) : body };
  });
}

function eventOf(
  { id, webhookId, graine, dateCreation }: CertificationFacts,
  nom: Scenario,
  defi: string,
  n: number,
): { readonly evenementId: string; readonly body: Buffer } {
  const more = nom === 'proprieteInconnue' ? { nouveaute: { depuis: 'tomorrow' } } : {};
  const before = nom === 'desordre' ? n * ORDER_MS : 0;
  // Later scenarios have later events.
  const at = dateCreation.getTime() + SCENARIOS.indexOf(nom) * 1_000 - before;
  const data = JSON.stringify({ webhookId, certificationId: id, defi, ...more });
  const body = bodyOf({ type: WEBHOOK_EVENTS.test.type, date: new Date(at) }, data);
  return { evenementId: uuidOf(digest(graine, 'evenement', nom, n)), body };
}

function timeOf(nom: Scenario, now: Date): Date {
  const away = { horodatagePasse: -REJECTED_MS, horodatageFutur: REJECTED_MS };
  return new Date(now.getTime() + (nom in away ? away[nom as keyof typeof away] : 0));
}

/** Returns another body of the same length: its event is of another millennium. */
function altered(body: Buffer): Buffer {
  return Buffer.from(body.toString().replace('"timestamp":"2', '"timestamp":"1'));
}

function digest(graine: Buffer, ...parts: readonly (string | number)[]): Buffer {
  return createHash('sha256').update(graine).update(parts.join(' ')).digest();
}
