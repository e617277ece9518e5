import type { Answer } from '../../setup/test-app';

/** Identifiers, ETags and cursors of a tenant's endpoints, deliveries and events. */
export interface WebhookIdentifiers {
  /** An endpoint with deliveries. */
  readonly webhook: string;
  readonly webhookInactif: string;
  readonly livraison: string;
  readonly evenement: string;
  /** A certification of that endpoint. */
  readonly certification: string;
  readonly etagWebhook: string;
  readonly etagLivraison: string;
  readonly curseurWebhooks: string;
  readonly curseurLivraisons: string;
  readonly curseurEvenements: string;
}

type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

const WEBHOOK = '/b2b/v2/webhook';

/**
 * Registers two endpoints; the first receives all later events.
 *
 * @param secret put into texts that only this tenant may read
 */
export async function registerAll(send: Send, secret: string): Promise<readonly [string, string]> {
  const types = ['adhesion.signee', 'adhesion.supprimee', 'conciliation.demandee', 'sync.terminee'];
  const made = async (rest: object): Promise<string> =>
    (await send('POST', WEBHOOK, { url: `https://hooks.example.org/${secret}`, types, ...rest })).json.id;
  return [await made({ description: `Paie ${secret}` }), await made({ actif: false })];
}

/** Returns identifiers of the events since then. */
export async function eventsOf(
  send: Send,
  cursor: (path: string) => Promise<string>,
  [webhook, webhookInactif]: readonly [string, string],
): Promise<WebhookIdentifiers> {
  const log = `${WEBHOOK}/${webhook}/livraisons`;
  const [{ id: livraison, evenementId: evenement }] = (await send('GET', log)).json;
  const { json: certification } = await send('POST', `${WEBHOOK}/${webhook}/certification`);
  const etag = async (path: string): Promise<string> => (await send('GET', path)).headers.get('etag')!;
  return {
    webhook,
    webhookInactif,
    livraison,
    evenement,
    certification: certification.id,
    etagWebhook: await etag(`${WEBHOOK}/${webhook}`),
    etagLivraison: await etag(`${log}/${livraison}`),
    curseurWebhooks: await cursor(WEBHOOK),
    curseurLivraisons: await cursor(log),
    curseurEvenements: await cursor('/b2b/v2/evenement'),
  };
}
