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

const HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

/**
 * Returns the event of a delivery that was signed with one of the secrets at most five minutes ago.
 *
 * @param body the unparsed body
 * @param secrets the endpoint's `whsec_…`; while one is replaced, both
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
  for (const webhook of keys.map((key) => new Webhook(key))) {
    try {
      const event = webhook.verify(text, given) as Evenement;
      return { ...event, id: given['webhook-id']! };
    } catch (error) {
      reason = error;
    }
  }
  throw new WebhookError(`The webhook is refused: ${(reason as Error).message}`, { cause: reason });
}

function valueOf(headers: WebhookHeaders, name: string): string {
  if (headers instanceof Headers) return headers.get(name) ?? '';
  const value = headers[name];
  return (typeof value === 'string' ? value : value?.[0]) ?? '';
}
