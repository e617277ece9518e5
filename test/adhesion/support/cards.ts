import { ClientsService } from '../../../libs/clients/src';
import { synced } from '../../membership/synced';
import { TEST_ACTOR } from '../../setup/actor';
import type { Answer, TenantOptions, TestApp, TestTenant } from '../../setup/test-app';
import { dataUrl, encodePng } from './png';

/** Path of the platform's signings. */
export const SIGNING_PATH = '/plateforme/v1/adhesions';

/** The image of a handwritten signature: a small, valid PNG as a data URL. */
export const PNG = dataUrl(encodePng({ width: 3, height: 2 }));

/** A tenant with a key of each role. */
export interface OpenTenant {
  partenaire: TestTenant;
  plateforme: { cle: string };
  tenantId: string;
}

/** Opens a tenant for signings: with the unions SYN-1 and SYN-2 and the employees E-1 and E-2. */
export async function openTenant(app: TestApp, options: TenantOptions = {}): Promise<OpenTenant> {
  const partenaire = await app.tenant(options);
  const plateforme = await platformKey(app, partenaire, options);
  await synced(app, partenaire, {
    Syndicats: [
      { IdentifiantExterne: 'SYN-1', Nom: 'Syndicat Un' },
      { IdentifiantExterne: 'SYN-2', Nom: 'Syndicat Deux' },
    ],
    Employes: [
      { IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Roy' },
      { IdExterne: 'E-2', Prenom: 'Luc', Nom: 'Côté' },
    ],
  });
  return { partenaire, plateforme, tenantId: partenaire.tenantId };
}

/** Issues a platform key for the tenant of a partner key. */
export async function platformKey(
  app: TestApp,
  { clientId }: Pick<TestTenant, 'clientId'>,
  { environnement = 'staging', cleModules, expireLe }: TenantOptions = {},
): Promise<{ cle: string }> {
  return app.app.get(ClientsService).issueCle(TEST_ACTOR, clientId, {
    nom: 'Plateforme',
    environnement,
    role: 'plateforme',
    modules: cleModules ?? null,
    expireLe: expireLe ?? null,
  });
}

/** Returns the body of a valid signing: E-1 joins SYN-1. An override of undefined removes a property. */
export function signing(overrides: object = {}): Record<string, unknown> {
  return {
    employeIdExterne: 'E-1',
    syndicatIdExterne: 'SYN-1',
    prenom: 'Zoé',
    nom: 'Roy',
    courriel: 'zoe.roy@example.org',
    ...overrides,
  };
}

/** Sends a signing, valid or not. */
export function sign(
  app: TestApp,
  plateforme: { cle: string },
  overrides: object = {},
  headers?: Record<string, string>,
): Promise<Answer> {
  return app.send(plateforme, 'POST', SIGNING_PATH, signing(overrides), headers);
}

/** Sends a signing and asserts a 201. */
export async function signed(
  app: TestApp,
  plateforme: { cle: string },
  overrides: object = {},
  headers?: Record<string, string>,
): Promise<Answer> {
  const answer = await sign(app, plateforme, overrides, headers);
  expect({ status: answer.status, errors: answer.json?.errors }).toEqual({ status: 201, errors: undefined });
  return answer;
}
