import { expectFaults, expectProblem } from '../http/expect-problem';
import { TestApp } from '../setup/test-app';
import {
  employee,
  employer,
  expectSync,
  job,
  type Loose,
  membership,
  Partner,
  union,
  without,
} from './support';
import { perFile, perTest } from '../setup/fixtures';

const app = perFile(() => TestApp.start());
const partner = perTest(() => Partner.start(app));

const body = () => ({
  Syndicats: [union('SYN-1', [employer('EMP-1'), employer('EMP-2')]), union('SYN-2')],
  Employes: [
    employee('E-1', {
      ...{ NoMembre: 'M-1', Courriel: 'zoe@example.org', TelephonePrincipal: '418 555-0142' },
      ...{ Adresse1: '1, rue Saint-Jean', Ville: 'Lévis', Province: 'QC', CodePostal: 'G6V 1A1' },
      Emplois: [job('J-1', 'EMP-1', { DateDebut: '2020-03-01' }), job('J-2', 'EMP-2')],
      Adhesions: [membership('SYN-1'), membership('SYN-2', '2022-01-01T12:00:00-05:00')],
    }),
    employee('E-2', { Emplois: [job('J-1', 'EMP-2')] }),
    employee('E-3'),
  ],
  ObjetsConsentement: [{ IdExterne: 'INFOLETTRE', Nom: 'Infolettre' }],
});

describe('POST /b2b/v2/sync', () => {
  it('200 counts each of the six kinds, new and known, under its path and its alias', async () => {
    await expectSync(partner.sync(body()), {
      ...{ Syndicats: [2, 0], Employeurs: [2, 0], Employes: [3, 0] },
      ...{ Emplois: [3, 0], Adhesions: [2, 0], ObjetsConsentement: [1, 0] },
    });
    const more = body();
    more.Syndicats.push(union('SYN-3', [employer('EMP-2'), employer('EMP-3')]));
    more.Employes.push(employee('E-4', { Emplois: [job('J', 'EMP-3')], Adhesions: [membership('SYN-3')] }));
    more.ObjetsConsentement.push({ IdExterne: 'PHOTO', Nom: 'Photo' });
    await expectSync(partner.send('POST', '/api/b2b/v2/sync', more), {
      // EMP-2 is nested twice and known both times.
      ...{ Syndicats: [1, 2], Employeurs: [1, 3], Employes: [1, 3] },
      ...{ Emplois: [1, 3], Adhesions: [1, 2], ObjetsConsentement: [1, 1] },
    });
    expect(await partner.v2('E-1')).toEqual({
      ...{ idExterne: 'E-1', prenom: 'Zoé', nom: "L'Écuyer", noMembre: 'M-1', courriel: 'zoe@example.org' },
      ...{ telephonePrincipal: '418 555-0142', adresse1: '1, rue Saint-Jean', ville: 'Lévis' },
      ...{ province: 'QC', codePostal: 'G6V 1A1', valeursChampUtilisateur: [] },
      emplois: [
        {
          ...{ identifiantExterne: 'J-1', identifiantExterneEmployeur: 'EMP-1', matricule: 'M-J-1' },
          ...{ dateDebut: '2020-03-01T00:00:00.000Z', dateFin: null, actif: true },
        },
        {
          ...{ identifiantExterne: 'J-2', identifiantExterneEmployeur: 'EMP-2', matricule: 'M-J-2' },
          ...{ dateDebut: null, dateFin: null, actif: true },
        },
      ],
      adhesions: [
        { syndicatIdExterne: 'SYN-1', dateAdhesion: '2021-05-01T00:00:00.000Z', dateFin: null },
        { syndicatIdExterne: 'SYN-2', dateAdhesion: '2022-01-01T17:00:00.000Z', dateFin: null },
      ],
      ...{ idUnique: expect.any(String), derniereMAJ: expect.any(String), dateCreation: expect.any(String) },
    });
    expect(await partner.rows('objet_consentement')).toMatchObject([{ nom: 'Infolettre' }, { nom: 'Photo' }]);
  });

  it('lists employments of one sync by their identifiers, in whatever order they were written', async () => {
    const Emplois = ['J-3', 'J-1', 'J-2'].map((id) => job(id, 'EMP-1'));
    await partner.sync({ ...body(), Employes: [employee('E-1', { Emplois })] });
    // A join of the sync decides which row is written first.
    await app.database.query(
      `WITH turned AS (SELECT id_unique, row_number() OVER (ORDER BY id_unique DESC) FROM emploi WHERE tenant_id = $1),
         written AS (SELECT id_unique, row_number() OVER (ORDER BY id_unique) FROM emploi WHERE tenant_id = $1)
       UPDATE emploi m SET id_unique = turned.id_unique FROM turned JOIN written USING (row_number)
       WHERE m.tenant_id = $1 AND m.id_unique = written.id_unique`,
      [partner.tenant.tenantId],
    );
    const { emplois } = (await partner.v2('E-1')) as { emplois: { identifiantExterne: string }[] };
    expect(emplois.map(({ identifiantExterne }) => identifiantExterne)).toEqual(['J-1', 'J-2', 'J-3']);
  });

  it('200 for an empty body, absent lists and null lists', async () => {
    const lists = ['Syndicats', 'Employes', 'ObjetsConsentement'];
    for (const value of [undefined, null, []]) {
      await expectSync(partner.sync(Object.fromEntries(lists.map((list) => [list, value]))), {});
    }
    const nothing = { Emplois: null, Adhesions: null, ValeursChampUtilisateur: null };
    const sent = { Syndicats: [union('S', null)], Employes: [employee('E', nothing)] };
    await expectSync(partner.sync(sent), { Syndicats: [1, 0], Employes: [1, 0] });
  });

  it('400 for a body or a list of another type, an unknown property of the body, or an unknown parameter', async () => {
    expectFaults(await partner.sync({ Syndicats: {}, Employes: 'x', ObjetsConsentement: 1 }), {
      '/Syndicats': 'type',
      '/Employes': 'type',
      '/ObjetsConsentement': 'type',
    });
    for (const name of ['Employeurs', 'employeurs', 'Emplois', 'Adhesions', '__proto__']) {
      const sent = JSON.stringify({ Syndicats: [union('S')] }).replace(/}$/, `,"${name}":[]}`);
      expectFaults(await partner.sync(sent), { [`/${name}`]: 'unknown' });
    }
    expectFaults(await partner.sync({ Employes: [], employes: [] }), { '/employes': 'duplicate' });
    expectFaults(await partner.sync([]), { '': 'type' });
    expectFaults(await partner.sync({}, '?simulation=oui&dry=1'), {
      '?simulation': 'type',
      '?dry': 'unknown',
    });
    for (const broken of ['{"Employes":[{', '{"Syndicats":[{"IdentifiantExterne":"S","Nom":"S"},]}']) {
      expectProblem(await partner.sync(broken), 400, 'Requete.Invalide');
    }
    // The first of them is a valid union; nevertheless nothing of the request is written.
    const half = '{"Syndicats":[{"IdentifiantExterne":"S","Nom":"S"}],"Employes":[{"a" "b"}]}';
    expectProblem(await partner.sync(half), 400, 'Requete.Invalide');
    expect(await partner.rows('syndicat')).toEqual([]);
  });

  it('takes properties in both casings and trims texts', async () => {
    const lower = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(lower)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value).map(([name, inner]) => [
                name.charAt(0).toLowerCase() + name.slice(1),
                lower(inner),
              ]),
            )
          : typeof value === 'string'
            ? ` ${value}\t`
            : value;
    const counts = (known: boolean): Parameters<typeof expectSync>[1] => {
      const of = (count: number): [number, number] => (known ? [0, count] : [count, 0]);
      return {
        ...{ Syndicats: of(2), Employeurs: of(2), Employes: of(3) },
        ...{ Emplois: of(3), Adhesions: of(2), ObjetsConsentement: of(1) },
      };
    };
    await expectSync(partner.sync(lower(body())), counts(false));
    const before = await partner.versions();
    await expectSync(partner.sync(body()), counts(true));
    expect(await partner.versions()).toEqual(before);
  });

  it('texts of any characters and the maximum length are stored unchanged', async () => {
    const odd = `\\N \u2028\\. a\tb\\tc\n\r\b\f\v"',;$1 {}`;
    const longest = '😀'.repeat(255);
    await partner.defineField(longest, 'choix', [longest]);
    await partner.defineField('T', 'texte');
    for (const text of [
      longest,
      odd,
      '\\N',
      '\\.',
      '__proto__',
      'constructor',
      "'; DROP TABLE employe; --",
    ]) {
      // An identifier has no invisible character.
      const id = text === odd ? 'ODD' : text;
      const NomChamp = id === longest ? longest : 'T';
      const sent = {
        Syndicats: [union(id, [employer(id, { Nom: text })], { Nom: text })],
        Employes: [
          employee(id, {
            ...{ Nom: text, Prenom: text, ValeursChampUtilisateur: [{ NomChamp, Valeur: text }] },
            ...{ Emplois: [job(id, id, { Matricule: text })], Adhesions: [membership(id)] },
          }),
        ],
        ObjetsConsentement: [{ IdExterne: id, Nom: text }],
      };
      await expectSync(partner.sync(sent), {
        ...{ Syndicats: [1, 0], Employeurs: [1, 0], Employes: [1, 0] },
        ...{ Emplois: [1, 0], Adhesions: [1, 0], ObjetsConsentement: [1, 0] },
      });
      expect(await partner.v2(id)).toMatchObject({
        ...{ idExterne: id, prenom: text, nom: text, adhesions: [{ syndicatIdExterne: id }] },
        emplois: [{ identifiantExterne: id, identifiantExterneEmployeur: id, matricule: text }],
        valeursChampUtilisateur: [
          NomChamp === 'T'
            ? { type: 'texte', nom: 'T', valeur: text }
            : { type: 'choix', nom: longest, idExterneChoix: longest },
        ],
      });
      expect(await partner.get(`/b2b/v2/syndicat/${encodeURIComponent(id)}`)).toMatchObject({
        ...{ identifiantExterne: id, nom: text, employeurs: [{ identifiantExterne: id, nom: text }] },
      });
    }
  });

  it('employees: an absent property keeps the stored value; null, or an empty text, clears it', async () => {
    await partner.sync(body());
    const kept = without(body().Employes[0]!, 'Ville', 'CodePostal', 'Emplois', 'Adhesions');
    const cleared = { Province: null, NoMembre: ' ', Courriel: '' };
    await expectSync(partner.sync({ Employes: [{ ...kept, ...cleared }] }), { Employes: [0, 1] });
    expect(await partner.v2('E-1')).toMatchObject({
      ...{ ville: 'Lévis', codePostal: 'G6V 1A1', adresse1: '1, rue Saint-Jean' },
      ...{ province: null, noMembre: null, courriel: null },
    });
    // Records of one request may have different properties.
    const two = [employee('E-1', { Ville: 'Québec' }), employee('E-2', { NoMembre: 'M-2' })];
    await expectSync(partner.sync({ Employes: two }), { Employes: [0, 2] });
    expect(await partner.v2('E-1')).toMatchObject({ ville: 'Québec', noMembre: null, codePostal: 'G6V 1A1' });
    expect(await partner.v2('E-2')).toMatchObject({ ville: null, noMembre: 'M-2' });
  });

  it('?simulation=true returns the same and writes nothing', async () => {
    await partner.defineField('T', 'texte');
    await partner.sync(body());
    await partner.age();
    const before = await partner.versions();
    const next = body();
    next.Syndicats[1]!.Employeurs = [employer('EMP-1'), employer('EMP-9')];
    next.Employes[0]!.Emplois = [job('J-2', 'EMP-9'), job('J-3', 'NOBODY')];
    next.Employes[1]!.ValeursChampUtilisateur = [{ NomChamp: 'T', Valeur: 't' }];
    next.Employes.push(employee('E-4', { Adhesions: [membership('SYN-2')] }), { IdExterne: 'E-5' });
    const audited = await partner.audited();
    const simulated = await partner.sync(next, '?simulation=true');
    expect(await partner.versions()).toEqual(before);
    expect(await partner.audited()).toEqual(audited);
    const done = await partner.sync(next, '?simulation=false');
    expect(await partner.audited()).toEqual([...audited, 'sync.v2']);
    expect(simulated.text).toBe(done.text);
    expect(done.json).toMatchObject({
      ...{ Syndicats: { AddCount: 0, UpdateCount: 2 }, Employeurs: { AddCount: 1, UpdateCount: 3 } },
      ...{ Employes: { AddCount: 1, UpdateCount: 3, Erreurs: [{ IdUnique: 'E-5' }] } },
      ...{ Emplois: { AddCount: 0, UpdateCount: 2, Erreurs: [{ IdUnique: 'J-3' }] } },
    });
    expect(await partner.versions()).not.toEqual(before);
  });

  it('another tenant’s records with the same identifiers are unchanged', async () => {
    const other = await Partner.start(app);
    await other.defineField('T', 'texte');
    const sent = body();
    sent.Employes[0]!.ValeursChampUtilisateur = [{ NomChamp: 'T', Valeur: 't' }];
    await other.sync(sent);
    const before = await other.versions();
    await expectSync(partner.sync(body()), {
      ...{ Syndicats: [2, 0], Employeurs: [2, 0], Employes: [3, 0] },
      ...{ Emplois: [3, 0], Adhesions: [2, 0], ObjetsConsentement: [1, 0] },
    });
    await partner.sync({ Employes: [employee('E-1', { Nom: 'Roy', Emplois: [job('J-9', 'EMP-1')] })] });
    // The other tenant's custom field and other records are unknown here.
    const foreign = { ValeursChampUtilisateur: [{ NomChamp: 'T', Valeur: 't' }] };
    const { json } = await partner.sync({ Employes: [employee('E-1', foreign)] });
    expect(json.Employes.Erreurs).toEqual([
      { IdUnique: 'E-1', Message: 'ValeursChampUtilisateur: no custom field is named T' },
    ]);
    expect(await other.versions()).toEqual(before);
  });
});

describe('changes by a sync', () => {
  it('an unchanged request rewrites nothing', async () => {
    await partner.defineField('T', 'texte');
    await partner.defineField('D', 'date');
    const sent = body();
    sent.Employes[0]!.ValeursChampUtilisateur = [
      { NomChamp: 'T', Valeur: 't' },
      { NomChamp: 'D', Valeur: '2026-01-31' },
    ];
    await partner.sync(sent);
    await partner.employee('E-1', { Emplois: [job('J-1', 'EMP-1', { DateDebut: '2020-03-01' })] });
    sent.Employes[0]!.Emplois = [job('J-1', 'EMP-1', { DateDebut: '2020-02-29T19:00:00-05:00' })];
    await partner.age();
    const before = await partner.versions();
    await expectSync(partner.sync(sent), {
      ...{ Syndicats: [0, 2], Employeurs: [0, 2], Employes: [0, 3] },
      ...{ Emplois: [0, 2], Adhesions: [0, 2], ObjetsConsentement: [0, 1] },
    });
    expect(await partner.versions()).toEqual(before);
  });

  it('a changed property, employment, membership or value changes the derniereMAJ of that employee only', async () => {
    await partner.defineField('T', 'texte');
    const sent = body();
    const [first, second] = sent.Employes as [Loose, Loose];
    const change = (what: () => void): Promise<string[]> => {
      what();
      return partner.changedBy(() => partner.sync(sent));
    };
    await partner.sync(sent);
    expect(await change(() => undefined)).toEqual([]);
    expect(await change(() => (first.Ville = 'Québec'))).toEqual(['E-1']);
    expect(await change(() => (second.Emplois = [job('J-1', 'EMP-2', { Matricule: 'X' })]))).toEqual(['E-2']);
    expect(await change(() => (second.Emplois = [job('J-1', 'EMP-2', { DateDebut: '2020-01-01' })]))).toEqual(
      ['E-2'],
    );
    expect(await change(() => (second.Emplois = [job('J-1', 'EMP-1')]))).toEqual(['E-2']);
    expect(
      await change(() => (first.Emplois = [job('J-1', 'EMP-1', { DateDebut: null }), job('J-2', 'EMP-2')])),
    ).toEqual(['E-1']);
    // An employment that is missing and therefore ended.
    expect(await change(() => (first.Emplois = [job('J-2', 'EMP-2')]))).toEqual(['E-1']);
    expect(await change(() => undefined)).toEqual([]);
    expect(await change(() => (second.Adhesions = [membership('SYN-2')]))).toEqual(['E-2']);
    expect(await change(() => (second.Adhesions = [membership('SYN-2', '2023-01-01')]))).toEqual(['E-2']);
    const value = (Valeur: unknown) => [{ NomChamp: 'T', Valeur }];
    expect(await change(() => (first.ValeursChampUtilisateur = value('a')))).toEqual(['E-1']);
    expect(await change(() => (first.ValeursChampUtilisateur = value('b')))).toEqual(['E-1']);
    expect(await change(() => (first.ValeursChampUtilisateur = value('b')))).toEqual([]);
    expect(await change(() => (first.ValeursChampUtilisateur = value(null)))).toEqual(['E-1']);
    expect(await change(() => undefined)).toEqual([]);
  });

  it('a new link changes the derniereMAJ of the union; a new name changes that of the renamed record only', async () => {
    const sent = body();
    const changed = async (what: () => void): Promise<unknown[]> => {
      await partner.sync(sent);
      await partner.age();
      const before = [...(await partner.rows('syndicat')), ...(await partner.rows('employeur'))];
      what();
      await partner.sync(sent);
      const after = [...(await partner.rows('syndicat')), ...(await partner.rows('employeur'))];
      return after
        .filter((row) => {
          const old = before.find(({ id_unique }) => id_unique === row.id_unique);
          return String(old?.derniere_maj) !== String(row.derniere_maj);
        })
        .map((row) => row.id_externe);
    };
    expect(await changed(() => (sent.Syndicats[1]!.Employeurs = [employer('EMP-1')]))).toEqual(['SYN-2']);
    expect(await changed(() => (sent.Syndicats[1]!.Nom = 'Autre'))).toEqual(['SYN-2']);
    expect(
      await changed(() => {
        const renamed = employer('EMP-1', { Nom: 'Autre' });
        sent.Syndicats = [union('SYN-1', [renamed, employer('EMP-2')]), union('SYN-2', [renamed])];
        sent.Syndicats[1]!.Nom = 'Autre';
      }),
    ).toEqual(['EMP-1']);
    expect(await changed(() => undefined)).toEqual([]);
  });
});

describe('the response of a V2 read', () => {
  it('can be sent back, in camelCase and with `actif`, and changes nothing', async () => {
    await partner.sync(body());
    await partner.employee('E-2', { Emplois: [job('J-9', 'EMP-1', { DateFin: '2020-01-01' })] });
    await partner.age();
    const before = await partner.versions();
    const read = await partner.get('/b2b/v2/employe');
    expect(read).toHaveLength(3);
    await expectSync(partner.sync({ employes: read }), {
      ...{ Employes: [0, 3], Emplois: [0, 4], Adhesions: [0, 2] },
    });
    await expectSync(partner.send('POST', '/b2b/v2/employe/upsert', read), {
      ...{ Employes: [0, 3], Emplois: [0, 4], Adhesions: [0, 2] },
    });
    expect(await partner.versions()).toEqual(before);
    const Emplois = read[0].emplois;
    await expectSync(partner.sync({ Employes: [employee('E-3', { Emplois })] }), {
      ...{ Employes: [0, 1], Emplois: [2, 0] },
    });
  });
});

describe.each(['/b2b/v2/employe/upsert', '/api/b2b/v2/employes/upsert'])('POST %s', (path) => {
  const upsert = (sent: unknown, query = '') => partner.send('POST', path + query, sent);

  it('200 with the result of a V2 sync for an array of employees', async () => {
    await partner.employers('EMP-1');
    const list = [
      employee('E-1', { Emplois: [job('J', 'EMP-1')], Adhesions: [membership('SYN'), membership('?')] }),
      { IdExterne: 'E-2' },
    ];
    const refused: [string, string][] = [['?', 'SyndicatIdExterne names no union: ? (employee E-1)']];
    for (const [index, query] of ['?simulation=true', '', ''].entries()) {
      const known = Number(index === 2);
      await expectSync(upsert(list, query), {
        Employes: [1 - known, known, [['E-2', 'Prenom is required; Nom is required']]],
        Emplois: [1 - known, known],
        Adhesions: [1 - known, known, refused],
      });
    }
    await expectSync(upsert([]), {});
  });

  it('400 for anything but an array', async () => {
    for (const sent of [{}, { Employes: [] }, 'null', '3', '"x"']) {
      expectProblem(await upsert(sent), 400, 'Requete.Invalide');
    }
  });
});
