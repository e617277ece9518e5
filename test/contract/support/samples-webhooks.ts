import { each, ifMatch, ifNoneMatch, pages, type Sample, type Samples } from './sample';
import type { Identifiers } from './spaces';

const WEBHOOK = '/b2b/v2/webhook';
const EVENEMENT = '/b2b/v2/evenement';
const MINE = { url: 'https://hooks.example.org/mandat', types: ['adhesion.signee'] };

/** Ids of `asked` that are not ids of endpoints. */
function otherIds(asked: Identifiers): string[] {
  return [asked.livraison, asked.evenement, asked.adhesion, asked.formulaire];
}

/** An operation on an endpoint: the caller's own, another tenant's and an unknown one. */
function onWebhooks(asked: Identifiers, own: Identifiers, end: string, body?: object): Sample[] {
  return [own.webhook, asked.webhook, asked.webhookInactif, ...otherIds(asked)].map((id) => ({
    path: `${WEBHOOK}/${id}${end}`,
    ...(body ? { body } : {}),
  }));
}

/** A delivery and its endpoint: either id may be another tenant's. */
function onLivraisons(asked: Identifiers, own: Identifiers, end = ''): Sample[] {
  return [
    [own.webhook, own.livraison],
    [own.webhook, asked.livraison],
    [asked.webhook, asked.livraison],
    [asked.webhook, own.livraison],
    [own.webhook, asked.evenement],
  ].map(([webhook, livraison]) => ({ path: `${WEBHOOK}/${webhook}/livraisons/${livraison}${end}` }));
}

/** Endpoints, deliveries and events. */
export const WEBHOOK_SAMPLES: Readonly<Record<string, Samples>> = {
  'GET /b2b/v2/webhook': (asked) => pages(WEBHOOK, asked.curseurWebhooks),
  'GET /b2b/v2/webhook/:id': (asked, own) => [
    ...onWebhooks(asked, own, ''),
    ifNoneMatch(`${WEBHOOK}/${asked.webhook}`, asked.etagWebhook),
  ],
  'POST /b2b/v2/webhook': (asked) => [{ path: WEBHOOK, body: { ...MINE, id: asked.webhook } }],
  'PUT /b2b/v2/webhook/:id': (asked, own) => [
    ...onWebhooks(asked, own, '', MINE),
    { path: `${WEBHOOK}/${own.webhook}`, body: { ...MINE, id: asked.webhook } },
    ifMatch(`${WEBHOOK}/${asked.webhook}`, asked.etagWebhook, MINE),
  ],
  'DELETE /b2b/v2/webhook/:id': (asked, own) => [
    ...onWebhooks(asked, own, ''),
    ifMatch(`${WEBHOOK}/${asked.webhook}`, asked.etagWebhook),
  ],
  'POST /b2b/v2/webhook/:id/secret/rotation': (asked, own) => onWebhooks(asked, own, '/secret/rotation'),
  'POST /b2b/v2/webhook/:id/test': (asked, own) => onWebhooks(asked, own, '/test'),
  'GET /b2b/v2/webhook/:id/livraisons': (asked, own) => [
    ...onWebhooks(asked, own, '/livraisons'),
    ...each(
      `${WEBHOOK}/${own.webhook}/livraisons`,
      `?curseur=${asked.curseurLivraisons}`,
      `?limite=1&curseur=${asked.curseurLivraisons}`,
    ),
  ],
  'GET /b2b/v2/webhook/:id/livraisons/:livraisonId': (asked, own) => [
    ...onLivraisons(asked, own),
    ifNoneMatch(`${WEBHOOK}/${asked.webhook}/livraisons/${asked.livraison}`, asked.etagLivraison),
  ],
  'POST /b2b/v2/webhook/:id/livraisons/:livraisonId/renvoyer': (asked, own) =>
    onLivraisons(asked, own, '/renvoyer'),
  'POST /b2b/v2/webhook/:id/recuperer': (asked, own) =>
    onWebhooks(asked, own, '/recuperer', { depuis: '2020-01-01T00:00:00Z' }),
  'GET /b2b/v2/evenement': (asked) => pages(EVENEMENT, asked.curseurEvenements, '?type=adhesion.signee'),
};
