import {
  EXAMPLE_LIVRAISON_ID,
  EXAMPLE_WEBHOOK_ID,
  EXAMPLE_WEBHOOK_INACTIF_ID,
} from '../../libs/webhooks/src';
import { type Calls, each, ifMatch, ifNoneMatch, pages, type Sample } from '../contract/support/calls';
import type { Identifiers } from '../contract/support/spaces';
import { FULL, HELD, WITHOUT_CARDS } from './support/held';

const WEBHOOK = '/b2b/v2/webhook';

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

const MINE = { url: 'https://hooks.example.org/mandat', types: ['adhesion.signee'] };

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

/** A certification and its endpoint: either id may be another tenant's. */
function onCertifications(asked: Identifiers, own: Identifiers): Sample[] {
  return [
    [own.webhook, own.certification],
    [own.webhook, asked.certification],
    [asked.webhook, asked.certification],
    [asked.webhook, own.certification],
  ].map(([webhook, certification]) => ({
    path: `${WEBHOOK}/${webhook}/certification/${certification}/constats`,
    body: { traites: [] },
  }));
}

const EVENEMENT = '/b2b/v2/evenement';
const restricted = (path: string) => ({ key: WITHOUT_CARDS, path: `${WEBHOOK}/${HELD.cards}${path}` });

export const CALLS: Calls = {
  'GET /b2b/v2/webhook': {
    foreign: (asked) => pages(WEBHOOK, asked.curseurWebhooks),
  },
  'GET /b2b/v2/webhook/:id': {
    foreign: (asked, own) => [
      ...onWebhooks(asked, own, ''),
      ifNoneMatch(`${WEBHOOK}/${asked.webhook}`, asked.etagWebhook),
    ],
    more: {
      path: `${WEBHOOK}/${HELD.disabled}`,
      calls: [restricted(''), { path: `${WEBHOOK}/${HELD.pair}` }],
    },
  },
  'POST /b2b/v2/webhook': {
    foreign: (asked) => [{ path: WEBHOOK, body: { ...MINE, id: asked.webhook } }],
    more: {
      changes: [{ url: 'ftp://hooks.example.org' }, { description: null }, { signature: 'v1a' }],
      calls: [{ key: FULL }, { key: WITHOUT_CARDS }],
    },
  },
  'PUT /b2b/v2/webhook/:id': {
    foreign: (asked, own) => [
      ...onWebhooks(asked, own, '', MINE),
      { path: `${WEBHOOK}/${own.webhook}`, body: { ...MINE, id: asked.webhook } },
      ifMatch(`${WEBHOOK}/${asked.webhook}`, asked.etagWebhook, MINE),
    ],
    more: {
      changes: [{ url: 'ftp://hooks.example.org' }],
      calls: [restricted('')],
    },
  },
  'DELETE /b2b/v2/webhook/:id': {
    foreign: (asked, own) => [
      ...onWebhooks(asked, own, ''),
      ifMatch(`${WEBHOOK}/${asked.webhook}`, asked.etagWebhook),
    ],
    more: { calls: [restricted('')] },
  },
  'POST /b2b/v2/webhook/:id/secret/rotation': {
    foreign: (asked, own) => onWebhooks(asked, own, '/secret/rotation'),
    more: {
      calls: [
        restricted('/secret/rotation'),
        { path: `${WEBHOOK}/${HELD.disabled}/secret/rotation` },
        { path: `${WEBHOOK}/${HELD.rotated}/secret/rotation` },
        { path: `${WEBHOOK}/${HELD.pair}/secret/rotation` },
      ],
    },
  },
  'POST /b2b/v2/webhook/:id/test': {
    foreign: (asked, own) => onWebhooks(asked, own, '/test'),
    more: {
      calls: [restricted('/test'), { path: `${WEBHOOK}/${EXAMPLE_WEBHOOK_INACTIF_ID}/test` }],
    },
  },
  'GET /b2b/v2/webhook/:id/livraisons': {
    foreign: (asked, own) => [
      ...onWebhooks(asked, own, '/livraisons'),
      ...each(
        `${WEBHOOK}/${own.webhook}/livraisons`,
        `?curseur=${asked.curseurLivraisons}`,
        `?limite=1&curseur=${asked.curseurLivraisons}`,
      ),
    ],
    more: {
      path: `${WEBHOOK}/${HELD.cards}/livraisons`,
      calls: [restricted('/livraisons')],
    },
  },
  'GET /b2b/v2/webhook/:id/livraisons/:livraisonId': {
    foreign: (asked, own) => [
      ...onLivraisons(asked, own),
      ifNoneMatch(`${WEBHOOK}/${asked.webhook}/livraisons/${asked.livraison}`, asked.etagLivraison),
    ],
    more: {
      path: `${WEBHOOK}/${EXAMPLE_WEBHOOK_ID}/livraisons/${EXAMPLE_LIVRAISON_ID}`,
      calls: [restricted(`/livraisons/${HELD.livraison}`)],
    },
  },
  'POST /b2b/v2/webhook/:id/livraisons/:livraisonId/renvoyer': {
    foreign: (asked, own) => onLivraisons(asked, own, '/renvoyer'),
    more: {
      calls: [
        restricted(`/livraisons/${HELD.livraison}/renvoyer`),
        { path: `${WEBHOOK}/${HELD.inactive}/livraisons/${HELD.livraisonInactive}/renvoyer` },
        { path: `${WEBHOOK}/${HELD.cards}/livraisons/${HELD.livraisonUnheard}/renvoyer` },
      ],
    },
  },
  'POST /b2b/v2/webhook/:id/recuperer': {
    foreign: (asked, own) => onWebhooks(asked, own, '/recuperer', { depuis: '2020-01-01T00:00:00Z' }),
    more: {
      calls: [restricted('/recuperer'), { path: `${WEBHOOK}/${HELD.inactive}/recuperer` }],
    },
  },
  'POST /b2b/v2/webhook/:id/certification': {
    foreign: (asked, own) => onWebhooks(asked, own, '/certification'),
    more: {
      calls: [
        restricted('/certification'),
        { path: `${WEBHOOK}/${HELD.rotated}/certification` },
        { path: `${WEBHOOK}/${EXAMPLE_WEBHOOK_INACTIF_ID}/certification` },
      ],
    },
  },
  'GET /b2b/v2/webhook/:id/certification': {
    foreign: (asked, own) => onWebhooks(asked, own, '/certification'),
    more: {
      path: `${WEBHOOK}/${HELD.cards}/certification`,
      calls: [
        restricted('/certification'),
        { path: `${WEBHOOK}/${HELD.rotated}/certification` },
        { path: `${WEBHOOK}/${HELD.disabled}/certification` },
      ],
    },
  },
  'POST /b2b/v2/webhook/:id/certification/:certificationId/constats': {
    foreign: (asked, own) => onCertifications(asked, own),
    more: { calls: [restricted(`/certification/${HELD.certification}/constats`)] },
  },
  'GET /b2b/v2/evenement': {
    foreign: (asked) => pages(EVENEMENT, asked.curseurEvenements, '?type=adhesion.signee'),
    more: {
      calls: [{ key: WITHOUT_CARDS, path: '/b2b/v2/evenement?type=adhesion.signee' }],
    },
  },
  'GET /b2b/v2/type-evenement': { readsNoTable: true },
};
