import { randomBytes } from 'node:crypto';
import { EngagementsService } from '../../../libs/voting/src';
import { sealed, summed } from '../../voting/support/bundle';
import { ClientsService } from '../../../libs/clients/src';
import type { Environment } from '../../../libs/access/src/caller';
import { TEST_ACTOR } from '../../setup/actor';
import type { TestApp } from '../../setup/test-app';
import { meetAll, type MeetingIdentifiers } from '../../meeting/support/filled';
import { type MessagingIdentifiers, writeAll } from '../../messaging/support/filled';
import type { Rows } from './rows';
import { signAll, type SignedIdentifiers } from '../../adhesion/support/filled';
import { campaignAll, type VotingIdentifiers } from '../../voting/support/filled';
import { eventsOf, registerAll, type WebhookIdentifiers } from '../../webhooks/support/filled';

/**
 * Identifiers, ETags and cursors of a tenant. All identifiers that the service does not generate contain `mark`, which
 * is unique to the tenant. Responses about two tenants are therefore comparable.
 */
export interface Identifiers
  extends SignedIdentifiers, VotingIdentifiers, MeetingIdentifiers, WebhookIdentifiers, MessagingIdentifiers {
  readonly mark: string;
  readonly clientId: string;
  readonly cleId: string;
  readonly employe: string;
  readonly employeur: string;
  /** An employer without employees. */
  readonly freeEmployeur: string;
  readonly objetConsentement: string;
  /** An employee with employments, memberships and custom values of its own. */
  readonly employeV2: string;
  /** An employee whom the partner has deleted. */
  readonly employeSupprime: string;
  readonly syndicat: string;
  readonly emploi: string;
  readonly matricule: string;
  /** A custom field with choices, of which an employee has one. */
  readonly champ: string;
  readonly choix: string;
  /** A custom field without values. */
  readonly freeChamp: string;
  /** A waiting task. */
  readonly tache: string;
  readonly plan: string;
  readonly sync: string;
  readonly curseurSyncs: string;
  readonly curseurPlans: string;
  readonly curseurChangementsPlan: string;
  readonly idUniqueEmploye: string;
  readonly idUniqueEmployeV2: string;
  readonly idUniqueEmployeur: string;
  readonly idUniqueSyndicat: string;
  readonly idUniqueChamp: string;
  readonly idUniqueObjet: string;
  readonly etagEmploye: string;
  readonly etagEmployeV2: string;
  readonly etagEmployeur: string;
  readonly etagSyndicat: string;
  readonly etagChamp: string;
  readonly etagFreeChamp: string;
  readonly etagObjet: string;
  readonly curseurEmployes: string;
  readonly curseurEmployesV2: string;
  readonly curseurEmployeurs: string;
  readonly curseurChangements: string;
  readonly curseurEmplois: string;
  readonly curseurSyndicats: string;
  readonly curseurChamps: string;
  readonly curseurObjets: string;
  /** Idempotency-Key of a `POST /b2b/v1/employe` with `idempotentBody`. */
  readonly idempotencyKey: string;
  readonly idempotentBody: Readonly<Record<string, unknown>>;
}

/** A tenant with a row in every table and a key of each role. */
export interface Space {
  readonly clientId: string;
  readonly tenantId: string;
  readonly keys: { readonly partenaire: string; readonly plateforme: string };
  readonly identifiers: Identifiers;
}

/** The caller of the walk, and the tenants whose data it must not see. */
export interface Spaces {
  readonly own: Space;
  /** A tenant of another client. */
  readonly other: Space;
  /** The other environment of the same client. */
  readonly sibling: Space;
  /** Identifiers of a tenant that was removed: their form is right and they are unknown. */
  readonly nobody: Identifiers;
}

export async function openSpaces(app: TestApp, rows: Rows): Promise<Spaces> {
  const clients = [await newClient(app), await newClient(app), await newClient(app)] as const;
  const removed = await open(app, clients[2], 'staging');
  await rows.remove(removed);
  const other = await open(app, clients[1], 'staging');
  const sibling = await open(app, clients[0], 'production');
  // Created last because the cursors of the others must come before its rows.
  const own = await open(app, clients[0], 'staging');
  return { own, other, sibling, nobody: removed.identifiers };
}

async function newClient(app: TestApp): Promise<string> {
  const modules = ['carteMembre', 'vote', 'voteEnSeance'];
  return (
    await app.app
      .get(ClientsService)
      .create(TEST_ACTOR, { nom: `Client ${randomBytes(8).toString('hex')}`, modules })
  ).id;
}

async function open(app: TestApp, clientId: string, environnement: Environment): Promise<Space> {
  const issue = (role: 'partenaire' | 'plateforme') =>
    app.app.get(ClientsService).issueCle(TEST_ACTOR, clientId, { nom: 'Walk', environnement, role });
  const partenaire = await issue('partenaire');
  const plateforme = await issue('plateforme');
  const keys = { partenaire: partenaire.cle, plateforme: plateforme.cle };
  const identifiers = { clientId, cleId: partenaire.id, ...(await fill(app, keys, partenaire.tenantId!)) };
  return { clientId, tenantId: partenaire.tenantId!, keys, identifiers };
}

/** Inserts at least one row in every table of tenants. Add a row here for each new table. */
async function fill(
  app: TestApp,
  keys: Space['keys'],
  tenantId: string,
): Promise<Omit<Identifiers, 'clientId' | 'cleId'>> {
  const mark = randomBytes(8).toString('hex');
  const secret = randomBytes(8).toString('hex');
  const employe = `E-${mark}`;
  const employeur = `EMP-${mark}`;
  const freeEmployeur = `EMP2-${mark}`;
  const objetConsentement = `OC-${mark}`;
  const usedObjet = `OC2-${mark}`;
  const employeV2 = `E3-${mark}`;
  const [syndicat, emploi, matricule] = [`SYN-${mark}`, `EMPLOI-${mark}`, `MAT-${mark}`];
  const [champ, freeChamp, choix] = [`CHAMP-${mark}`, `CHAMP2-${mark}`, `CHOIX-${mark}`];
  const person = { prenom: `Prenom ${secret}`, nom: `Nom ${secret}`, courriel: `${secret}@example.org` };
  const sendAs =
    (key: string) =>
    async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
      const answer = await app.send(key, method, path, body, headers);
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      return answer;
    };
  const send = sendAs(keys.partenaire);
  const webhooks = await registerAll(send, secret);

  await send('POST', '/b2b/v1/employe/sync', {
    employeurs: [employeur, freeEmployeur].map((idExterne) => ({ idExterne, nom: `Employeur ${secret}` })),
    objetsConsentement: [
      { idExterne: objetConsentement, nom: `Objet ${secret}` },
      { idExterne: usedObjet, nom: `Autre objet ${secret}` },
    ],
    employes: [{ idExterne: employe, ...person, identifiantExterneEmployeur: employeur }],
  });
  const idempotencyKey = `K-${mark}`;
  const employePaye = `E2-${mark}`;
  const idempotentBody = { idExterne: employePaye, prenom: 'Alex', nom: 'Tremblay' };
  await send('POST', '/b2b/v1/employe', idempotentBody, { 'Idempotency-Key': idempotencyKey });
  const employeSupprime = `E4-${mark}`;
  await send('POST', '/b2b/v1/employe', { idExterne: employeSupprime, prenom: 'Alex', nom: 'Tremblay' });
  await send('DELETE', `/b2b/v1/employe/${employeSupprime}`);

  await send('POST', '/b2b/v2/champ-utilisateur', {
    nom: champ,
    type: 'choix',
    choix: [{ idExterne: choix, libelle: `Choix ${secret}` }],
  });
  await send('POST', '/b2b/v2/champ-utilisateur', { nom: freeChamp, type: 'texte' });
  const syncV2 = {
    Syndicats: [
      {
        IdentifiantExterne: syndicat,
        Nom: `Syndicat ${secret}`,
        Employeurs: [{ IdentifiantExterne: employeur, Nom: `Employeur ${secret}` }],
      },
      { IdentifiantExterne: `SYN2-${mark}`, Nom: `Autre syndicat ${secret}` },
    ],
    Employes: [
      {
        IdExterne: employeV2,
        Prenom: `Prenom V2 ${secret}`,
        Nom: `Nom V2 ${secret}`,
        Emplois: [emploi, `EMPLOI2-${mark}`].map((IdentifiantExterne) => ({
          IdentifiantExterne,
          IdentifiantExterneEmployeur: employeur,
          Matricule: matricule,
        })),
        Adhesions: [{ SyndicatIdExterne: syndicat, DateAdhesion: '2021-05-01' }],
        ValeursChampUtilisateur: [{ NomChamp: champ, Valeur: choix }],
      },
    ],
  };
  const synced = await send('POST', '/b2b/v2/sync', syncV2);
  if (synced.text.includes('Message')) throw new Error(`POST /b2b/v2/sync: ${synced.text}`);
  // Another identifier for an employee, and the first one again.
  for (const [ancien, idExterne] of [
    [employeV2, `E5-${mark}`],
    [`E5-${mark}`, employeV2],
  ])
    await send('POST', `/b2b/v2/employe/${ancien}/nouvel-identifiant`, { idExterne });
  const tache = await send('POST', '/b2b/v2/sync', syncV2, { Prefer: 'respond-async' });
  // A part of a long result, which only a large sync writes.
  const erreurs = { AddCount: 0, UpdateCount: 0, Erreurs: [{ IdUnique: employeV2, Message: secret }] };
  await app.database.query(
    'INSERT INTO tache_morceau (tenant_id, tache_id, place, octets) VALUES ($1, $2, 0, $3)',
    [tenantId, tache.json.id, Buffer.from(JSON.stringify({ Employes: erreurs }))],
  );

  // By SQL, because production has no failures on demand. The route does not exist.
  await app.database.query(
    `INSERT INTO panne_essai (tenant_id, route, statut, fois, restantes, expire_le)
     VALUES ($1, $2, 500, 1, 1, now() + interval '1 hour')`,
    [tenantId, `GET /b2b/v2/${secret}`],
  );

  // Changes of an employee and of a union.
  const planned = {
    Syndicats: [{ IdentifiantExterne: syndicat, Nom: `${secret} 2` }],
    Employes: [{ IdExterne: employeV2, Prenom: 'Alex', Nom: secret, Ville: 'Laval' }],
  };
  const { json: plan } = await send('POST', '/b2b/v2/plan', planned);
  await send('POST', '/b2b/v2/plan', planned);

  const one = async (path: string): Promise<{ idUnique: string; etag: string }> => {
    const { json, headers } = await send('GET', path);
    return { idUnique: json.idUnique, etag: headers.get('etag')! };
  };
  const cursor = async (path: string): Promise<string> => {
    const link = (await send('GET', `${path}?limite=1`)).headers.get('link') ?? '';
    return new URL(/<(.*)>/.exec(link)![1]!).searchParams.get('curseur')!;
  };
  const signed = await signAll(
    { partner: send, platform: sendAs(keys.plateforme), cursor },
    { mark, secret, employe, employeV2, employePaye, syndicat, champ, choix, usedObjet },
  );
  const voting = await campaignAll(send, sendAs(keys.plateforme), cursor, {
    ...{ mark, secret, employe, employeV2, syndicat, employeur },
    seal: (campagne) => sealed(app, tenantId, campagne),
    sum: (campagne) => summed(app, tenantId, campagne),
    engage: async (campagne) => {
      // Enough for a stored node.
      await app.database.query(
        'INSERT INTO recu SELECT $1, $2, sha256(n::text::bytea) FROM generate_series(1, 256) n',
        [tenantId, campagne],
      );
      await app.app.get(EngagementsService).round(tenantId, campagne);
    },
  });
  const oneEmploye = await one(`/b2b/v1/employe/${employe}`);
  const oneEmployeV2 = await one(`/b2b/v2/employe/${employeV2}`);
  const oneEmployeur = await one(`/b2b/v1/employeur/${employeur}`);
  const oneSyndicat = await one(`/b2b/v2/syndicat/${syndicat}`);
  const oneChamp = await one(`/b2b/v2/champ-utilisateur/${champ}`);
  const oneObjet = await one(`/b2b/v2/objet-consentement/${objetConsentement}`);
  return {
    ...signed,
    ...voting,
    ...(await meetAll(send, sendAs(keys.plateforme), cursor, { secret, syndicat })),
    ...(await eventsOf(send, cursor, webhooks)),
    ...(await writeAll(send, cursor, { employes: [employe, employeV2], campagne: voting.campagne, secret })),
    mark,
    employeSupprime,
    employe,
    employeur,
    freeEmployeur,
    objetConsentement,
    employeV2,
    syndicat,
    emploi,
    matricule,
    champ,
    choix,
    freeChamp,
    tache: tache.json.id,
    plan: plan.id,
    sync: (await send('GET', '/b2b/v2/sync?limite=1')).json[0].id,
    curseurSyncs: await cursor('/b2b/v2/sync'),
    curseurPlans: await cursor('/b2b/v2/plan'),
    curseurChangementsPlan: await cursor(`/b2b/v2/plan/${plan.id}/changements`),
    idUniqueEmploye: oneEmploye.idUnique,
    idUniqueEmployeV2: oneEmployeV2.idUnique,
    idUniqueEmployeur: oneEmployeur.idUnique,
    idUniqueSyndicat: oneSyndicat.idUnique,
    idUniqueChamp: oneChamp.idUnique,
    idUniqueObjet: oneObjet.idUnique,
    etagEmploye: oneEmploye.etag,
    etagEmployeV2: oneEmployeV2.etag,
    etagEmployeur: oneEmployeur.etag,
    etagSyndicat: oneSyndicat.etag,
    etagChamp: oneChamp.etag,
    etagFreeChamp: (await one(`/b2b/v2/champ-utilisateur/${freeChamp}`)).etag,
    etagObjet: oneObjet.etag,
    curseurEmployes: await cursor('/b2b/v1/employe'),
    curseurEmployesV2: await cursor('/b2b/v2/employe'),
    curseurEmployeurs: await cursor('/b2b/v1/employeur'),
    curseurChangements: await cursor('/b2b/v2/changement'),
    curseurEmplois: await cursor('/b2b/v2/emploi'),
    curseurSyndicats: await cursor('/b2b/v2/syndicat'),
    curseurChamps: await cursor('/b2b/v2/champ-utilisateur'),
    curseurObjets: await cursor('/b2b/v2/objet-consentement'),
    idempotencyKey,
    idempotentBody,
  };
}
