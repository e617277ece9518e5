import type { TestApp, TestTenant } from '../../setup/test-app';

/** A tenant's partner and platform keys on the same data space, with a union and an employee to sign for. */
export interface Scene {
  readonly tenant: TestTenant;
  readonly plateforme: string;
}

/** A tenant whose employee `E-1` can sign for the union `S-1`. */
export async function scene(app: TestApp): Promise<Scene> {
  const tenant = await app.tenant();
  const { json } = await app.send(app.adminKey, 'POST', `/admin/v1/clients/${tenant.clientId}/cles`, {
    nom: 'Plateforme',
    environnement: 'staging',
    role: 'plateforme',
  });
  const synced = await app.send(tenant, 'POST', '/b2b/v2/sync', {
    Syndicats: [{ IdentifiantExterne: 'S-1', Nom: 'Syndicat' }],
    Employes: [{ IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Tremblay' }],
  });
  if (synced.status !== 200) throw new Error(synced.text);
  return { tenant, plateforme: json.cle };
}

/**
 * Signs one card of `E-1`.
 *
 * @returns its id
 */
export async function sign(app: TestApp, { plateforme }: Scene): Promise<string> {
  const { status, json, text } = await app.send(plateforme, 'POST', '/plateforme/v1/adhesions', {
    employeIdExterne: 'E-1',
    syndicatIdExterne: 'S-1',
    prenom: 'Zoé',
    nom: 'Tremblay',
    courriel: 'zoe@example.org',
  });
  if (status !== 201) throw new Error(text);
  return json.idUniqueAdhesion;
}

/**
 * Registers an endpoint.
 *
 * @returns the endpoint with its secret
 */
export async function register(
  app: TestApp,
  { tenant }: Scene,
  url: string,
  types: string[] = ['adhesion.signee'],
): Promise<{ id: string; secret: string }> {
  const { status, json, text } = await app.send(tenant, 'POST', '/b2b/v2/webhook', { url, types });
  if (status !== 201) throw new Error(text);
  return json;
}
