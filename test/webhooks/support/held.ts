import { MODULES } from '../../../libs/access/src/caller';
import { ClientsService, EXAMPLE_CLIENT_ID } from '../../../libs/clients/src';
import { CertificationRepository, WebhooksService } from '../../../libs/webhooks/src';
import type { EventType } from '../../../libs/webhooks/src/domain/event.types';
import { TEST_ACTOR } from '../../setup/actor';
import type { TestApp } from '../../setup/test-app';

export const HELD = {
  /** Subscribes to cards. */
  cards: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5b01',
  /** The service has disabled it. */
  disabled: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5b02',
  /** An inactive endpoint whose deliveries are requested. */
  inactive: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5b03',
  /** Has the maximum number of replaced secrets that still sign. */
  rotated: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5b04',
  /** A key pair signs for it. */
  pair: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5b05',
  /** An ended certification of `cards`; that of `rotated` runs. A rotation would end it. */
  certification: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5b21',
  livraison: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5b11',
  livraisonInactive: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5b12',
  /** A delivery of a type to which its endpoint does not subscribe. */
  livraisonUnheard: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5b13',
} as const;

/** Names of keys, in addition to those of the demonstration tenant. */
export const WITHOUT_CARDS = 'of the demonstration tenant, without the module of cards';

export const FULL = 'of a tenant that has as many endpoints as it may';

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
  await webhooks.create(tenantId, manager, { ...record(['sync.terminee']), signature: 'v1a' }, HELD.pair);
  await app.database.query(
    `UPDATE webhook SET actif = false, desactive_le = CASE id_unique WHEN $1 THEN now() END,
       raison_desactivation = CASE id_unique WHEN $1 THEN 'The receiver answered 410 Gone.' END
     WHERE id_unique IN ($1, $2)`,
    [HELD.disabled, HELD.inactive],
  );
  const certifications = app.app.get(CertificationRepository);
  const { id } = await certifications.insert(tenantId, HELD.cards, Buffer.from('held'), HELD.certification);
  await certifications.observe(tenantId, id, {
    nom: 'valide',
    reussi: false,
    observe: 'HTTP 500 after 1 ms',
  });
  await certifications.end(tenantId, id, 'The client is suspended.');
  await certifications.insert(tenantId, HELD.rotated, Buffer.from('held'));
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
