import { randomUUID } from 'node:crypto';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { comparable, GUID, INSTANT, synced, syncedV1, times } from '../membership/synced';
import { type Answer } from '../setup/test-app';
import { openTenant, PNG, sign, signing, SIGNING_PATH } from './support/cards';
import { unchanged } from '../setup/digests';
import { dataUrl, pngOf } from './support/png';
import {
  CHAMPS,
  CONSENTEMENTS,
  CONTACT,
  VALEURS,
  VALEURS_V1,
  VALEURS_V2,
  WHOLE,
  age,
  app,
  counts,
  employe,
  events,
  made,
  makeAll,
  makeChamps,
  makeForm,
  partner,
  platform,
  send,
  sent,
  stored,
  tenant,
  useScene,
} from './support/signing-scene';

useScene();

describe('POST /plateforme/v1/adhesions of a known employee', () => {
  it('201 with exactly the V2 item and Location; the list and the event contain the same bytes', async () => {
    await makeAll();
    const answer = await sent(WHOLE);
    const { idUniqueAdhesion } = answer.json;
    expect(answer.text).toBe(
      JSON.stringify({
        dateSignature: '2026-03-02T14:05:09.120Z',
        idUniqueAdhesion,
        transactionId: 'TX-1',
        aSignatureManuscripte: true,
        syndicatIdExterne: 'SYN-1',
        syndicatNom: 'Syndicat Un',
        employeIdExterne: 'E-1',
        employeIdUnique: (await employe('E-1')).idUnique,
        employePrenom: 'Zoé',
        employeNom: 'Roy',
        courriel: 'zoe.roy@example.org',
        ...CONTACT,
        valeursChampUtilisateur: VALEURS_V2,
      }),
    );
    expect(idUniqueAdhesion).toMatch(GUID);
    expect(answer.headers.get('location')).toBe(`${SIGNING_PATH}/${idUniqueAdhesion}`);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect((await partner('GET', '/b2b/v2/adhesion')).text).toBe(`[${answer.text}]`);
    expect(await events('adhesion.signee')).toEqual([answer.text]);
    expect(await events('conciliation.demandee')).toEqual([]);
    expect((await stored('adhesion'))[0]).toMatchObject({ no_membre: 'M-7', avec_paiement: false });
    const [image] = await stored('signature_manuscrite');
    expect(image).toMatchObject({ adhesion_id: idUniqueAdhesion, demande_id: null });
    expect(dataUrl(image.png)).toBe(PNG);
  });

  it.each([
    ['absent', undefined],
    ['null', null],
    ['empty', ''],
    ['blank', '  '],
  ])(
    '201 with optional properties %s: null, no values, and the time of the request',
    async (_what, value) => {
      const names = [...Object.keys(CONTACT), 'noMembre', 'transactionId', 'imageSignature', 'formulaireId'];
      const lists =
        value === undefined || value === null ? { valeursChampUtilisateur: value, consentements: value } : {};
      const before = Date.now();
      const { json } = await sent({
        ...Object.fromEntries(names.map((name) => [name, value])),
        ...{ ...lists, dateSignature: value },
      });
      expect(json).toMatchObject({
        ...Object.fromEntries(Object.keys(CONTACT).map((name) => [name, null])),
        ...{ transactionId: null, aSignatureManuscripte: false, valeursChampUtilisateur: [] },
        dateSignature: expect.stringMatching(INSTANT),
      });
      expect(Date.parse(json.dateSignature)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(json.dateSignature)).toBeLessThanOrEqual(Date.now());
      expect(await counts('consentement', 'signature_manuscrite')).toEqual({
        consentement: 0,
        signature_manuscrite: 0,
      });
      expect((await stored('adhesion'))[0]).toMatchObject({ no_membre: null, formulaire_id: null });
    },
  );

  it.each([
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['2026-03-02', '2026-03-02T00:00:00.000Z'],
    ['2026-03-02T00:00:00+14:00', '2026-03-01T10:00:00.000Z'],
  ])('201 with the date %s, read as %s everywhere', async (dateSignature, expected) => {
    await makeAll();
    const card = await sent({ dateSignature, consentements: CONSENTEMENTS });
    expect(card.json.dateSignature).toBe(expected);
    expect((await partner('GET', `/b2b/v2/adhesion?apres=${expected}&avant=${expected}`)).text).toBe(
      `[${card.text}]`,
    );
    expect((await employe('E-1')).adhesions).toMatchObject([{ dateAdhesion: expected }]);
    expect((await partner('GET', `/b2b/v1/consentement?depuis=${expected}`)).json).toHaveLength(2);
  });

  it('adds a missing membership with the day of the signature; only then does the employee change', async () => {
    await age();
    const before = await employe('E-1');
    await sent({ dateSignature: '2026-03-02T14:05:09.120Z' });
    const joined = await employe('E-1');
    expect(joined.adhesions).toEqual([
      expect.objectContaining({ syndicatIdExterne: 'SYN-1', dateAdhesion: '2026-03-02T14:05:09.120Z' }),
    ]);
    expect(joined.derniereMAJ > before.derniereMAJ).toBe(true);
    expect({ ...joined, adhesions: [], derniereMAJ: '' }).toEqual({ ...before, derniereMAJ: '' });
    await age();
    const [aged, others] = [await employe('E-1'), await employe('E-2')];
    await sent({ dateSignature: '2026-03-03T00:00:00Z' });
    expect(await employe('E-1')).toEqual(aged);
    await sent({ syndicatIdExterne: 'SYN-2' });
    expect((await employe('E-1')).derniereMAJ > aged.derniereMAJ).toBe(true);
    expect((await employe('E-1')).adhesions).toHaveLength(2);
    expect(await employe('E-2')).toEqual(others);
  });

  it('an existing membership of a sync is unchanged', async () => {
    await synced(app, tenant.partenaire, {
      Employes: [
        {
          ...{ IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Roy' },
          Adhesions: [{ SyndicatIdExterne: 'SYN-1', DateAdhesion: '2019-01-01T00:00:00Z' }],
        },
      ],
    });
    await age();
    const before = await employe('E-1');
    await sent();
    expect(await employe('E-1')).toEqual(before);
  });

  it.each([
    ['ended before', { DateAdhesion: '2019-01-01', DateFin: '2024-05-01' }, '2026-03-02T14:05:09.120Z', true],
    [
      'ended on that day',
      { DateAdhesion: '2019-01-01', DateFin: '2026-03-02' },
      '2026-03-02T14:05:09.120Z',
      true,
    ],
    ['begins later', { DateAdhesion: '2090-01-01' }, '2026-03-02T14:05:09.120Z', true],
    [
      'begins and ends later',
      { DateAdhesion: '2090-01-01', DateFin: '2091-01-01' },
      '2026-03-02T14:05:09.120Z',
      true,
    ],
    ['ends later', { DateAdhesion: '2019-01-01', DateFin: '2026-03-03' }, '2026-03-02T14:05:09.120Z', false],
    ['began later and has ended', { DateAdhesion: '2024-01-01', DateFin: '2025-01-01' }, '2022-03-02', false],
    ['begins on that day', { DateAdhesion: '2026-03-02' }, '2026-03-02T14:05:09.120Z', false],
  ])(
    'a membership that %s: it becomes ongoing only if it was not active',
    async (_what, dates, dateSignature, becomes) => {
      const Adhesions = [{ SyndicatIdExterne: 'SYN-1', ...dates }];
      await synced(app, tenant.partenaire, {
        Employes: [{ IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Roy', Adhesions }],
      });
      await age();
      const before = await employe('E-1');
      await sent({ dateSignature });
      const after = await employe('E-1');
      if (!becomes) return expect(after).toEqual(before);
      expect(after.adhesions).toEqual([
        expect.objectContaining({ dateAdhesion: dateSignature, dateFin: null }),
      ]);
      expect(after.derniereMAJ > before.derniereMAJ).toBe(true);
    },
  );

  it('the data of the employee are unchanged; the card without a signed number is found by the employee’s', async () => {
    await synced(app, tenant.partenaire, {
      Employes: [{ IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Roy', NoMembre: 'M-1', Ville: 'Laval' }],
    });
    await sent({ prenom: 'Zoë', ville: 'Alma' });
    await sent({ noMembre: 'M-9' });
    expect(await employe('E-1')).toMatchObject({ prenom: 'Zoé', ville: 'Laval', noMembre: 'M-1' });
    expect((await stored('adhesion')).map(({ no_membre }) => no_membre).sort()).toEqual(['M-1', 'M-9']);
  });

  it('adds the consents to the history, with the time of the signature and the values in V1’s shape', async () => {
    await makeAll();
    await sent(WHOLE);
    const read = (await partner('GET', '/b2b/v1/consentement/E-1')).json as {
      objetConsentement: { idExterne: string };
    }[];
    expect(
      read.sort((a, b) => (a.objetConsentement.idExterne < b.objetConsentement.idExterne ? -1 : 1)),
    ).toEqual(
      CONSENTEMENTS.map(({ objetConsentementIdExterne: idExterne, accepte }) => ({
        idExterneEmploye: 'E-1',
        objetConsentement: { idExterne, nom: `Objet ${idExterne}` },
        accepte,
        dateConsentement: '2026-03-02T14:05:09.120Z',
        valeursChampUtilisateur: VALEURS_V1,
      })),
    );
  });

  it('values keep the order sent; an empty one is no value', async () => {
    await makeChamps();
    const valeurs = [
      { NomChamp: 'Bilingue', Valeur: ' true ' },
      { NomChamp: 'Quart', Valeur: null },
      { NomChamp: 'Surnom', Valeur: ' ' },
      { NomChamp: 'Depuis', Valeur: '2020-02-29T23:30:00-05:00' },
    ];
    expect((await sent({ valeursChampUtilisateur: valeurs })).json.valeursChampUtilisateur).toEqual([
      { type: 'booleen', nom: 'Bilingue', valeur: true },
      { type: 'date', nom: 'Depuis', valeur: '2020-03-01T04:30:00.000Z' },
    ]);
    expect(await counts('valeur_champ_employe')).toEqual({ valeur_champ_employe: 0 });
  });

  it('the card and its consents stay as signed after changes of the employee, the fields and the form', async () => {
    await makeAll();
    const formulaireId = await makeForm({ champs: CHAMPS.map(({ nom }) => nom) });
    const card = (await sent({ ...WHOLE, formulaireId })).text;
    const consents = (await partner('GET', '/b2b/v1/consentement')).text;
    const changes: [string, () => Promise<unknown>][] = [
      [
        'PUT',
        () =>
          partner('PUT', '/b2b/v1/employe', {
            idExterne: 'E-1',
            prenom: 'A',
            nom: 'B',
            courriel: 'a@b.ca',
            ville: 'C',
          }),
      ],
      [
        'V1 sync',
        () =>
          syncedV1(app, tenant.partenaire, {
            employes: [{ idExterne: 'E-1', prenom: 'D', nom: 'E', ville: 'F' }],
          }),
      ],
      [
        'V2 sync',
        () =>
          synced(app, tenant.partenaire, {
            Employes: [
              {
                ...{ IdExterne: 'E-1', Prenom: 'G', Nom: 'H', Ville: 'I' },
                ValeursChampUtilisateur: [
                  { NomChamp: 'Quart', Valeur: 'JOUR' },
                  { NomChamp: 'Surnom', Valeur: 'Autre' },
                ],
              },
            ],
          }),
      ],
      [
        'another label',
        () =>
          partner('PUT', '/b2b/v2/champ-utilisateur', {
            ...CHAMPS[3],
            choix: [
              { idExterne: 'JOUR', libelle: 'Le jour' },
              { idExterne: 'NUIT', libelle: 'La nuit' },
            ],
          }),
      ],
      [
        'a choice removed',
        () =>
          partner('PUT', '/b2b/v2/champ-utilisateur', {
            ...CHAMPS[3],
            choix: [{ idExterne: 'JOUR', libelle: 'Le jour' }],
          }),
      ],
      ['another type', () => partner('PUT', '/b2b/v2/champ-utilisateur', { nom: 'Depuis', type: 'texte' })],
      [
        'another form',
        () =>
          partner('PUT', `/b2b/v2/formulaire/${formulaireId}`, {
            titre: 'Autre',
            syndicatIdExterne: 'SYN-2',
          }),
      ],
      ['a field deleted', () => partner('DELETE', '/b2b/v2/champ-utilisateur/Bilingue')],
    ];
    for (const [what, change] of changes) {
      const answer = (await change()) as Answer;
      expect([what, [200, 204].includes(answer.status)]).toEqual([what, true]);
      expect([what, (await partner('GET', '/b2b/v2/adhesion')).text]).toEqual([what, `[${card}]`]);
      expect([what, (await partner('GET', '/b2b/v1/consentement')).text]).toEqual([what, consents]);
      expect([what, await events('adhesion.signee')]).toEqual([what, [card]]);
    }
    expect((await employe('E-1')).prenom).toBe('G');
  });

  it('takes either case of the first letter of every property, and trims texts', async () => {
    await makeAll();
    const upper = (record: object) =>
      Object.fromEntries(
        Object.entries(record).map(([name, value]) => [name[0]!.toUpperCase() + name.slice(1), value]),
      );
    const folded = upper({
      ...signing({ ...WHOLE, ville: ' Québec ', employeIdExterne: ' E-1 ' }),
      valeursChampUtilisateur: [{ nomChamp: ' Quart ', valeur: ' NUIT ' }],
      consentements: CONSENTEMENTS.map(upper),
    });
    const answer = await platform('POST', '', folded);
    expect(answer.status).toBe(201);
    expect(answer.json).toMatchObject({ ville: 'Québec', valeursChampUtilisateur: [VALEURS_V2[0]] });
    expect(await counts('consentement')).toEqual({ consentement: 2 });
  });

  it.each([
    '🙂👩',
    '"\'\\',
    '100 % %s %00',
    '<b>&amp;</b>',
    '${x} {{y}}',
    '__proto__',
    'é\u0301',
    "'; DROP TABLE adhesion; --",
  ])('keeps %s in every text unchanged', async (text) => {
    await made('champ-utilisateur', { nom: text, type: 'texte' });
    await made('objet-consentement', { idExterne: text, nom: text });
    await synced(app, tenant.partenaire, {
      Syndicats: [{ IdentifiantExterne: text, Nom: text }],
      Employes: [{ IdExterne: text, Prenom: 'Zoé', Nom: 'Roy' }],
    });
    const names = [
      'prenom',
      'nom',
      'noMembre',
      'transactionId',
      'telephonePrincipal',
      'adresse1',
      'ville',
      'province',
    ];
    const { json, text: card } = await sent({
      ...Object.fromEntries(names.map((name) => [name, text])),
      ...{ employeIdExterne: text, syndicatIdExterne: text },
      valeursChampUtilisateur: [{ NomChamp: text, Valeur: text }],
      consentements: [{ objetConsentementIdExterne: text, accepte: true }],
    });
    expect(json).toMatchObject({
      ...{
        employePrenom: text,
        employeNom: text,
        transactionId: text,
        telephonePrincipal: text,
        adresse1: text,
      },
      ...{ ville: text, province: text, employeIdExterne: text, syndicatIdExterne: text, syndicatNom: text },
      valeursChampUtilisateur: [{ type: 'texte', nom: text, valeur: text }],
    });
    expect(await events('adhesion.signee')).toEqual([card]);
    expect(
      (await partner('GET', `/b2b/v2/adhesion?idExterneSyndicat=${encodeURIComponent(text)}`)).text,
    ).toBe(`[${card}]`);
    expect((await stored('adhesion'))[0].no_membre).toBe(text);
    expect((await partner('GET', '/b2b/v1/consentement')).json[0].objetConsentement).toEqual({
      idExterne: text,
      nom: text,
    });
  });

  it('accepts an image of 512 KiB, 200 values and 100 consents', async () => {
    const many = times(200, (n) => `N-${n}`);
    for (const nom of many) await made('champ-utilisateur', { nom, type: 'texte' });
    await synced(app, tenant.partenaire, {
      ObjetsConsentement: many.map((IdExterne) => ({ IdExterne, Nom: IdExterne })),
    });
    const { json } = await sent({
      imageSignature: dataUrl(pngOf(512 * 1024)),
      valeursChampUtilisateur: many.map((NomChamp) => ({ NomChamp, Valeur: NomChamp })),
      consentements: many.slice(0, 100).map((objetConsentementIdExterne) => ({
        objetConsentementIdExterne,
        accepte: true,
      })),
    });
    expect(json.valeursChampUtilisateur).toEqual(many.map((nom) => ({ type: 'texte', nom, valeur: nom })));
    expect(await counts('consentement')).toEqual({ consentement: 100 });
    expect((await stored('signature_manuscrite'))[0].png.equals(pngOf(512 * 1024))).toBe(true);
  });
});

describe('POST /plateforme/v1/adhesions of an unknown person', () => {
  it.each([
    ['nobody named', undefined],
    ['null', null],
    ['an empty text', ''],
    ['an unknown employee', 'E-9'],
    ['another casing', 'e-1'],
    ['the employee of another tenant', 'E-ailleurs'],
  ])('%s: 201 {demandeId, statut}, and no card, membership or consent', async (_what, employeIdExterne) => {
    await synced(app, await app.tenant(), {
      Employes: [{ IdExterne: 'E-ailleurs', Prenom: 'Zoé', Nom: 'Roy' }],
    });
    await makeAll();
    const before = await counts('employe', 'membership', 'valeur_champ_employe');
    const answer = await sent({ ...WHOLE, employeIdExterne });
    const { demandeId } = answer.json;
    expect(demandeId).toMatch(GUID);
    expect(answer.text).toBe(`{"demandeId":"${demandeId}","statut":"ATransferer"}`);
    expect(answer.headers.get('location')).toBe(`${SIGNING_PATH}/${demandeId}`);
    expect(await counts('adhesion', 'consentement')).toEqual({ adhesion: 0, consentement: 0 });
    expect(await counts('employe', 'membership', 'valeur_champ_employe')).toEqual(before);
    expect((await partner('GET', '/b2b/v2/adhesion')).text).toBe('[]');
    expect((await partner('GET', '/b2b/v1/consentement')).text).toBe('[]');
    const item = await partner('GET', `/b2b/v2/conciliation/${demandeId}`);
    expect(item.json).toMatchObject({
      ...{ demandeId, statut: 'ATransferer', employeIdExterne: employeIdExterne || null },
      ...{ ...CONTACT, noMembre: 'M-7', transactionId: 'TX-1', aSignatureManuscripte: true },
      ...{ dateSignature: '2026-03-02T14:05:09.120Z', valeursChampUtilisateur: VALEURS_V2 },
    });
    expect(await events('conciliation.demandee')).toEqual([item.text]);
    expect(await events('adhesion.signee')).toEqual([]);
    expect(await stored('signature_manuscrite')).toEqual([
      expect.objectContaining({ adhesion_id: null, demande_id: demandeId }),
    ]);
    expect(await counts('consentement_demande')).toEqual({ consentement_demande: 2 });
  });
});

describe('a signing with a form', () => {
  const obligatoire = async (nom: string): Promise<void> => {
    await made('champ-utilisateur', { nom, type: 'texte', obligatoire: true });
  };

  it('201 with values of its mandatory fields and more; the card keeps the form', async () => {
    await makeChamps();
    await obligatoire('Requis');
    await obligatoire('Ailleurs');
    const formulaireId = await makeForm({ champs: ['Requis', 'Surnom'] });
    const requis = { NomChamp: 'Requis', Valeur: 'x' };
    await sent({ formulaireId, valeursChampUtilisateur: [requis] });
    await sent({ formulaireId: formulaireId.toUpperCase(), valeursChampUtilisateur: [...VALEURS, requis] });
    expect((await stored('adhesion')).map(({ formulaire_id }) => formulaire_id)).toEqual([
      formulaireId,
      formulaireId,
    ]);
    // Without a form nothing is mandatory.
    await sent();
  });

  it('400 with each mandatory field without a value, and nothing is written', async () => {
    for (const nom of ['Requis', 'Aussi', 'Donné']) await obligatoire(nom);
    const formulaireId = await makeForm({ champs: ['Requis', 'Aussi', 'Donné'] });
    await unchanged(app, async () => {
      const donne = { NomChamp: 'Donné', Valeur: 'x' };
      for (const valeurs of [
        [donne],
        [donne, { NomChamp: 'Requis', Valeur: '' }, { NomChamp: 'Aussi', Valeur: null }],
        [donne, { NomChamp: 'Aussi' }],
      ]) {
        const answer = await send({ formulaireId, valeursChampUtilisateur: valeurs });
        expectFaults(answer, { '/valeursChampUtilisateur': 'required' });
        const details = answer.json.errors.map(
          ({ detail }: { detail: string }) => /value of (\S+),/.exec(detail)?.[1],
        );
        expect(details).toEqual(['Requis', 'Aussi']);
      }
      expectFaults(await send({ formulaireId, employeIdExterne: null }), {
        '/valeursChampUtilisateur': 'required',
      });
    });
  });

  it('400 for the form of another union; for that of another tenant as for an unknown one', async () => {
    const formulaireId = await makeForm();
    expectFaults(await send({ formulaireId, syndicatIdExterne: 'SYN-2' }), { '/formulaireId': 'reference' });
    const other = await openTenant(app);
    const foreign = await sign(app, other.plateforme, { formulaireId });
    expectFaults(foreign, { '/formulaireId': 'reference' });
    const none = await sign(app, other.plateforme, { formulaireId: randomUUID() });
    expect(comparable(foreign)).toEqual(comparable(none));
    expect(await counts('adhesion', 'demande_adhesion')).toEqual({ adhesion: 0, demande_adhesion: 0 });
  });

  it('409 Formulaire.Inactif with an inactive form, and nothing is written', async () => {
    const formulaireId = await makeForm({ actif: false });
    await unchanged(app, async () => {
      for (const employeIdExterne of ['E-1', undefined]) {
        expectProblem(await send({ formulaireId, employeIdExterne }), 409, 'Formulaire.Inactif');
        // Errors of the request itself come first.
        const elsewhere = await send({ formulaireId, employeIdExterne, syndicatIdExterne: 'SYN-2' });
        expectFaults(elsewhere, { '/formulaireId': 'reference' });
      }
    });
  });
});
