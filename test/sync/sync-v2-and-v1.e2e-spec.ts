import { expectProblem } from '../http/expect-problem';
import { TestApp } from '../setup/test-app';
import {
  awayFromMidnight,
  employee,
  expectSync,
  job,
  type Loose,
  membership,
  Partner,
  today,
  without,
} from './support';
import { perFile } from '../setup/fixtures';

/** An employee as V1 writes it. */
const V1 = { idExterne: 'E-1', prenom: 'Zoé', nom: "L'Écuyer" };
const at = (identifiantExterneEmployeur: string | null): Loose => ({ ...V1, identifiantExterneEmployeur });

const app = perFile(() => TestApp.start());
let partner: Partner;

beforeEach(async () => {
  await awayFromMidnight();
  partner = await Partner.start(app);
  await partner.employers('EMP-1', 'EMP-2', 'EMP-3');
});

const put = async (record: Loose): Promise<Loose> => {
  const { status, json } = await partner.send('PUT', '/b2b/v1/employe', record);
  expect(status).toBe(200);
  return json as Loose;
};
const sync = (record: Loose) => partner.syncV1({ employes: [record] });
const employerOfV1 = async (): Promise<unknown> => (await partner.v1('E-1')).identifiantExterneEmployeur;

describe('an employee of V1', () => {
  it.each([
    ['created', () => partner.send('POST', '/b2b/v1/employe', at('EMP-1'))],
    ['synced', () => sync(at('EMP-1'))],
  ])('%s with an employer shows it in V2 as the employment V1', async (_how, create) => {
    await create();
    const employment = {
      ...{ identifiantExterne: 'V1', identifiantExterneEmployeur: 'EMP-1', matricule: null },
      ...{ dateDebut: null, dateFin: null, actif: true },
    };
    expect((await partner.v2('E-1')).emplois).toEqual([employment]);
    expect(await partner.get('/b2b/v2/emploi?idExterneEmploye=E-1')).toEqual([
      {
        ...employment,
        idExterneEmploye: 'E-1',
        prenom: 'Zoé',
        nom: "L'Écuyer",
        nomEmployeur: 'Employeur EMP-1',
      },
    ]);
    await put(at(null));
    expect((await partner.v2('E-1')).emplois).toEqual([]);
    expect(await partner.get('/b2b/v2/emploi?idExterneEmploye=E-1')).toEqual([]);
  });

  it('it stays if a V2 sync sends no Emplois, or none with a readable identifier', async () => {
    await sync(at('EMP-1'));
    const before = await partner.versions();
    for (const Emplois of [undefined, null, [], [null], [job(' ', 'EMP-2')]]) {
      const { json } = await partner.sync({ Employes: [employee('E-1', { Emplois })] });
      expect(json.Employes).toEqual({ AddCount: 0, UpdateCount: 1, Erreurs: [] });
    }
    expect(await partner.versions()).toEqual(before);
    expect([await employerOfV1(), await partner.jobs('E-1')]).toEqual([
      'EMP-1',
      { V1: ['EMP-1', null, null, true] },
    ]);
  });

  it('the first V2 sync with Emplois ends it, and counts only the employments sent', async () => {
    await sync(at('EMP-1'));
    expect(
      await partner.changedBy(() => partner.employee('E-1', { Emplois: [job('J-1', 'EMP-2')] })),
    ).toEqual(['E-1']);
    expect(await partner.jobs('E-1')).toEqual({
      V1: ['EMP-1', null, today(), false],
      'J-1': ['EMP-2', null, null, true],
    });
    expect(await employerOfV1()).toBe('EMP-2');
    await expectSync(partner.sync({ Employes: [employee('E-1', { Emplois: [job('J-1', 'EMP-2')] })] }), {
      ...{ Employes: [0, 1], Emplois: [0, 1] },
    });
  });

  it('a V2 sync that sends the employment V1 changes it', async () => {
    await sync(at('EMP-1'));
    const Emplois = [job('V1', 'EMP-3', { DateDebut: '2020-01-01' })];
    await expectSync(partner.sync({ Employes: [employee('E-1', { Emplois })] }), {
      ...{ Employes: [0, 1], Emplois: [0, 1] },
    });
    expect(await partner.jobs('E-1')).toEqual({ V1: ['EMP-3', '2020-01-01T00:00:00.000Z', null, true] });
    expect(await employerOfV1()).toBe('EMP-3');
  });

  it('a sync of the employment as V2 read it: rejected without a Matricule, but not ended', async () => {
    await sync(at('EMP-1'));
    const { emplois } = await partner.v2('E-1');
    await expectSync(partner.sync({ Employes: [employee('E-1', { Emplois: emplois })] }), {
      Employes: [0, 1],
      Emplois: [0, 0, [['V1', 'Matricule is required (employee E-1)']]],
    });
    expect(await partner.jobs('E-1')).toEqual({ V1: ['EMP-1', null, null, true] });
    expect(await employerOfV1()).toBe('EMP-1');
  });
});

describe('the employer that V1 shows of a V2 employee', () => {
  it('is that of the active employment that began last; ended and future ones do not count', async () => {
    const shown = async (Emplois: Loose[]): Promise<unknown> => {
      await partner.employee('E-1', { Emplois });
      const [listed] = await partner.get('/b2b/v1/employe');
      expect(await employerOfV1()).toEqual(listed.identifiantExterneEmployeur);
      return listed.identifiantExterneEmployeur as unknown;
    };
    const first = job('A', 'EMP-1', { DateDebut: '2020-01-01' });
    const second = job('B', 'EMP-2', { DateDebut: '2022-01-01' });
    expect(await shown([second, first])).toBe('EMP-2');
    expect(await shown([job('B', 'EMP-2', { DateDebut: null }), first])).toBe('EMP-1');
    expect(await shown([{ ...second, DateFin: today() }, first])).toBe('EMP-1');
    expect(await shown([{ ...second, DateFin: today(1) }, first])).toBe('EMP-2');
    expect(await shown([{ ...second, DateDebut: today(1) }, first])).toBe('EMP-1');
    expect(await shown([{ ...second, DateDebut: today() }, first])).toBe('EMP-2');
    expect(
      await shown([
        { ...second, DateFin: '2023-01-01' },
        { ...first, DateDebut: today(1) },
      ]),
    ).toBeNull();
    expect(await shown([{ ...second, DateDebut: null }])).toBe('EMP-2');
    // `A` is not in the request and is therefore ended.
    expect(await shown([{ ...second, DateFin: '2023-01-01' }])).toBeNull();
  });
});

describe.each([
  ['PUT', put],
  ['the V1 sync', sync],
])('an employer that V1 writes by %s for a V2 employee', (_how, write) => {
  const DATES = { DateDebut: '2020-01-01T00:00:00.000Z' };
  const J1 = { 'J-1': ['EMP-1', DATES.DateDebut, null, true] };
  beforeEach(() => partner.employee('E-1', { Emplois: [job('J-1', 'EMP-1', DATES)] }));

  it('another employer becomes the employment V1, active from today, which V1 then shows; the others stay', async () => {
    expect(await partner.changedBy(() => write(at('EMP-2')))).toEqual(['E-1']);
    expect(await partner.jobs('E-1')).toEqual({ ...J1, V1: ['EMP-2', today(), null, true] });
    expect(await employerOfV1()).toBe('EMP-2');
    expect(await partner.changedBy(() => write(at('EMP-3')))).toEqual(['E-1']);
    expect(await partner.jobs('E-1')).toEqual({ ...J1, V1: ['EMP-3', today(), null, true] });
    // The employer of J-1 again: V1 shows the employer that it wrote last.
    expect(await partner.changedBy(() => write(at('EMP-1')))).toEqual(['E-1']);
    expect(await employerOfV1()).toBe('EMP-1');
    expect((await partner.jobs('E-1'))['J-1']).toEqual(J1['J-1']);
  });

  it('the same employer changes nothing, not even derniereMAJ', async () => {
    await partner.age();
    const before = await partner.versions();
    await write(at('EMP-1'));
    expect((await partner.versions()).emploi).toEqual(before.emploi);
    expect(await partner.changedBy(() => write(at('EMP-1')))).toEqual([]);
    await write(at('EMP-2'));
    const [jobs, changed] = [await partner.rows('emploi'), await partner.changedBy(() => write(at('EMP-2')))];
    expect([await partner.rows('emploi'), changed]).toEqual([jobs, []]);
  });

  it('null ends the employment V1 only', async () => {
    expect(await partner.changedBy(() => write(at(null)))).toEqual([]);
    expect([await partner.jobs('E-1'), await employerOfV1()]).toEqual([J1, 'EMP-1']);
    await write(at('EMP-2'));
    expect(await partner.changedBy(() => write(at(null)))).toEqual(['E-1']);
    expect(await partner.jobs('E-1')).toEqual({ ...J1, V1: ['EMP-2', today(), today(), false] });
    expect(await employerOfV1()).toBe('EMP-1');
    expect(await partner.changedBy(() => write(at(null)))).toEqual([]);
    expect(await partner.changedBy(() => write(at('EMP-2')))).toEqual(['E-1']);
    expect((await partner.jobs('E-1')).V1).toEqual(['EMP-2', today(), null, true]);
  });

  it('an unknown employer is rejected, and nothing is written', async () => {
    const before = await partner.versions();
    const single = await partner.send('PUT', '/b2b/v1/employe', { ...at('NOBODY'), nom: 'Roy' });
    expectProblem(single, 400, 'Employe.EmployeurInconnu');
    const employes = [{ ...at('NOBODY'), nom: 'Roy' }];
    const { json } = await partner.send('POST', '/b2b/v1/employe/sync', { employes });
    expect(json).toMatchObject({ created: 0, updated: 0, errors: [{ idExterne: 'E-1' }] });
    expect(await partner.versions()).toEqual(before);
  });

  it('is ended by the next V2 sync with Emplois, and can be written again by V1', async () => {
    await write(at('EMP-2'));
    await partner.employee('E-1', { Emplois: [job('J-1', 'EMP-1', DATES)] });
    expect(await partner.jobs('E-1')).toEqual({ ...J1, V1: ['EMP-2', today(), today(), false] });
    expect(await employerOfV1()).toBe('EMP-1');
    await write(at('EMP-2'));
    expect(await employerOfV1()).toBe('EMP-2');
  });

  it('is shown by V1 even if the employments of V2 were rejected', async () => {
    // All employments in this V2 sync are rejected.
    const refused = [job('J-1', 'NOBODY')];
    await partner.sync({ Employes: [employee('E-2', { Emplois: refused })] });
    await write({ ...at('EMP-2'), idExterne: 'E-2' });
    expect(await partner.jobs('E-2')).toMatchObject({ V1: ['EMP-2', expect.anything(), null, true] });
    expect((await partner.v1('E-2')).identifiantExterneEmployeur).toBe('EMP-2');
  });

  it('is shown by V1 after every employment of the tenant was deleted with its employer', async () => {
    await partner.employee('E-1', { Emplois: [job('J-1', 'EMP-1', { DateFin: '2021-01-01' })] });
    expect((await partner.send('DELETE', '/b2b/v1/employeur/EMP-1')).status).toBe(204);
    expect(await partner.jobs('E-1')).toEqual({});
    await write(at('EMP-2'));
    expect(await employerOfV1()).toBe('EMP-2');
    expect(await partner.jobs('E-1')).toMatchObject({ V1: ['EMP-2', expect.anything(), null, true] });
  });

  it('is shown by V1 if no employment of the tenant was ever accepted', async () => {
    const fresh = await Partner.start(app);
    await fresh.employers('EMP-1');
    await fresh.sync({ Employes: [employee('E-1', { Emplois: [job('J-1', 'NOBODY')] })] });
    partner = fresh;
    await write(at('EMP-1'));
    expect(await employerOfV1()).toBe('EMP-1');
  });
});

describe('V1 writes of V2 employees', () => {
  it('a V1 sync without identifiantExterneEmployeur changes no employment', async () => {
    await partner.employee('E-1', { Emplois: [job('J-1', 'EMP-1')], Ville: 'Lévis' });
    await sync(at('EMP-2'));
    const before = await partner.rows('emploi');
    expect(await partner.changedBy(() => sync(V1))).toEqual([]);
    expect(await partner.changedBy(() => sync({ ...V1, nom: 'Roy' }))).toEqual(['E-1']);
    expect(await partner.rows('emploi')).toEqual(before);
    expect(await partner.v2('E-1')).toMatchObject({ nom: 'Roy', ville: 'Lévis' });
  });

  it('one V1 sync of many records handles each employee separately, those of V1 and those of V2', async () => {
    await partner.employee('A', { Emplois: [job('J-1', 'EMP-1')] });
    await partner.employee('B', { Emplois: [job('J-1', 'EMP-1')] });
    await partner.employee('C', { Emplois: [job('J-1', 'EMP-1')] });
    const record = (idExterne: string, employeur?: string | null) => ({
      ...{ ...V1, idExterne },
      ...(employeur === undefined ? {} : { identifiantExterneEmployeur: employeur }),
    });
    await partner.syncV1({ employes: [record('V', 'EMP-1'), record('W')] });
    const again = [
      record('A', 'EMP-2'),
      record('B'),
      record('C', 'EMP-1'),
      record('V', 'EMP-2'),
      record('W', null),
    ];
    const changed = await partner.changedBy(() => partner.syncV1({ employes: again }));
    expect(changed.sort()).toEqual(['A', 'V']);
    const shown = (await partner.get('/b2b/v1/employe')) as Loose[];
    expect(Object.fromEntries(shown.map((one) => [one.idExterne, one.identifiantExterneEmployeur]))).toEqual({
      ...{ A: 'EMP-2', B: 'EMP-1', C: 'EMP-1', V: 'EMP-2', W: null },
    });
  });

  it('the response of a V1 read, sent back by PUT and by sync, changes nothing', async () => {
    await partner.defineField('T', 'texte');
    const Emplois = [job('J-1', 'EMP-1', { DateDebut: '2020-01-01' }), job('J-2', 'EMP-2')];
    await partner.employee('E-1', { Emplois, ValeursChampUtilisateur: [{ NomChamp: 'T', Valeur: 't' }] });
    await partner.age();
    const before = await partner.versions();
    const read = await partner.v1('E-1');
    expect(await put(read as Loose)).toEqual(read);
    await sync(read as Loose);
    expect(await partner.versions()).toEqual(before);
  });

  it('a simulated V1 sync of another employer writes nothing', async () => {
    await partner.employee('E-1', { Emplois: [job('J-1', 'EMP-1')] });
    const before = await partner.versions();
    const body = { employes: [at('EMP-2')] };
    const { json } = await partner.send('POST', '/b2b/v1/employe/sync?simulation=true', body);
    expect(json).toEqual({ created: 0, updated: 1, errors: [] });
    expect(await partner.versions()).toEqual(before);
  });
});

describe('deletions', () => {
  it('an employer with active or future employments: 409; after all of them have ended: 204', async () => {
    const remove = () => partner.send('DELETE', '/b2b/v1/employeur/EMP-1');
    const active = [{}, { DateFin: today(1) }, { DateDebut: today(5), DateFin: null }];
    for (const dates of active) {
      await partner.employee('E-1', { Emplois: [job('J-1', 'EMP-1', dates), job('J-2', 'EMP-2')] });
      expectProblem(await remove(), 409, 'Employeur.EmploisActifs');
    }
    await partner.employee('E-2', { Emplois: [job('J-1', 'EMP-1')] });
    await partner.employee('E-1', { Emplois: [job('J-2', 'EMP-2')] });
    expectProblem(await remove(), 409, 'Employeur.EmploisActifs');
    expect((await partner.jobs('E-1'))['J-1']).toEqual(['EMP-1', today(5), today(), false]);
    await partner.employee('E-2', { Emplois: [job('J-1', 'EMP-1', { DateFin: '2024-01-01' })] });
    expect((await remove()).status).toBe(204);
    expect(await partner.jobs('E-1')).toEqual({ 'J-2': ['EMP-2', null, null, true] });
    expect(await partner.jobs('E-2')).toEqual({});
    expect((await partner.get('/b2b/v2/syndicat/SYN')).employeurs).toHaveLength(2);
    expectProblem(await remove(), 404, 'Employeur.NotFound');
  });

  it('an employer that V1 wrote: 409, until V1 removes it', async () => {
    await sync(at('EMP-1'));
    const remove = () => partner.send('DELETE', '/b2b/v1/employeur/EMP-1');
    expectProblem(await remove(), 409, 'Employeur.EmploisActifs');
    await partner.employee('E-1', { Emplois: [job('J-1', 'EMP-2')] });
    await put(at('EMP-1'));
    expectProblem(await remove(), 409, 'Employeur.EmploisActifs');
    await put(at(null));
    expect((await remove()).status).toBe(204);
  });

  it('an employee: employments, memberships and values are deleted, and a new employee starts without them', async () => {
    await partner.defineField('T', 'texte');
    const all = {
      Emplois: [job('J-1', 'EMP-1'), job('J-2', 'EMP-2', { DateFin: '2020-01-01' })],
      Adhesions: [membership('SYN')],
      ValeursChampUtilisateur: [{ NomChamp: 'T', Valeur: 't' }],
    };
    await partner.employee('E-1', all);
    await partner.employee('E-2', all);
    expect((await partner.send('DELETE', '/b2b/v1/employe/E-1')).status).toBe(204);
    for (const [table, count] of [
      ['emploi', 2],
      ['membership', 1],
      ['valeur_champ_employe', 1],
    ] as const) {
      const rows = await partner.rows(table);
      expect(rows).toHaveLength(count);
      for (const row of rows) expect(row.id_externe_employe).toBe('E-2');
    }
    expect(await partner.get('/b2b/v2/emploi?idExterneEmploye=E-1')).toEqual([]);
    await partner.employee('E-1');
    expect(await partner.v2('E-1')).toMatchObject({
      emplois: [],
      adhesions: [],
      valeursChampUtilisateur: [],
    });
    await put(at('EMP-3'));
    expect(await employerOfV1()).toBe('EMP-3');
    expect(without(await partner.jobs('E-1'), 'V1')).toEqual({});
  });
});
