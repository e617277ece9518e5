import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Evenement } from './generated/partenaire/types.gen.js';

/** A delivered event, typed by its `type`. */
export type WebhookEvent = Evenement & {
  /** The `webhook-id`, the same for every attempt. */
  readonly id: string;
};

/** Headers of a request: those of Node's `http`, of a framework on it, or of `fetch`. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The delivery is not from the service, or is too old. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

/** Begins a public key, which verifies signatures `v1a`. */
const PUBLIC_KEY = 'whpk_';

/** Most seconds between the time of a delivery and now. */
const TOLERANCE_S = 300;

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/**
 * Returns the event of a delivery that was signed with one of the keys at most five minutes ago.
 *
 * @param body the unparsed body
 * @param secrets the endpoint's `whsec_…`, or `whpk_…` (`clePublique`) of one that signs `v1a`; while one is replaced, both
 * @throws WebhookError
 */
export function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secrets: string | readonly string[],
): WebhookEvent {
  const keys = [secrets].flat();
  if (keys.length === 0) throw new TypeError('A webhook cannot be verified without a secret.');
  const given = Object.fromEntries(HEADERS.map((name) => [name, valueOf(headers, name)]));
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  let reason: unknown;
  for (const webhook of keys.map(verifierOf)) {
    try {
      const event = webhook.verify(text, given) as Evenement;
      return { ...event, id: given['webhook-id']! };
    } catch (error) {
      reason = error;
    }
  }
  throw new WebhookError(`The webhook is refused: ${(reason as Error).message}`, { cause: reason });
}

function verifierOf(key: string): Pick<Webhook, 'verify'> {
  return key.startsWith(PUBLIC_KEY) ? new AsymmetricWebhook(key) : new Webhook(key);
}

/** Verifies signatures `v1a` (Ed25519), which `standardwebhooks` does not. */
class AsymmetricWebhook {
  private readonly key: KeyObject;

  /** @throws TypeError unless it is `whpk_` and 32 bytes in base64 */
  constructor(key: string) {
    const bytes = Buffer.from(key.slice(PUBLIC_KEY.length), 'base64');
    if (bytes.length !== 32) throw new TypeError('A public key is whpk_ and 32 bytes in base64.');
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') };
    this.key = createPublicKey({ format: 'jwk', key: jwk });
  }

  verify(body: string | Buffer, headers: Readonly<Record<string, string>>): unknown {
    const [id, timestamp, signatures] = HEADERS.map((name) => headers[name]);
    if (!id || !timestamp || !signatures) throw new Error('Missing required headers');
    if (!/^\d+$/.test(timestamp)) throw new Error('Invalid timestamp');
    if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > TOLERANCE_S)
      throw new Error('Message timestamp too old or too new');
    const signed = Buffer.from(`${id}.${timestamp}.${body.toString()}`);
    const isSigned = signatures
      .split(' ')
      .filter((one) => one.startsWith('v1a,'))
      .some((one) => verify(null, signed, this.key, Buffer.from(one.slice('v1a,'.length), 'base64')));
    if (!isSigned) throw new Error('No matching signature found');
    return JSON.parse(body.toString());
  }
}

function valueOf(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const value = headers[name];
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
}
