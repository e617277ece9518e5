import { setTimeout as sleep } from 'node:timers/promises';
import { expectProblem } from '../http/expect-problem';
import { depth } from '../setup/depth';
import { TestApp } from '../setup/test-app';
import { countStatements, grown, statementsOf } from './statements';
import {
  awayFromMidnight,
  employee,
  employer,
  expectSync,
  job,
  type Loose,
  many,
  membership,
  Partner,
  union,
} from './support';
import { perFile, perTest } from '../setup/fixtures';

const app = perFile(() => TestApp.own('volume'));
const partner = perTest(() => Partner.start(app));

const EMPLOYERS = 50;
const unions = (): Loose[] =>
  ['SYN-A', 'SYN-B'].map((id) =>
    union(
      id,
      many(EMPLOYERS, (index) => employer(`EMP-${index}`)),
    ),
  );
/** An employee with two employments, a membership in each union and a value. */
const full = (index: number, more: Loose = {}): Loose =>
  employee(`E-${index}`, {
    Courriel: `e${index}@example.org`,
    Emplois: [
      job('J-1', `EMP-${index % EMPLOYERS}`, { DateDebut: '2020-01-01' }),
      job('J-2', `EMP-${(index + 1) % EMPLOYERS}`),
    ],
    Adhesions: [membership('SYN-A'), membership('SYN-B')],
    ValeursChampUtilisateur: [{ NomChamp: 'T', Valeur: `${index % 7}` }],
    ...more,
  });

describe('thousands of employees with employments, memberships and values', () => {
  const COUNT = depth(2_000, 8_000);
  const changed = (): Promise<number> => partner.count('employe', 'derniere_maj > date_creation');
  const ended = (): Promise<number> => partner.count('emploi', `date_fin IS NOT NULL`);

  it('are created, then changed, then left unchanged', async () => {
    await awayFromMidnight();
    await partner.defineField('T', 'texte');
    await expectSync(partner.sync({ Syndicats: unions(), Employes: many(COUNT, (index) => full(index)) }), {
      ...{ Syndicats: [2, 0], Employeurs: [EMPLOYERS, EMPLOYERS], Employes: [COUNT, 0] },
      ...{ Emplois: [2 * COUNT, 0], Adhesions: [2 * COUNT, 0] },
    });
    expect(await partner.count('employe')).toBe(COUNT);
    expect(await partner.count('emploi')).toBe(2 * COUNT);
    expect(await partner.count('membership')).toBe(2 * COUNT);
    expect(await partner.count('valeur_champ_employe')).toBe(COUNT);
    expect(await partner.count('syndicat_employeur')).toBe(2 * EMPLOYERS);
    expect([await changed(), await ended()]).toEqual([0, 0]);

    // One change for each of eight records: name, employment ended, moved, left out or new, membership, value, none.
    const next = many(COUNT, (index) => {
      const record = full(index);
      const [first, second] = record.Emplois as [Loose, Loose];
      const changes: Loose[] = [
        { Nom: 'Roy' },
        { Emplois: [{ ...first, DateFin: '2024-01-01' }, second] },
        { Emplois: [{ ...first, IdentifiantExterneEmployeur: 'EMP-0' }, second] },
        { Emplois: [second] },
        { Emplois: [first, second, job('J-3', 'EMP-0')] },
        { Adhesions: [membership('SYN-B', '2025-01-01')] },
        { ValeursChampUtilisateur: [{ NomChamp: 'T', Valeur: null }] },
        {},
      ];
      return { ...record, ...changes[index % 8] };
    });
    const known = { Employes: [0, COUNT], Adhesions: [0, 2 * COUNT - COUNT / 8] } as const;
    await expectSync(partner.sync({ Employes: next }), {
      ...{ Employes: [0, COUNT], Adhesions: [0, known.Adhesions[1]] },
      Emplois: [COUNT / 8, 2 * COUNT - COUNT / 8],
    });
    // Some of the moved employments were already at that employer, and do not change.
    const atHome = many(COUNT, (index) => index).filter(
      (index) => index % 8 === 2 && index % EMPLOYERS === 0,
    );
    expect(await changed()).toBe((COUNT * 7) / 8 - atHome.length);
    expect(await ended()).toBe(COUNT / 4);
    expect(await partner.count('emploi')).toBe(2 * COUNT + COUNT / 8);
    expect(await partner.count('membership')).toBe(2 * COUNT);
    expect(await partner.count('valeur_champ_employe')).toBe((COUNT * 7) / 8);
    expect(await partner.count('employe', `nom = 'Roy'`)).toBe(COUNT / 8);

    const before = await partner.fingerprints();
    await expectSync(partner.sync({ Syndicats: unions(), Employes: next }), {
      ...{ Syndicats: [0, 2], Employeurs: [0, 2 * EMPLOYERS], Employes: [0, COUNT] },
      ...{ Emplois: [0, 2 * COUNT], Adhesions: [0, known.Adhesions[1]] },
    });
    expect(await partner.fingerprints()).toEqual(before);
  }, 180_000);

  it('employees of V1 become V2 employees in one sync; the employer of V1 becomes an ended employment', async () => {
    const employes = many(COUNT, (index) => ({
      ...{ idExterne: `E-${index}`, prenom: 'Zoé', nom: "L'Écuyer" },
      ...(index % 2 ? { identifiantExterneEmployeur: `EMP-${index % EMPLOYERS}` } : {}),
    }));
    const employeurs = many(EMPLOYERS, (index) => ({ idExterne: `EMP-${index}`, nom: 'E' }));
    await partner.syncV1({ employeurs, employes });
    const Employes = employes.map(({ idExterne }) => employee(idExterne, { Emplois: [job('J', 'EMP-0')] }));
    await expectSync(partner.sync({ Employes }), { Employes: [0, COUNT], Emplois: [COUNT, 0] });
    expect(await partner.count('emploi')).toBe(1.5 * COUNT);
    expect(await partner.count('emploi', `identifiant_externe = 'V1' AND date_fin IS NOT NULL`)).toBe(
      COUNT / 2,
    );
    // All employees go back to V1 at once. Employees whose employer V1 already shows stay unchanged.
    await partner.syncV1({
      employes: employes.map((record) => ({ ...record, identifiantExterneEmployeur: 'EMP-0' })),
    });
    expect(await partner.count('emploi', 'date_fin IS NULL')).toBe(COUNT);
    await partner.syncV1({
      employes: employes.map((record) => ({ ...record, identifiantExterneEmployeur: 'EMP-1' })),
    });
    expect(await partner.count('emploi', `identifiant_externe = 'V1' AND date_fin IS NULL`)).toBe(COUNT);
    expect(await partner.count('emploi')).toBe(2 * COUNT);
  }, 180_000);
});

describe('the number of statements', () => {
  // Statements for statistics are sent from 100 and from 1,000 rows on.
  const FEW = depth(300, 3_000);
  const MANY = 2 * FEW;
  /** Records of every kind, valid and invalid: unknown employers, unions and fields, rejected and duplicate records. */
  const body = (size: number, round: string): Loose => ({
    Syndicats: many(size, (index) => [
      union(`S-${index}`, [
        employer(`R-${index}`, { Nom: round }),
        ...(index % 3 ? [] : [{ IdentifiantExterne: 'X' }]),
      ]),
      ...(index % 4 ? [] : [{ IdentifiantExterne: `B-${index}` }]),
    ]).flat(),
    Employes: many(size, (index) =>
      employee(`E-${round.slice(1)}${index}`, {
        Nom: round,
        ...(index % 3 ? {} : { Courriel: 'nobody' }),
        Emplois: [
          job(`J-${round}`, `R-${index}`),
          job(`K-${index % 2 ? '' : round}`, index % 4 ? `R-${index}` : 'NOBODY'),
          ...(index % 5 ? [] : [{}]),
        ],
        Adhesions: [membership(`S-${index}`), membership(index % 4 ? `S-${(index + 1) % size}` : 'NOBODY')],
        ValeursChampUtilisateur: [
          { NomChamp: index % 7 ? 'T' : 'U', Valeur: index % 5 ? `${round} ${index}` : null },
        ],
      }),
    ),
    ObjetsConsentement: many(size, (index) => ({ IdExterne: `O-${index}`, Nom: index % 6 ? round : null })),
  });

  it(`is the same for ${FEW} as for ${MANY} records of every kind, valid and invalid, new and known`, async () => {
    await partner.defineField('T', 'texte');
    await partner.sync(body(FEW, 'A'));
    const sent: string[][] = [];
    const rounds: [number, string][] = [
      ...([[FEW, 'B']] as [number, string][]),
      ...([[MANY, 'C']] as [number, string][]),
      // Known records, changed and unchanged.
      ...([[MANY, 'D']] as [number, string][]),
      ...([[MANY, 'D']] as [number, string][]),
      // New employees, which V1 has not written.
      ...([[MANY, 'Dx']] as [number, string][]),
      ...([[FEW, 'Ex']] as [number, string][]),
    ];
    for (const [size, round] of rounds) {
      sent.push(
        await statementsOf(async () => {
          const { status, json } = await partner.sync(body(size, round));
          expect(status).toBe(200);
          for (const { Erreurs } of Object.values(json as Record<string, { Erreurs: [] }>)) {
            expect(Erreurs.length).toBeGreaterThan(0);
          }
        }),
      );
    }
    // A sync without changes stores no undo data.
    const [unchanged] = sent.splice(3, 1);
    const [first, ...others] = sent as [string[], ...string[][]];
    expect(unchanged!.length).toBeLessThan(first.length);
    for (const names of others) expect([grown(first, names), grown(names, first)]).toEqual([[], []]);
    expect(first.length).toBeGreaterThan(10);
    expect(first.length).toBeLessThan(70);
    expect(await partner.count('employe')).toBeGreaterThan(MANY);
  }, 120_000);

  it(`is the same for ${FEW} as for ${MANY} employees whose employer V1 wrote`, async () => {
    const employeurs = [{ idExterne: 'EMP-0', nom: 'E' }];
    await partner.syncV1({ employeurs });
    const sent: string[][] = [];
    for (const size of [FEW, MANY]) {
      const id = (index: number): string => `${size}-${index}`;
      const v1 = (identifiantExterneEmployeur: string | null) => ({
        employes: many(size, (index) => ({
          ...{ idExterne: id(index), prenom: 'Zoé', nom: 'Roy', identifiantExterneEmployeur },
        })),
      });
      const Employes = many(size, (index) => employee(id(index), { Emplois: [job('J', 'EMP-0')] }));
      sent.push(
        await statementsOf(async () => {
          await partner.syncV1(v1('EMP-0'));
          await partner.sync({ Employes });
          await partner.syncV1(v1(null));
        }),
      );
    }
    expect(grown(sent[0]!, sent[1]!)).toEqual([]);
  });

  it('negative control: single-record syncs take a number of statements that grows with their number', async () => {
    const single = (size: number) => async (): Promise<void> => {
      for (let index = 0; index < size; index++) await partner.employee(`E-${index}`);
    };
    const few = await countStatements(single(3));
    expect(await countStatements(single(30))).toBeGreaterThan(few * 5);
  });
});

describe('too many records', () => {
  const nothing = async (): Promise<void> => {
    for (const table of ['syndicat', 'employeur', 'employe', 'objet_consentement'] as const) {
      expect(await partner.count(table)).toBe(0);
    }
  };
  const good = { Syndicats: [union('S', [employer('EMP')])] };
  /** Returns the JSON of a list without creating its objects. */
  const list = (length: number, record: unknown): string =>
    `[${many(length, () => JSON.stringify(record)).join(',')}]`;

  it('250,001 over the lists: 413, and nothing is written', async () => {
    const parts = { Syndicats: 83_333, Employes: 83_334, ObjetsConsentement: 83_334 };
    const lists = Object.entries(parts).map(([name, length]) => `"${name}":${list(length, 0)}`);
    expectProblem(await partner.sync(`{${lists.join(',')}}`), 413, 'Requete.TropVolumineuse');
    const one = `{"Syndicats":${JSON.stringify(good.Syndicats)},"Employes":${list(250_000, null)}}`;
    expectProblem(await partner.sync(one), 413, 'Requete.TropVolumineuse');
    const upsert = await partner.send('POST', '/b2b/v2/employe/upsert', list(250_001, null));
    expectProblem(upsert, 413, 'Requete.TropVolumineuse');
    await nothing();
  });

  it('exactly 250,000 over the lists are read', async () => {
    const sent = `{"Syndicats":${JSON.stringify(good.Syndicats)},"ObjetsConsentement":${list(249_999, null)}}`;
    const { status, json } = await partner.sync(sent);
    expect([status, json.Syndicats.AddCount, json.ObjetsConsentement.Erreurs.length]).toEqual([
      200, 1, 249_999,
    ]);
  }, 120_000);

  const nestedIn = (sound: number, values: number): Loose => ({
    ...good,
    Employes: [
      employee('E-1', { Emplois: many(sound, (index) => job(`J-${index}`, 'EMP')) }),
      // The first value of each rejects its employee, which keeps the response short.
      ...many(values / 1_000, (index) =>
        employee(`V-${index}`, { ValeursChampUtilisateur: many(1_000, () => null) }),
      ),
    ],
  });

  it('400,001 nested: 413, and nothing is written; the connections still work', async () => {
    expectProblem(await partner.sync(nestedIn(1_000, 399_000)), 413, 'Requete.TropVolumineuse');
    const employers = {
      Syndicats: [
        union('S', [employer('EMP')]),
        union(
          'T',
          many(400_000, () => 0),
        ),
      ],
    };
    expectProblem(await partner.sync(employers), 413, 'Requete.TropVolumineuse');
    await nothing();
    const answers = await Promise.all(many(20, () => partner.sync(good)));
    expect(answers.map(({ status }) => status)).toEqual(many(20, () => 200));
  }, 120_000);

  it('exactly 400,000 nested are read', async () => {
    const { status, json } = await partner.sync(nestedIn(999, 399_000));
    expect([status, json.Employeurs.AddCount, json.Emplois.AddCount]).toEqual([200, 1, 999]);
    expect(json.Employes).toMatchObject({ AddCount: 1, UpdateCount: 0 });
    expect(json.Employes.Erreurs).toHaveLength(399);
  }, 120_000);

  it('more than 100,000 rejected nested records: 413, and the response stays short', async () => {
    const refusing = (employees: number, record: unknown): Loose => ({
      ...good,
      Employes: many(employees, (index) => employee(`E-${index}`, { Emplois: many(1_000, () => record) })),
    });
    // A value that is no record, and an employment whose employer does not exist.
    for (const record of [0, job('J', 'NONE')]) {
      const answer = await partner.sync(refusing(101, record));
      expectProblem(answer, 413, 'Requete.TropVolumineuse');
      await nothing();
    }
    const { status, json } = await partner.sync(refusing(100, 0));
    expect([status, json.Emplois.Erreurs.length]).toEqual([200, 100_000]);
  }, 120_000);

  it('a record with only unknown properties is one error, and its message is short', async () => {
    const unknown = Object.fromEntries(many(100_000, (index) => [`p${index}`, 0]));
    const { json } = await partner.sync({ Employes: [unknown] });
    expect(json.Employes.Erreurs).toHaveLength(1);
    expect(json.Employes.Erreurs[0].Message.length).toBeLessThan(1_000);
  });

  it('one record of more than 2 MB: 413', async () => {
    const Employes = [employee('E-1', { Ville: 'x'.repeat(2 * 1024 * 1024) })];
    expectProblem(await partner.sync({ ...good, Employes }), 413, 'Requete.TropVolumineuse');
    await nothing();
  });
});

describe('during a large V2 sync', () => {
  it('other requests of the tenant, and those of others, get a response', async () => {
    const LARGE = depth(6_000, 15_000);
    const other = await Partner.start(app);
    await partner.defineField('T', 'texte');
    const running = partner.sync({ Syndicats: unions(), Employes: many(LARGE, (index) => full(index)) });
    let finished = false;
    void running.finally(() => (finished = true));
    let answered = 0;
    let slowest = 0;
    const timed = async (send: () => Promise<{ status: number }>): Promise<void> => {
      const start = performance.now();
      expect((await send()).status).toBeLessThan(500);
      slowest = Math.max(slowest, performance.now() - start);
      answered++;
    };
    while (!finished) {
      await sleep(50);
      await timed(() => partner.send('GET', '/b2b/v2/employe/E-0'));
      await timed(() => partner.send('GET', '/b2b/v2/syndicat'));
      await timed(() => other.sync({ Employes: [employee('E-0')] }));
    }
    const { json } = await running;
    expect([json.Employes.AddCount, json.Emplois.AddCount]).toEqual([LARGE, 2 * LARGE]);
    expect(answered).toBeGreaterThan(15);
    expect(slowest).toBeLessThan(5_000);
  }, 120_000);
});
