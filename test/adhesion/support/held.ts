import { SigningService } from '../../../libs/adhesion/src';
import { TEST_ACTOR } from '../../setup/actor';
import type { TestApp } from '../../setup/test-app';
import { holdCampaigns } from '../../voting/support/held';

/** Cards without an image that cannot be deleted, each for another reason. */
export const HELD = {
  /** The employee is a voter of an active campaign. */
  voter: { employe: 'E-9001', id: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4b01' },
  /** Future payments were authorized. */
  authorized: { employe: 'E-9002', id: '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4b02' },
} as const;

/** Creates the cards on the demonstration tenant that requests of `MORE` try to delete. */
export async function holdCards(
  app: TestApp,
  tenantId: string,
  keys: Readonly<Record<'partenaire' | 'plateforme', string>>,
): Promise<void> {
  for (const { employe, id } of Object.values(HELD)) {
    const person = { prenom: 'Alex', nom: 'Tremblay', courriel: 'alex.tremblay@example.org' };
    await app.send(keys.partenaire, 'POST', '/b2b/v1/employe', { idExterne: employe, ...person });
    const signing = { employeIdExterne: employe, syndicatIdExterne: 'SYN-10', ...person };
    await app.app.get(SigningService).sign(tenantId, TEST_ACTOR, signing, id);
  }
  await app.database.query(
    `INSERT INTO tache (tenant_id, type, etat, total, simulation, corps) VALUES ($1, 'sync', 'EnAttente', 1, false, $2)`,
    [tenantId, Buffer.from(JSON.stringify({ Employes: [{ IdExterne: HELD.authorized.employe }] }))],
  );
  const authorization = `/plateforme/v1/adhesions/${HELD.authorized.id}/autorisations-paiement`;
  await app.send(keys.plateforme, 'POST', authorization, { reference: 'AUT-1' });
  await holdCampaigns(app, keys, HELD.voter.employe);
}
