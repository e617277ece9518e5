import { expectFaults, expectProblem } from '../http/expect-problem';
import { TestApp } from '../setup/test-app';
import {
  awayFromMidnight,
  employee,
  employer,
  expectSync,
  job,
  type Loose,
  membership,
  Partner,
  today,
  union,
  without,
} from './support';
import { perFile } from '../setup/fixtures';

const app = perFile(() => TestApp.start());
let partner: Partner;

beforeEach(async () => {
  await awayFromMidnight();
  partner = await Partner.start(app);
});

describe('rule 1: no default union; an employer is synced only if nested in a union of the same request', () => {
  /** The employers of each union, sorted: the records of one sync are made in any order. */
  const links = async (): Promise<Record<string, string[]>> => {
    const unions = (await partner.get('/b2b/v2/syndicat')) as Loose[];
    return Object.fromEntries(
      unions.map(({ identifiantExterne, employeurs }) => [
        identifiantExterne,
        (employeurs as Loose[]).map((one) => one.identifiantExterne as string).sort(),
      ]),
    ) as Record<string, string[]>;
  };

  it('employers at the top level of the body are an unknown property: 400, and nothing is written', async () => {
    const sent = { Syndicats: [union('SYN-1')], Employeurs: [employer('EMP-1')] };
    expectFaults(await partner.sync(sent), { '/Employeurs': 'unknown' });
    expect([...(await partner.rows('syndicat')), ...(await partner.rows('employeur'))]).toEqual([]);
  });

  it('an employer nested in two unions is linked with both, and a link is never removed by leaving it out', async () => {
    const sent = {
      Syndicats: [
        union('SYN-1', [employer('EMP-1'), employer('EMP-2')]),
        union('SYN-2', [employer('EMP-2'), employer('EMP-3')]),
      ],
    };
    await expectSync(partner.sync(sent), { Syndicats: [2, 0], Employeurs: [3, 1] });
    expect(await links()).toEqual({ 'SYN-1': ['EMP-1', 'EMP-2'], 'SYN-2': ['EMP-2', 'EMP-3'] });
    for (const Employeurs of [[], null, [employer('EMP-3')]]) {
      const { status } = await partner.sync({ Syndicats: [{ ...union('SYN-1'), Employeurs }] });
      expect(status).toBe(200);
    }
    await partner.sync({ Syndicats: [{ IdentifiantExterne: 'SYN-2', Nom: 'Sans employeurs' }] });
    expect(await links()).toEqual({ 'SYN-1': ['EMP-1', 'EMP-2', 'EMP-3'], 'SYN-2': ['EMP-2', 'EMP-3'] });
  });

  it('another name for an employer in the same request is that record’s error; the employer is linked to each union', async () => {
    const other = employer('EMP-1', { Nom: 'Autre' });
    const Syndicats = [union('SYN-1', [employer('EMP-1')]), union('SYN-2', [other, employer('EMP-2')])];
    await expectSync(partner.sync({ Syndicats }), {
      Syndicats: [2, 0],
      Employeurs: [2, 0, [['EMP-1', expect.stringMatching(/another name.*union SYN-2/)]]],
    });
    expect(await links()).toEqual({ 'SYN-1': ['EMP-1'], 'SYN-2': ['EMP-1', 'EMP-2'] });
    expect(await partner.rows('employeur')).toMatchObject([{ nom: 'Employeur EMP-1' }, {}]);
    // In another request it changes the name.
    await expectSync(partner.sync({ Syndicats: [union('SYN-2', [other])] }), {
      ...{ Syndicats: [0, 1], Employeurs: [0, 1] },
    });
    expect(await links()).toEqual({ 'SYN-1': ['EMP-1'], 'SYN-2': ['EMP-1', 'EMP-2'] });
  });

  it('an employer of V1 is the same employer', async () => {
    await partner.syncV1({ employeurs: [{ idExterne: 'EMP-1', nom: 'Aciérie' }] });
    await expectSync(partner.sync({ Employes: [employee('E-1', { Emplois: [job('J', 'EMP-1')] })] }), {
      ...{ Employes: [1, 0], Emplois: [1, 0] },
    });
    await expectSync(partner.sync({ Syndicats: [union('SYN-1', [employer('EMP-1')])] }), {
      ...{ Syndicats: [1, 0], Employeurs: [0, 1] },
    });
    expect((await partner.get('/b2b/v1/employeur/EMP-1')).nom).toBe('Employeur EMP-1');
  });
});

describe('rule 2: Emplois empty or null', () => {
  it('the employee is created or updated, and existing employments are unchanged', async () => {
    await partner.employers('EMP-1');
    for (const Emplois of [[], null, undefined]) {
      const id = `E-${JSON.stringify(Emplois)}`;
      await expectSync(partner.sync({ Employes: [employee(id, { Emplois })] }), { Employes: [1, 0] });
      await partner.employee(id, { Emplois: [job('J-1', 'EMP-1')] });
      const before = await partner.rows('emploi');
      await expectSync(partner.sync({ Employes: [employee(id, { Emplois, Nom: 'Roy' })] }), {
        Employes: [0, 1],
      });
      expect(await partner.rows('emploi')).toEqual(before);
      expect((await partner.v2(id)).nom).toBe('Roy');
    }
  });
});

describe('rule 3: an employment that is missing in a non-empty Emplois', () => {
  beforeEach(() => partner.employers('EMP-1', 'EMP-2'));

  it('is deactivated and not deleted: DateFin is the current day in America/Toronto, at 00:00 UTC', async () => {
    const DateDebut = '2020-01-01T00:00:00.000Z';
    await partner.employee('E-1', {
      Emplois: [
        job('STAYS', 'EMP-1'),
        job('ONGOING', 'EMP-1', { DateDebut }),
        job('ENDS LATER', 'EMP-2', { DateFin: today(30) }),
        job('ENDS TODAY AT NOON', 'EMP-2', { DateFin: today().replace('T00', 'T12') }),
        job('BEGINS LATER', 'EMP-2', { DateDebut: today(30) }),
      ],
    });
    await partner.employee('E-2', { Emplois: [job('ONGOING', 'EMP-1')] });
    await expectSync(partner.sync({ Employes: [employee('E-1', { Emplois: [job('STAYS', 'EMP-1')] })] }), {
      ...{ Employes: [0, 1], Emplois: [0, 1] },
    });
    expect(await partner.jobs('E-1')).toEqual({
      STAYS: ['EMP-1', null, null, true],
      ONGOING: ['EMP-1', DateDebut, today(), false],
      'ENDS LATER': ['EMP-2', null, today(), false],
      'ENDS TODAY AT NOON': ['EMP-2', null, today(), false],
      'BEGINS LATER': ['EMP-2', today(30), today(), false],
    });
    // Identifiers belong to one employee: the same identifier at the other employee is another employment.
    expect(await partner.jobs('E-2')).toEqual({ ONGOING: ['EMP-1', null, null, true] });
    expect(await partner.rows('emploi')).toHaveLength(6);
  });

  it('stays as it is if it had already ended', async () => {
    const ended = { DateFin: '2021-06-30T00:00:00.000Z' };
    await partner.employee('E-1', {
      Emplois: [job('J-1', 'EMP-1', ended), job('J-2', 'EMP-1', { DateFin: today() }), job('J-3', 'EMP-1')],
    });
    await partner.age();
    const before = await partner.versions();
    await partner.employee('E-1', { Emplois: [job('J-3', 'EMP-1')] });
    expect(await partner.versions()).toEqual(before);
    expect(await partner.jobs('E-1')).toEqual({
      'J-1': ['EMP-1', null, ended.DateFin, false],
      'J-2': ['EMP-1', null, today(), false],
      'J-3': ['EMP-1', null, null, true],
    });
  });

  it('is active again if it comes back, with the dates sent; without DateFin it is ongoing since its DateDebut', async () => {
    await partner.employee('E-1', { Emplois: [job('J-1', 'EMP-1', { DateDebut: '2020-01-01' })] });
    await partner.employee('E-1', { Emplois: [job('J-2', 'EMP-2')] });
    expect((await partner.jobs('E-1'))['J-1']).toEqual(['EMP-1', '2020-01-01T00:00:00.000Z', today(), false]);
    await partner.employee('E-1', { Emplois: [job('J-1', 'EMP-1'), job('J-2', 'EMP-2')] });
    expect((await partner.jobs('E-1'))['J-1']).toEqual(['EMP-1', '2020-01-01T00:00:00.000Z', null, true]);
    await partner.employee('E-1', { Emplois: [job('J-2', 'EMP-2')] });
    const dates = { DateDebut: '2024-05-01T00:00:00.000Z', DateFin: today(10) };
    await partner.employee('E-1', { Emplois: [job('J-1', 'EMP-2', dates), job('J-2', 'EMP-2')] });
    expect(await partner.jobs('E-1')).toEqual({
      'J-1': ['EMP-2', dates.DateDebut, dates.DateFin, true],
      'J-2': ['EMP-2', null, null, true],
    });
  });

  it('differs from an employment with a DateFin of the partner, which keeps that date', async () => {
    await partner.employee('E-1', { Emplois: [job('J-1', 'EMP-1'), job('J-2', 'EMP-1')] });
    const past = job('J-1', 'EMP-1', { DateFin: '2024-12-31' });
    const future = job('J-2', 'EMP-1', { DateFin: today(1) });
    await partner.employee('E-1', { Emplois: [past, future] });
    expect(await partner.jobs('E-1')).toEqual({
      'J-1': ['EMP-1', null, '2024-12-31T00:00:00.000Z', false],
      'J-2': ['EMP-1', null, today(1), true],
    });
    await partner.employee('E-1', { Emplois: [future] });
    expect((await partner.jobs('E-1'))['J-1']![2]).toBe('2024-12-31T00:00:00.000Z');
  });

  it('a rejected record with a readable identifier does not count as missing', async () => {
    const stored = { Emplois: [job('J-1', 'EMP-1'), job('J-2', 'EMP-1'), job('J-3', 'EMP-1')] };
    const refused: [record: Loose, message: unknown][] = [
      [without(job('J-1', 'EMP-1'), 'Matricule'), 'Matricule is required (employee E-1)'],
      [job('J-1', 'NOBODY'), 'IdentifiantExterneEmployeur names no employer: NOBODY (employee E-1)'],
      [job('J-1', 'EMP-1', { DateDebut: 'hier' }), expect.stringMatching(/^DateDebut .*\(employee E-1\)$/)],
      [{ identifiantExterne: ' J-1 ' }, expect.stringContaining('Matricule is required')],
    ];
    for (const [record, message] of refused) {
      await partner.employee('E-1', stored);
      const sent = { Employes: [employee('E-1', { Emplois: [record, job('J-2', 'EMP-1')] })] };
      await expectSync(partner.sync(sent), { Employes: [0, 1], Emplois: [0, 1, [['J-1', message]]] });
      expect(await partner.jobs('E-1')).toEqual({
        'J-1': ['EMP-1', null, null, true],
        'J-2': ['EMP-1', null, null, true],
        'J-3': ['EMP-1', null, today(), false],
      });
    }
    // The same applies if all records are rejected.
    await partner.employee('E-1', stored);
    await partner.sync({ Employes: [employee('E-1', { Emplois: [{ IdentifiantExterne: 'J-1' }] })] });
    expect(await partner.jobs('E-1')).toMatchObject({
      ...{ 'J-1': ['EMP-1', null, null, true], 'J-2': ['EMP-1', null, today(), false] },
    });
  });

  const unreadable: [string, Loose][] = [
    ['absent', {}],
    ['null', { IdentifiantExterne: null }],
    ['empty', { IdentifiantExterne: ' ' }],
    ['a number', { IdentifiantExterne: 1 }],
    ['an object', { IdentifiantExterne: { id: 'J-1' } }],
    ['a list', { IdentifiantExterne: ['J-1'] }],
    ['with U+0000', { IdentifiantExterne: 'J-1\u0000' }],
    ['with half of a surrogate pair', { IdentifiantExterne: 'J-1\ud83d' }],
    ['of 256 characters', { IdentifiantExterne: 'x'.repeat(256) }],
    ['sent twice, in two casings', { identifiantExterne: 'J-9', IdentifiantExterne: 'J-1' }],
  ];
  it.each(unreadable)(
    'is not deactivated if the identifier of a record is %s, because the record may be the same employment',
    async (_how, id) => {
      await partner.employee('E-1', { Emplois: [job('J-1', 'EMP-1'), job('J-2', 'EMP-1')] });
      await partner.employee('E-2', { Emplois: [job('J-1', 'EMP-1'), job('J-2', 'EMP-1')] });
      const Emplois = [{ ...without(job('', 'EMP-1'), 'IdentifiantExterne'), ...id }, job('J-2', 'EMP-2')];
      const other = employee('E-2', { Emplois: [job('J-2', 'EMP-2')] });
      const { json } = await partner.sync({ Employes: [employee('E-1', { Emplois }), other] });
      expect(json.Employes).toEqual({ AddCount: 0, UpdateCount: 2, Erreurs: [] });
      expect(json.Emplois).toMatchObject({ AddCount: 0, UpdateCount: 2, Erreurs: [expect.anything()] });
      expect(await partner.jobs('E-1')).toEqual({
        'J-1': ['EMP-1', null, null, true],
        'J-2': ['EMP-2', null, null, true],
      });
      // The employments of the other employee are deactivated nevertheless.
      expect((await partner.jobs('E-2'))['J-1']).toEqual(['EMP-1', null, today(), false]);
    },
  );

  it.each([null, 3, 'J-1', true, [], [job('J-1', 'EMP-1')]])(
    'is not deactivated if a record is %j',
    async (record) => {
      await partner.employee('E-1', { Emplois: [job('J-1', 'EMP-1'), job('J-2', 'EMP-1')] });
      const before = await partner.versions();
      for (const Emplois of [[record], [record, job('J-2', 'EMP-1')]]) {
        const { json } = await partner.sync({ Employes: [employee('E-1', { Emplois })] });
        expect(json.Emplois.Erreurs).toEqual([
          {
            IdUnique: '',
            Message: 'Employes[0].Emplois[0]: the record must be an object (employee E-1)',
          },
        ]);
        expect(await partner.versions()).toEqual(before);
      }
    },
  );

  it('stays if its employee is rejected', async () => {
    await partner.employee('E-1', { Emplois: [job('J-1', 'EMP-1')] });
    const before = await partner.versions();
    const refused = employee('E-1', { Courriel: 'nobody', Emplois: [job('J-2', 'EMP-1')] });
    await expectSync(partner.sync({ Employes: [refused] }), {
      Employes: [0, 0, [['E-1', 'invalid e-mail']]],
    });
    expect(await partner.versions()).toEqual(before);
  });
});

describe('rule 4: Adhesions', () => {
  it('empty or null leaves memberships unchanged, and so does a missing one; there may be several', async () => {
    const unions = ['SYN-1', 'SYN-2', 'SYN-3'];
    await partner.sync({ Syndicats: unions.map((id) => union(id)) });
    await partner.employee('E-1', { Adhesions: [membership('SYN-1'), membership('SYN-2', '2022-01-01')] });
    const before = await partner.rows('membership');
    for (const Adhesions of [[], null, undefined]) {
      await expectSync(partner.sync({ Employes: [employee('E-1', { Adhesions })] }), { Employes: [0, 1] });
      expect(await partner.rows('membership')).toEqual(before);
    }
    const Adhesions = [membership('SYN-3', '2020-01-01'), membership('SYN-2', '2022-06-01')];
    await expectSync(partner.sync({ Employes: [employee('E-1', { Adhesions })] }), {
      ...{ Employes: [0, 1], Adhesions: [1, 1] },
    });
    expect((await partner.v2('E-1')).adhesions).toEqual([
      { syndicatIdExterne: 'SYN-3', dateAdhesion: '2020-01-01T00:00:00.000Z', dateFin: null },
      { syndicatIdExterne: 'SYN-1', dateAdhesion: '2021-05-01T00:00:00.000Z', dateFin: null },
      { syndicatIdExterne: 'SYN-2', dateAdhesion: '2022-06-01T00:00:00.000Z', dateFin: null },
    ]);
  });

  it('a membership ends on its DateFin, and goes on when it is sent without one', async () => {
    const send = (DateFin: unknown) =>
      partner.sync({
        Employes: [employee('E-1', { Adhesions: [membership('SYN-1', '2020-01-01', DateFin)] })],
      });
    await partner.sync({ Syndicats: [union('SYN-1')] });
    const fin = async () => (await partner.v2('E-1')).adhesions.map((one: Loose) => one.dateFin);
    await expectSync(send('2024-05-01'), { Employes: [1, 0], Adhesions: [1, 0] });
    expect(await fin()).toEqual(['2024-05-01T00:00:00.000Z']);
    await expectSync(send(undefined), { Employes: [0, 1], Adhesions: [0, 1] });
    expect(await fin()).toEqual([null]);
    await expectSync(send('2025-01-01T05:00:00Z'), { Employes: [0, 1], Adhesions: [0, 1] });
    await expectSync(send(null), { Employes: [0, 1], Adhesions: [0, 1] });
    expect(await fin()).toEqual([null]);
  });
});

describe('dates of employments and memberships', () => {
  const SYN = 'SYN-1';
  const DEBUT = '2020-01-01T00:00:00.000Z';
  beforeEach(async () => {
    await partner.employers('EMP-1');
    await partner.sync({ Syndicats: [union(SYN)] });
  });
  const memberDates = async (): Promise<unknown> => {
    const [one] = (await partner.v2('E-1')).adhesions as Loose[];
    return [one!.dateAdhesion, one!.dateFin];
  };

  it.each<[what: string, stored: Loose, sent: Loose, expected: unknown[]]>([
    ['absent: a fixed term stays', { DateDebut: DEBUT, DateFin: today(30) }, {}, [DEBUT, today(30)]],
    ['absent: an end that has passed goes', { DateDebut: DEBUT, DateFin: '2024-01-01' }, {}, [DEBUT, null]],
    ['absent: an end today goes', { DateDebut: DEBUT, DateFin: today() }, {}, [DEBUT, null]],
    [
      'null: both are cleared',
      { DateDebut: DEBUT, DateFin: today(30) },
      { DateDebut: null, DateFin: null },
      [null, null],
    ],
    ['one absent', { DateDebut: DEBUT, DateFin: today(30) }, { DateFin: today(40) }, [DEBUT, today(40)]],
    ['the other absent', { DateFin: today(30) }, { DateDebut: DEBUT }, [DEBUT, today(30)]],
  ])('of an employment, %s', async (_what, stored, sent, [debut, fin]) => {
    await partner.employee('E-1', { Emplois: [job('J', 'EMP-1', stored), job('ALONE', 'EMP-1')] });
    await partner.employee('E-1', { Emplois: [job('J', 'EMP-1', sent), job('ALONE', 'EMP-1')] });
    expect((await partner.jobs('E-1')).J).toEqual(['EMP-1', debut, fin, true]);
  });

  it('a membership keeps an end that lies ahead until null clears it; one that has passed goes', async () => {
    await partner.employee('E-1', { Adhesions: [membership(SYN, DEBUT, today(30))] });
    await partner.employee('E-1', { Adhesions: [membership(SYN, DEBUT)] });
    expect(await memberDates()).toEqual([DEBUT, today(30)]);
    await partner.employee('E-1', { Adhesions: [membership(SYN, DEBUT, null)] });
    expect(await memberDates()).toEqual([DEBUT, null]);
    await partner.employee('E-1', { Adhesions: [membership(SYN, DEBUT, today())] });
    await partner.employee('E-1', { Adhesions: [membership(SYN, DEBUT)] });
    expect(await memberDates()).toEqual([DEBUT, null]);
  });

  it.each<[what: string, stored: Loose, sent: Loose]>([
    ['sent together', {}, { DateDebut: '2026-03-02', DateFin: '2026-03-01' }],
    [
      'of one day by the clock, and of two in the time zone',
      {},
      { DateDebut: '2026-03-03', DateFin: '2026-03-03T01:00:00Z' },
    ],
    ['before the stored beginning', { DateDebut: today(10) }, { DateFin: today(9) }],
    ['after the stored end', { DateFin: today(10) }, { DateDebut: today(11) }],
  ])('an employment whose DateFin is before its DateDebut is its error: %s', async (_what, stored, sent) => {
    await partner.employee('E-1', { Emplois: [job('J', 'EMP-1', stored), job('ALONE', 'EMP-1')] });
    const before = await partner.jobs('E-1');
    const message = expect.stringMatching(/^DateFin is before DateDebut.*\(employee E-1\)$/);
    await expectSync(
      partner.sync({
        Employes: [employee('E-1', { Emplois: [job('J', 'EMP-1', sent), job('ALONE', 'EMP-1')] })],
      }),
      { Employes: [0, 1], Emplois: [0, 1, [['J', message]]] },
    );
    expect(await partner.jobs('E-1')).toEqual(before);
  });

  it.each<[what: string, fin: unknown, sent: [unknown, unknown?]]>([
    ['sent together', undefined, ['2026-03-02', '2026-03-01']],
    ['after the stored end', today(10), [today(11)]],
  ])('a membership whose DateFin is before its DateAdhesion is its error: %s', async (_what, fin, sent) => {
    await partner.employee('E-1', { Adhesions: [membership(SYN, DEBUT, fin)] });
    const before = await memberDates();
    const message = expect.stringMatching(/^DateFin is before DateAdhesion.*\(employee E-1\)$/);
    await expectSync(
      partner.sync({ Employes: [employee('E-1', { Adhesions: [membership(SYN, ...sent)] })] }),
      {
        ...{ Employes: [0, 1], Adhesions: [0, 0, [[SYN, message]]] },
      },
    );
    expect(await memberDates()).toEqual(before);
  });

  it('a period that ends on the day on which it begins is accepted', async () => {
    await partner.employee('E-1', {
      Emplois: [job('J', 'EMP-1', { DateDebut: '2026-03-02T15:00:00Z', DateFin: '2026-03-02' })],
      Adhesions: [membership(SYN, '2026-03-02', '2026-03-02')],
    });
  });
});

describe('rule 5: a V2 employee has no employer id and no matricule', () => {
  it.each(['IdentifiantExterneEmployeur', 'identifiantExterneEmployeur', 'Matricule'])(
    '%s is an unknown property: that record’s error',
    async (name) => {
      await partner.employers('EMP-1');
      const sent = [employee('E-1', { [name]: 'EMP-1' }), employee('E-2')];
      await expectSync(partner.sync({ Employes: sent }), {
        Employes: [
          1,
          0,
          [
            [
              'E-1',
              expect.stringContaining(`${name} is not a property of this record; known are IdExterne, `),
            ],
          ],
        ],
      });
    },
  );

  it('both are in Emplois; an employee may have several employments at one employer', async () => {
    await partner.employers('EMP-1');
    const Emplois = [job('J-1', 'EMP-1', { Matricule: '7' }), job('J-2', 'EMP-1', { Matricule: '7' })];
    await partner.employee('E-1', { Emplois });
    expect((await partner.v2('E-1')).emplois).toMatchObject([{ matricule: '7' }, { matricule: '7' }]);
    const item = await partner.v2('E-1');
    expect(item).not.toHaveProperty('identifiantExterneEmployeur');
    expect(item).not.toHaveProperty('matricule');
  });
});

describe('the current day', () => {
  const FAR_APART = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'];
  const setZone = async (fuseauHoraire: string): Promise<void> => {
    const path = `/admin/v1/clients/${partner.tenant.clientId}`;
    expect((await app.send(app.adminKey, 'PUT', path, { fuseauHoraire })).status).toBe(200);
  };

  it('is that of the client’s time zone, which is America/Toronto unless set', async () => {
    await partner.employers('EMP-1');
    const both = { Emplois: [job('J-1', 'EMP-1'), job('J-2', 'EMP-1')] };
    const days = new Map<string | undefined, string>();
    for (const zone of [undefined, ...FAR_APART]) {
      await awayFromMidnight(zone);
      if (zone) await setZone(zone);
      await partner.employee('E-1', both);
      await partner.employee('E-1', { Emplois: [job('J-2', 'EMP-1')] });
      expect((await partner.jobs('E-1'))['J-1']).toEqual(['EMP-1', null, today(0, zone), false]);
      days.set(zone, today(0, zone));
    }
    // The two zones are 25 hours apart.
    expect(days.get(FAR_APART[0])).not.toBe(days.get(FAR_APART[1]));
  });

  it('each client has its own', async () => {
    await setZone('Pacific/Kiritimati');
    const other = await Partner.start(app);
    await other.employers('EMP-1');
    await other.employee('E-1', { Emplois: [job('J-1', 'EMP-1')] });
    await other.employee('E-1', { Emplois: [job('J-2', 'EMP-1')] });
    expect((await other.jobs('E-1'))['J-1']![2]).toBe(today());
  });

  it('decides which employments are active: the new day begins at different times in two zones', async () => {
    const [first, last] = FAR_APART as [string, string];
    for (const zone of FAR_APART) await awayFromMidnight(zone);
    await partner.employers('EMP-1', 'EMP-2');
    const begins = job('BEGINS', 'EMP-1', { DateDebut: today(0, first) });
    const ends = job('ENDS', 'EMP-2', { DateFin: today(0, first) });
    await partner.employee('E-1', { Emplois: [begins, ends] });
    const active = async (zone: string): Promise<unknown[]> => {
      await setZone(zone);
      const jobs = await partner.jobs('E-1');
      return [
        jobs.BEGINS![3],
        jobs.ENDS![3],
        (await partner.v1('E-1')).identifiantExterneEmployeur as unknown,
      ];
    };
    expect(await active(first)).toEqual([true, false, 'EMP-1']);
    expect(await active(last)).toEqual([false, true, 'EMP-2']);
    await setZone(first);
    expectProblem(await partner.send('DELETE', '/b2b/v1/employeur/EMP-1'), 409, 'Employeur.EmploisActifs');
    expect((await partner.send('DELETE', '/b2b/v1/employeur/EMP-2')).status).toBe(204);
  });
});
