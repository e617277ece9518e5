import { expectFaults, expectProblem } from '../http/expect-problem';
import { type Answer, TestApp } from '../setup/test-app';
import { perFile, perTest } from '../setup/fixtures';

const GOOD = { prenom: 'Zoé', nom: 'Roy' };

const app = perFile(() => TestApp.start());
const tenant = perTest(() => app.tenant());

const sync = (body: unknown, query = '', path = '/b2b/v1/employe/sync') =>
  app.send(tenant, 'POST', path + query, body);
const get = (path: string) => app.send(tenant, 'GET', `/b2b/v1${path}`);
const result = (created: number, updated: number, errors: [string, string][] = []) => ({
  ...{ created, updated, errors: errors.map(([idExterne, message]) => ({ idExterne, message })) },
});

async function expectResult(answering: Promise<Answer>, expected: ReturnType<typeof result>): Promise<void> {
  const answer = await answering;
  expect({ status: answer.status, body: answer.json }).toEqual({ status: 200, body: expected });
}

async function rows(table: string): Promise<Record<string, unknown>[]> {
  return (
    await app.database.query(`SELECT * FROM ${table} WHERE tenant_id = $1 ORDER BY id_externe`, [
      tenant.tenantId,
    ])
  ).rows;
}

/** Makes every row of the tenant a minute older, because a later `derniereMAJ` must differ. */
async function age(): Promise<void> {
  for (const table of ['employe', 'employeur', 'objet_consentement']) {
    const text = `UPDATE ${table} SET derniere_maj = derniere_maj - interval '1 minute' WHERE tenant_id = $1`;
    await app.database.query(text, [tenant.tenantId]);
  }
}

describe('POST /b2b/v1/employe/sync', () => {
  it('200 counts created and updated over the three lists, under its path and its alias', async () => {
    const body = {
      employeurs: [{ idExterne: 'EMP-1', nom: 'Aciérie' }],
      objetsConsentement: [{ idExterne: 'INFOLETTRE', nom: 'Infolettre' }],
      employes: [
        { idExterne: 'E-1', ...GOOD, courriel: 'zoe@example.org', identifiantExterneEmployeur: 'EMP-1' },
      ],
    };
    await expectResult(sync(body), result(3, 0));
    expect((await get('/employe/E-1')).json).toMatchObject(body.employes[0]!);
    expect((await get('/employeur/EMP-1')).json).toMatchObject(body.employeurs[0]!);
    expect(await rows('objet_consentement')).toEqual([expect.objectContaining({ nom: 'Infolettre' })]);
    body.employes.push({ ...body.employes[0]!, idExterne: 'E-2' });
    await expectResult(sync(body, '', '/api/b2b/employes/sync'), result(1, 3));
    expect(await rows('employe')).toHaveLength(2);
  });

  it('200 for an empty body, absent lists and null lists', async () => {
    for (const body of [
      {},
      { employes: [] },
      { employes: null, employeurs: null, objetsConsentement: null },
    ]) {
      await expectResult(sync(body), result(0, 0));
    }
  });

  it('200 takes properties in both casings, trims, and ignores read-only properties', async () => {
    await expectResult(
      sync({ Employes: [{ IdExterne: ' E-1 ', Prenom: ' Zoé', nom: 'Roy' }] }),
      result(1, 0),
    );
    const read = (await get('/employe')).json;
    expect(read).toEqual([expect.objectContaining({ idExterne: 'E-1', prenom: 'Zoé' })]);
    await age();
    await expectResult(sync({ employes: read }), result(0, 1));
    await expectResult(sync({ employes: [{ ...read[0], idUnique: 1, dateCreation: 'x' }] }), result(0, 1));
  });

  it('an unchanged record is not rewritten and keeps its derniereMAJ; a changed one gets a new one', async () => {
    const body = {
      employeurs: [{ idExterne: 'EMP-1', nom: 'Aciérie' }],
      objetsConsentement: [{ idExterne: 'O', nom: 'Infolettre' }],
      employes: ['E-1', 'E-2'].map((idExterne) => ({
        idExterne,
        ...GOOD,
        identifiantExterneEmployeur: 'EMP-1',
      })),
    };
    await sync(body);
    await age();
    const tables = ['employeur', 'objet_consentement', 'employe'];
    const before = await Promise.all(tables.map(rows));
    await expectResult(sync(body), result(0, 4));
    expect(await Promise.all(tables.map(rows))).toEqual(before);
    body.employes[0]!.prenom = 'Ève';
    await expectResult(sync(body), result(0, 4));
    const [changed, unchanged] = await rows('employe');
    expect(unchanged).toEqual(before[2]![1]);
    expect(changed).toMatchObject({ prenom: 'Ève', date_creation: before[2]![0]!.date_creation });
    expect(changed!.derniere_maj).not.toEqual(before[2]![0]!.derniere_maj);
  });

  it('an absent property keeps the stored value; null, or an empty text, clears it', async () => {
    await sync({
      employes: [{ idExterne: 'E-1', ...GOOD, ville: 'Lévis', province: 'QC', noMembre: 'M-1' }],
    });
    await sync({
      employes: [{ idExterne: 'E-1', prenom: 'Ève', nom: 'Roy', province: null, noMembre: ' ' }],
    });
    const expected = { prenom: 'Ève', ville: 'Lévis', province: null, no_membre: null };
    expect(await rows('employe')).toEqual([expect.objectContaining(expected)]);
  });

  it('texts keep all characters', async () => {
    const nom = `\\N \\. a\tb\\tc\n\r\b\f\v"',;$1 ${'é🙂'.repeat(50)}\u2028{}`;
    await expectResult(sync({ employes: [{ idExterne: '\\.', prenom: '\\N', nom }] }), result(1, 0));
    expect((await get('/employe/%5C.')).json).toMatchObject({ idExterne: '\\.', prenom: '\\N', nom });
  });

  it('an employee may name a stored employer or one of the same request; any other is that record’s error', async () => {
    await sync({ employeurs: [{ idExterne: 'STORED', nom: 'S' }] });
    const names = ['STORED', 'SENT', 'REFUSED', 'stored', 'NOBODY'];
    const employes = names.map((name) => ({
      idExterne: `E-${name}`,
      ...GOOD,
      identifiantExterneEmployeur: name,
    }));
    const employeurs = [{ idExterne: 'SENT', nom: 'S' }, { idExterne: 'REFUSED' }];
    const unknown = 'identifiantExterneEmployeur names no employer: ';
    await expectResult(
      sync({ employeurs, employes }),
      result(3, 0, [
        ['REFUSED', 'employeur: nom is required'],
        ['E-REFUSED', `${unknown}REFUSED`],
        ['E-stored', `${unknown}stored`],
        ['E-NOBODY', `${unknown}NOBODY`],
      ]),
    );
    expect((await rows('employe')).map((row) => row.id_externe)).toEqual(['E-SENT', 'E-STORED']);
  });

  it('each bad record is one error, in the order sent, and the others are written', async () => {
    const employes: [unknown, string, string][] = [
      [{ idExterne: 'A', ...GOOD, courriel: 'nobody' }, 'A', 'invalid e-mail'],
      [{ idExterne: 'B', prenom: 'Zoé' }, 'B', 'nom is required'],
      [{ idExterne: 'C', prenom: null, nom: ' ' }, 'C', 'prenom is required; nom is required'],
      [{ idExterne: 'D', ...GOOD, noMembre: 7 }, 'D', 'noMembre must be text'],
      [{ idExterne: 'E', ...GOOD, ville: 'x'.repeat(256) }, 'E', 'ville must have at most 255 characters'],
      [{ idExterne: ' F ', ...GOOD, courriel: '@', ville: [] }, 'F', 'invalid e-mail; ville must be text'],
      [GOOD, '', 'employes[6]: idExterne is required'],
      [{ idExterne: 5, ...GOOD }, '5', 'employes[7]: idExterne must be text'],
      [{ idExterne: null, ...GOOD }, '', 'employes[8]: idExterne is required'],
      [null, '', 'employes[9]: the record must be an object'],
      [3, '', 'employes[10]: the record must be an object'],
      ['E-1', '', 'employes[11]: the record must be an object'],
      [[], '', 'employes[12]: the record must be an object'],
      [{ idExterne: 'G', ...GOOD, Nom: 'Roy' }, 'G', 'Nom is sent twice, in two casings; send it once'],
      [{ idExterne: 'H', prenom: 'a\u0000', nom: 'R' }, 'H', 'prenom must not contain the character U+0000'],
      [
        { idExterne: 'I', prenom: '\udc00', nom: 'R' },
        'I',
        'prenom must not contain half of a surrogate pair',
      ],
      [
        { idExterne: 'x'.repeat(256), ...GOOD },
        'x'.repeat(256),
        'idExterne must have at most 255 characters',
      ],
    ];
    const good = { idExterne: 'Z', ...GOOD };
    const answer = sync({ employes: [...employes.map(([record]) => record), good] });
    await expectResult(
      answer,
      result(
        1,
        0,
        employes.map(([, id, message]) => [id, message]),
      ),
    );
    expect(await rows('employe')).toEqual([expect.objectContaining({ id_externe: 'Z' })]);
  });

  it('an unknown property is that record’s error, with the known ones in the message', async () => {
    const { json } = await sync({ employes: [{ idExterne: 'E-1', ...GOOD, surnom: 'Z' }] });
    const [error] = json.errors;
    expect(error.idExterne).toBe('E-1');
    expect(error.message).toMatch(
      /^surnom is not a property of this record; known are idExterne, prenom, nom, .*codePostal/,
    );
    expect(await rows('employe')).toEqual([]);
  });

  it('the write shape of custom values is refused, and the message says that V2 writes them', async () => {
    const write = [{ NomChamp: 'Quart', Valeur: 'NUIT' }];
    const detail = /^valeursChampUtilisateur are read-only in V1; write custom values with V2 /;
    for (const valeursChampUtilisateur of [write, [{ nomChamp: 'Quart', valeur: 'NUIT' }], write[0]])
      await expectResult(
        sync({ employes: [{ idExterne: 'E-1', ...GOOD, valeursChampUtilisateur }] }),
        result(0, 0, [['E-1', expect.stringMatching(detail) as string]]),
      );
    const single = await app.send(tenant, 'POST', '/b2b/v1/employe', {
      ...{ idExterne: 'E-1', ...GOOD, ValeursChampUtilisateur: write },
    });
    expect([single.status, single.json.errors[0].pointer]).toEqual([400, '/ValeursChampUtilisateur']);
    // The shape that V1 reads is ignored.
    const read = [
      { nom: 'Quart', valeurTexte: 'NUIT', valeurDate: null, valeurBooleen: null, valeurChoix: null },
    ];
    await expectResult(
      sync({ employes: [{ idExterne: 'E-1', ...GOOD, valeursChampUtilisateur: read }] }),
      result(1, 0),
    );
  });

  it('errors of employers and consent objects come first and name their kind or their place', async () => {
    const body = { employes: [{}], objetsConsentement: [{ idExterne: 'O' }], employeurs: [false] };
    const { json } = await sync(body);
    expect(json.errors).toEqual([
      { idExterne: '', message: 'employeurs[0]: the record must be an object' },
      { idExterne: 'O', message: 'objet de consentement: nom is required' },
      { idExterne: '', message: expect.stringMatching(/^employes\[0\]: .*idExterne is required/) },
    ]);
  });

  it('the second record with an identifier is an error, whether or not the first one was valid', async () => {
    const twice = 'appears twice in this request; the first one counts';
    const employes = [
      ...[
        { idExterne: 'A', ...GOOD },
        { idExterne: 'A ', prenom: 'Ève', nom: 'Roy' },
        { IdExterne: 'A', ...GOOD },
      ],
      ...[
        { idExterne: 'B', prenom: 'sans nom' },
        { idExterne: 'B', ...GOOD },
        { idExterne: 'a', ...GOOD },
      ],
    ];
    const errors: [string, string][] = [
      ['A', twice],
      ['A', twice],
      ['B', 'nom is required'],
      ['B', twice],
    ];
    await expectResult(sync({ employes }), result(2, 0, errors));
    expect(await rows('employe')).toMatchObject([{ id_externe: 'A', prenom: 'Zoé' }, { id_externe: 'a' }]);
  });

  it('?simulation=true returns the same and writes nothing', async () => {
    await sync({ employeurs: [{ idExterne: 'EMP-0', nom: 'Ancien' }] });
    await age();
    const before = await rows('employeur');
    const body = {
      employeurs: [
        { idExterne: 'EMP-0', nom: 'Nouveau' },
        { idExterne: 'EMP-1', nom: 'N' },
      ],
      objetsConsentement: [{ idExterne: 'O', nom: 'O' }],
      employes: [{ idExterne: 'E-1', ...GOOD, identifiantExterneEmployeur: 'EMP-1' }, { idExterne: 'E-2' }],
    };
    const simulated = await sync(body, '?simulation=true');
    expect(await rows('employeur')).toEqual(before);
    expect([...(await rows('employe')), ...(await rows('objet_consentement'))]).toEqual([]);
    const done = await sync(body, '?simulation=false');
    expect(done.json).toMatchObject({ created: 3, updated: 1 });
    expect(simulated.text).toBe(done.text);
  });

  it('400 for a list of another type, an unknown property of the body, or an unknown parameter', async () => {
    expectFaults(await sync({ employes: {}, employeurs: 'x', objetsConsentement: 1 }), {
      '/employes': 'type',
      '/employeurs': 'type',
      '/objetsConsentement': 'type',
    });
    expectFaults(await sync({ employes: [], syndicats: [] }), { '/syndicats': 'unknown' });
    expectFaults(await sync([]), { '': 'type' });
    expectFaults(await sync({}, '?simulation=oui&dry=1'), { '?simulation': 'type', '?dry': 'unknown' });
    expectProblem(await sync('{"employes":[{'), 400, 'Requete.Invalide');
  });

  it('another tenant’s records with the same identifiers are unchanged', async () => {
    const other = await app.tenant();
    const body = {
      employeurs: [{ idExterne: 'EMP-1', nom: 'A' }],
      employes: [{ idExterne: 'E-1', ...GOOD }],
    };
    await app.send(other, 'POST', '/b2b/v1/employe/sync', body);
    body.employes[0]!.prenom = 'Ève';
    await expectResult(sync(body), result(2, 0));
    expect((await app.send(other, 'GET', '/b2b/v1/employe/E-1')).json.prenom).toBe('Zoé');
  });
});
