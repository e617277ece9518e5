import { openTenant, type OpenTenant, PNG, signing, SIGNING_PATH } from '../adhesion/support/cards';
import { times } from '../membership/synced';
import { type Answer, TestApp } from '../setup/test-app';
import { Campaigns } from '../voting/support/campaigns';
import { ballot, Votes } from '../voting/support/votes';
import { type Row, Trail } from './support/trail';

let app: TestApp;
let open: OpenTenant;
let trail: Trail;
beforeAll(async () => {
  app = await TestApp.start();
  open = await openTenant(app);
  trail = new Trail(app, open.partenaire);
});
afterAll(() => app.stop());

/** Entries that `work` makes, in the data space or about the client. */
async function madeBy(work: () => Promise<unknown>, space = open.tenantId): Promise<Row[]> {
  const before = (await trail.rows(space)).length;
  await work();
  return (await trail.rows(space)).slice(before);
}

const partner = (method: string, path: string, body?: object): Promise<Answer> =>
  app.send(open.partenaire, method, path, body);
const platform = (method: string, path: string, body?: object): Promise<Answer> =>
  app.send(open.plateforme, method, path, body);
const admin = (method: string, path: string, body?: object): Promise<Answer> =>
  app.send(app.adminKey, method, path, body);

/** Returns the id of a row of this tenant by its external identifier or name. */
async function idOf(table: string, column: string, value: string): Promise<string> {
  const text = `SELECT id_unique AS id FROM ${table} WHERE tenant_id = $1 AND ${column} = $2`;
  return (await app.database.query<{ id: string }>(text, [open.tenantId, value])).rows[0]!.id;
}

describe('Every write of master data has an entry with the id of the record', () => {
  it.each([
    ['employe', 'v1/employe', { idExterne: 'J-1', prenom: 'Zoé', nom: 'Roy' }, { ville: 'Alma' }],
    ['employeur', 'v1/employeur', { idExterne: 'J-1', nom: 'Usine' }, { nom: 'Scierie' }],
    ['objetConsentement', 'v2/objet-consentement', { idExterne: 'J-1', nom: 'A' }, { nom: 'B' }],
    ['champ', 'v2/champ-utilisateur', { nom: 'J-1', type: 'texte' }, { obligatoire: true }],
  ])(
    '%s: one entry for each write, none for an unchanged or rejected one',
    async (noun, resource, record, change) => {
      const path = `/b2b/${resource}`;
      const table = { objetConsentement: 'objet_consentement', champ: 'champ_utilisateur' }[noun] ?? noun;
      const column = noun === 'champ' ? 'nom' : 'id_externe';
      let id = '';
      const entries = await madeBy(async () => {
        expect((await partner('POST', path, record)).status).toBe(201);
        id = await idOf(table, column, 'J-1');
        expect((await partner('POST', path, record)).status).toBe(409);
        expect((await partner('PUT', path, { ...record, ...change })).status).toBe(200);
        expect((await partner('DELETE', `${path}/J-1`)).status).toBe(204);
        expect((await partner('DELETE', `${path}/J-1`)).status).toBe(404);
      });
      const { cleId } = open.partenaire;
      expect(entries).toMatchObject(
        ['creer', 'modifier', 'supprimer'].map((verb) => ({ action: `${noun}.${verb}`, objetId: id, cleId })),
      );
    },
  );

  it('an employee: no entry for an unchanged replacement, one for a change of the employer only', async () => {
    const employe = { idExterne: 'J-2', prenom: 'Zoé', nom: 'Roy' };
    await partner('POST', '/b2b/v1/employeur', { idExterne: 'J-EMP', nom: 'Usine' });
    await partner('POST', '/b2b/v2/sync', {
      Syndicats: [
        { IdentifiantExterne: 'SYN-1', Nom: 'S', Employeurs: [{ IdentifiantExterne: 'J-A', Nom: 'A' }] },
      ],
      Employes: [
        {
          ...{ IdExterne: 'J-2', Prenom: 'Zoé', Nom: 'Roy' },
          Emplois: [{ IdentifiantExterne: 'X', IdentifiantExterneEmployeur: 'J-A', Matricule: '1' }],
        },
      ],
    });
    const same = { ...employe, identifiantExterneEmployeur: 'J-A' };
    expect(await madeBy(() => partner('PUT', '/b2b/v1/employe', same))).toEqual([]);
    const moved = await madeBy(() =>
      partner('PUT', '/b2b/v1/employe', { ...employe, identifiantExterneEmployeur: 'J-EMP' }),
    );
    const id = await idOf('employe', 'id_externe', 'J-2');
    expect(moved).toMatchObject([{ action: 'employe.modifier', objetId: id }]);
  });

  it('a form', async () => {
    const form = { titre: 'Carte', syndicatIdExterne: 'SYN-1' };
    let id = '';
    const entries = await madeBy(async () => {
      id = (await partner('POST', '/b2b/v2/formulaire', form)).json.id;
      await partner('PUT', `/b2b/v2/formulaire/${id}`, { ...form, titre: 'Carte 2' });
      await partner('DELETE', `/b2b/v2/formulaire/${id}`);
    });
    expect(entries).toMatchObject(
      ['creer', 'modifier', 'supprimer'].map((verb) => ({ action: `formulaire.${verb}`, objetId: id })),
    );
  });

  const records = (Nom: string) => times(1_000, (n) => ({ IdExterne: `S-${n}`, Prenom: 'A', Nom }));
  const v1 = times(1_000, (n) => ({ idExterne: `S-${n}`, prenom: 'A', nom: 'B' }));
  it.each([
    ['sync.v1', '/b2b/v1/employe/sync', { employes: v1 }],
    ['sync.v2', '/b2b/v2/sync', { Employes: records('C') }],
    ['sync.v2', '/b2b/v2/employe/upsert', records('D')],
  ])('%s of 1,000 by %s: one, of the data space; none where it is simulated', async (action, path, body) => {
    expect(await madeBy(() => partner('POST', `${path}?simulation=true`, body))).toEqual([]);
    const entries = await madeBy(async () => expect((await partner('POST', path, body)).status).toBe(200));
    expect(entries).toMatchObject([{ action, objetId: open.tenantId, cleId: open.partenaire.cleId }]);
  });
});

describe('Cards, payments and consents', () => {
  it('have one each, with the platform’s key', async () => {
    await partner('POST', '/b2b/v2/objet-consentement', { idExterne: 'INFO', nom: 'Infolettre' });
    const ids: string[] = [];
    const entries = await madeBy(async () => {
      const card = (await platform('POST', SIGNING_PATH, signing({ imageSignature: PNG }))).json;
      const demande = (await platform('POST', SIGNING_PATH, signing({ employeIdExterne: null }))).json;
      const path = `${SIGNING_PATH}/${card.idUniqueAdhesion}`;
      const paid = (
        await platform('POST', `${path}/paiements`, { montant: 1, devise: 'CAD', reference: 'R' })
      ).json;
      const allowed = (await platform('POST', `${path}/autorisations-paiement`, { reference: 'R' })).json;
      await platform('POST', '/plateforme/v1/consentements', {
        ...{ idExterneEmploye: 'E-1', objetConsentementIdExterne: 'INFO', accepte: true },
      });
      ids.push(card.idUniqueAdhesion, demande.demandeId, paid.idUnique, allowed.idUnique);
    });
    const actions = ['adhesion.signer', 'adhesion.signer', 'paiement.creer', 'autorisationPaiement.creer'];
    expect(entries.map(({ action }) => action)).toEqual([...actions, 'consentement.creer']);
    expect(entries.slice(0, 4).map(({ objetId }) => objetId)).toEqual(ids);
    expect(new Set(entries.map(({ cleId }) => cleId)).size).toBe(1);
    expect(entries[0]!.cleId).not.toBe(open.partenaire.cleId);
  });
});

describe('A ballot', () => {
  it('has no entry, nor has what is refused of one', async () => {
    const votes = await Votes.of(app, new Campaigns(app, open.partenaire));
    const vote = await votes.opened(3);
    const entries = await madeBy(async () => {
      await votes.voted(vote, 0);
      await votes.voted(vote, 1, 1);
      expect((await votes.cast(vote.id, ballot(vote, 1))).status).toBe(409);
    });
    expect(entries).toEqual([]);
  });
});

describe('Changes of a client', () => {
  it('is in a trail of its own, with the administrator’s key', async () => {
    const { json: client } = await admin('POST', '/admin/v1/clients', {
      nom: `J ${Date.now()}`,
      modules: [],
    });
    const { json: issued } = await admin('POST', `/admin/v1/clients/${client.id}/cles`, {
      ...{ nom: 'Test', environnement: 'production', role: 'partenaire' },
    });
    await admin('PUT', `/admin/v1/clients/${client.id}`, { modules: ['vote'] });
    await admin('DELETE', `/admin/v1/clients/${client.id}/cles/${issued.id}`);
    const cleId = '00000000-0000-0000-0000-000000000000';
    expect(await trail.rows(client.id)).toMatchObject([
      { numero: 1, action: 'client.creer', objetId: client.id, cleId },
      { numero: 2, action: 'cle.creer', objetId: issued.id, cleId },
      { numero: 3, action: 'client.modifier', objetId: client.id, cleId },
      { numero: 4, action: 'cle.revoquer', objetId: issued.id, cleId },
    ]);
    expect(await trail.verify(client.id)).toMatchObject({ numero: 4, faults: [] });
  });
});
