import { EXAMPLE_CLIENT_ID, ClientsService } from '../../../libs/clients/src';
import { MODULES } from '../../../libs/access/src/caller';
import type { EventType } from '../../../libs/webhooks/src/domain/event.types';
import {
  EXAMPLE_LIVRAISON_ID,
  EXAMPLE_WEBHOOK_ID,
  EXAMPLE_WEBHOOK_INACTIF_ID,
  WebhooksService,
} from '../../../libs/webhooks/src';
import { TEST_ACTOR } from '../../setup/actor';
import type { TestApp } from '../../setup/test-app';
import type { More } from './call';

const WEBHOOK = '/b2b/v2/webhook';

/** Names of keys, in addition to those of the demonstration tenant. */
const WITHOUT_CARDS = 'of the demonstration tenant, without the module of cards';
const FULL = 'of a tenant that has as many endpoints as it may';

const HELD = {
  /** Subscribes to cards. */
  cards: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5b01',
  /** The service has disabled it. */
  disabled: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5b02',
  /** An inactive endpoint whose deliveries are requested. */
  inactive: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5b03',
  /** Its replaced secrets that sign are as many as may be. */
  rotated: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5b04',
  livraison: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5b11',
  livraisonInactive: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5b12',
  /** A delivery of a type to which its endpoint does not subscribe. */
  livraisonUnheard: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5b13',
} as const;

/**
 * Creates endpoints on the demonstration tenant that the requests below need.
 *
 * @returns keys by name
 */
export async function holdWebhooks(app: TestApp, tenantId: string): Promise<ReadonlyMap<string, string>> {
  const webhooks = app.app.get(WebhooksService);
  const cle = await app.app.get(ClientsService).issueCle(TEST_ACTOR, EXAMPLE_CLIENT_ID, {
    nom: 'Without cards',
    environnement: 'staging',
    role: 'partenaire',
    modules: ['vote'],
  });
  const manager = { actor: { cleId: cle.id, requestId: 'test' }, modules: MODULES };
  const record = (types: EventType[]) => ({ url: 'https://hooks.example.org/mandat', types });
  for (const [id, livraison, types] of [
    [HELD.cards, HELD.livraison, ['adhesion.signee']],
    [HELD.disabled, undefined, ['sync.terminee']],
    [HELD.inactive, HELD.livraisonInactive, ['sync.terminee']],
    [HELD.rotated, undefined, ['sync.terminee']],
  ] as [string, string | undefined, EventType[]][]) {
    await webhooks.create(tenantId, manager, record(types), id);
    if (livraison) await webhooks.test(tenantId, manager, id, livraison);
  }
  for (let count = 0; count < 5; count++) await webhooks.rotate(tenantId, manager, HELD.rotated);
  await app.database.query(
    `UPDATE webhook SET actif = false, desactive_le = CASE id_unique WHEN $1 THEN now() END,
       raison_desactivation = CASE id_unique WHEN $1 THEN 'The receiver answered 410 Gone.' END
     WHERE id_unique IN ($1, $2)`,
    [HELD.disabled, HELD.inactive],
  );
  const attempt = { date: '2026-03-02T14:05:09.120Z', dureeMs: 12, reponse: '' };
  await app.database.query(
    `UPDATE livraison SET etat = 'Reussie', prochaine_tentative = NULL, tentatives = $1 WHERE id_unique = $2`,
    [
      JSON.stringify([
        { ...attempt, statut: null },
        { ...attempt, statut: 204 },
      ]),
      HELD.livraison,
    ],
  );
  await app.database.query(
    `INSERT INTO livraison (tenant_id, webhook_id, evenement_id, id_unique)
     SELECT tenant_id, $2, id_unique, $3 FROM evenement WHERE tenant_id = $1 AND type = 'sync.terminee' LIMIT 1`,
    [tenantId, HELD.cards, HELD.livraisonUnheard],
  );
  const full = await app.tenant();
  for (let count = 0; count < 50; count++)
    await webhooks.create(full.tenantId, manager, record(['sync.terminee']));
  return new Map([
    [WITHOUT_CARDS, cle.cle],
    [FULL, full.cle],
  ]);
}

const restricted = (path: string) => ({ key: WITHOUT_CARDS, path: `${WEBHOOK}/${HELD.cards}${path}` });

/** Requests to endpoints that the document alone does not give. */
export const MORE_OF_WEBHOOKS: Readonly<Record<string, More>> = {
  'GET /b2b/v2/webhook/:id': { path: `${WEBHOOK}/${HELD.disabled}`, calls: [restricted('')] },
  'POST /b2b/v2/webhook': {
    changes: [{ url: 'ftp://hooks.example.org' }, { description: null }],
    calls: [{ key: FULL }, { key: WITHOUT_CARDS }],
  },
  'PUT /b2b/v2/webhook/:id': {
    changes: [{ url: 'ftp://hooks.example.org' }],
    calls: [restricted('')],
  },
  'DELETE /b2b/v2/webhook/:id': { calls: [restricted('')] },
  'POST /b2b/v2/webhook/:id/secret/rotation': {
    calls: [
      restricted('/secret/rotation'),
      { path: `${WEBHOOK}/${HELD.disabled}/secret/rotation` },
      { path: `${WEBHOOK}/${HELD.rotated}/secret/rotation` },
    ],
  },
  'POST /b2b/v2/webhook/:id/test': {
    calls: [restricted('/test'), { path: `${WEBHOOK}/${EXAMPLE_WEBHOOK_INACTIF_ID}/test` }],
  },
  'GET /b2b/v2/webhook/:id/livraisons': {
    path: `${WEBHOOK}/${HELD.cards}/livraisons`,
    calls: [restricted('/livraisons')],
  },
  'GET /b2b/v2/webhook/:id/livraisons/:livraisonId': {
    path: `${WEBHOOK}/${EXAMPLE_WEBHOOK_ID}/livraisons/${EXAMPLE_LIVRAISON_ID}`,
    calls: [restricted(`/livraisons/${HELD.livraison}`)],
  },
  'POST /b2b/v2/webhook/:id/livraisons/:livraisonId/renvoyer': {
    calls: [
      restricted(`/livraisons/${HELD.livraison}/renvoyer`),
      { path: `${WEBHOOK}/${HELD.inactive}/livraisons/${HELD.livraisonInactive}/renvoyer` },
      { path: `${WEBHOOK}/${HELD.cards}/livraisons/${HELD.livraisonUnheard}/renvoyer` },
    ],
  },
  'POST /b2b/v2/webhook/:id/recuperer': {
    calls: [restricted('/recuperer'), { path: `${WEBHOOK}/${HELD.inactive}/recuperer` }],
  },
  'GET /b2b/v2/evenement': {
    calls: [{ key: WITHOUT_CARDS, path: '/b2b/v2/evenement?type=adhesion.signee' }],
  },
};
