import type { PlannedList } from '../contract/support/planned-list';
import { depth } from '../setup/depth';
import type { TestApp } from '../setup/test-app';

const MANY = depth(40_000, 100_000);

/**
 * Cards of 40,000 employees over three years, with the worst distribution for the filters: in the union with most
 * cards, hardly any card has a payment or a handwritten signature; in the others nearly all have both.
 */
async function fill(app: TestApp, tenantId: string, cards: number): Promise<void> {
  await app.database.query(
    `INSERT INTO syndicat (tenant_id, id_externe, nom)
     SELECT $1, unnest(ARRAY['SYN-BIG', 'SYN-NONE'] || ARRAY(SELECT 'SYN-' || n FROM generate_series(0, 49) n)), 'Syndicat'`,
    [tenantId],
  );
  await app.database.query(
    `INSERT INTO employe (tenant_id, id_externe, prenom, nom)
     SELECT $1, 'E-' || n, 'Zoé', 'Roy' FROM generate_series(0, $2 - 1) n`,
    [tenantId, Math.ceil(cards / 2.5)],
  );
  await app.database.query(
    `INSERT INTO adhesion (tenant_id, id_externe_employe, employe_id_unique, syndicat_id_externe, prenom, nom, courriel,
       no_membre, date_signature, a_signature_manuscrite, avec_paiement, valeurs_champ)
     SELECT $1, 'E-' || n % $3, uuidv7(), CASE WHEN big THEN 'SYN-BIG' ELSE 'SYN-' || n % 50 END, 'Zoé', 'Roy',
       'zoe@example.org', CASE WHEN n % 5 > 0 THEN 'M-' || n % $3 END,
       timestamptz '2024-01-01Z' + n * interval '15 minutes', big = (n % 5000 = 0), big = (n % 7000 = 0), '[]'
     FROM generate_series(0, $2 - 1) n, LATERAL (SELECT n % 10 < 6 AS big) b`,
    [tenantId, cards, Math.ceil(cards / 2.5)],
  );
}

export const CARDS: PlannedList = {
  what: 'many cards',
  open: async (app) => {
    const caller = await app.tenant();
    await fill(app, caller.tenantId, MANY);
    await fill(app, (await app.tenant()).tenantId, MANY / 10);
    const far = { date: new Date('2025-01-01'), id: caller.tenantId };
    return { caller, path: '/b2b/v2/adhesion', far };
  },
  statement: /"idUniqueAdhesion"/,
  tables: ['adhesion'],
  limite: 100,
  // Its own rows, the next one, and the few cards of one person.
  most: 200,
  values: {
    apres: ['2025-06-01T00:00:00Z', '2026-11-01T00:00:00Z'],
    avant: ['2024-02-01T00:00:00Z', '2026-01-01T00:00:00Z'],
    idExterneSyndicat: ['SYN-BIG', 'SYN-7', 'SYN-NONE'],
    idExterneEmploye: ['E-5000'],
    noMembre: ['M-5001'],
    aSignatureManuscrite: ['true', 'false'],
    avecPaiement: ['true', 'false'],
  },
  also: [
    { at: '/b2b/v1/adhesion', filters: {} },
    { at: '/b2b/v1/adhesion', filters: { apres: '2026-11-01T00:00:00Z' } },
    { at: '/b2b/v1/adhesion', filters: { idExterne: 'E-5000' } },
  ],
  controls: [
    {
      filters: { idExterneSyndicat: 'SYN-BIG', avecPaiement: 'true' },
      without: [
        'adhesion_syndicat_paiement',
        'adhesion_syndicat_signature_paiement',
        'adhesion_signature_paiement',
      ],
    },
  ],
};
