import type { TestApp } from '../setup/test-app';

/** Plans in the states in which they cannot be applied. */
export const HELD_PLANS = {
  Perime: '0198c2d4-9a10-7c22-8f01-6d3b5e2a7c61',
  Bloque: '0198c2d4-9a10-7c22-8f01-6d3b5e2a7c62',
  Applique: '0198c2d4-9a10-7c22-8f01-6d3b5e2a7c63',
} as const;

/** A sync whose images were too large to be kept. */
export const HELD_SYNC = '0198c2d4-9a10-7c22-8f01-6d3b5e2a7c73';

export async function holdPlans(app: TestApp, tenantId: string): Promise<void> {
  for (const [etat, id] of Object.entries(HELD_PLANS))
    await app.database.query(
      `INSERT INTO plan (tenant_id, id_unique, version, etat, empreinte, resume, par_employeur, votes_touches, corps, octets)
       SELECT tenant_id, $2, version, $3, empreinte, resume, par_employeur, votes_touches, corps, octets FROM plan
       WHERE tenant_id = $1 LIMIT 1`,
      [tenantId, id, etat],
    );
  await app.database.query(
    `INSERT INTO sync (tenant_id, id_unique, version, evenement_id, effets, rang, cumul)
     SELECT tenant_id, $2, version, evenement_id, effets, rang + 1, cumul FROM sync
     WHERE tenant_id = $1 ORDER BY rang DESC LIMIT 1`,
    [tenantId, HELD_SYNC],
  );
}
