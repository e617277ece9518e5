import fc from 'fast-check';
import { depth, SEED } from '../setup/depth';
import { TestApp } from '../setup/test-app';
import {
  confusedRecord,
  idOf,
  oddValues,
  type Place,
  PLACES,
  type Shape,
  SHAPES,
  SOUND,
  spoils,
  withProperty,
} from './garbage';
import { employee, employer, expectSync, job, type Kind, type Loose, many, Partner, union } from './support';
import { perFile, perTest } from '../setup/fixtures';

const app = perFile(() => TestApp.start());
const partner = perTest(() => Partner.start(app));

beforeEach(async () => {
  await partner.sync({ Syndicats: [union('SYN', [employer('EMP')])] });
  await partner.defineField('T', 'texte');
});

/** The list with the errors of a kind of record: an invalid custom value is an error of its employee. */
const resultOfPlace = (place: Place): Kind => (place === 'ValeursChampUtilisateur' ? 'Employes' : place);
const NESTED_IN = {
  Employeurs: 'Syndicats',
  Emplois: 'Employes',
  Adhesions: 'Employes',
  ValeursChampUtilisateur: 'Employes',
} as const;
const isNested = (place: Place): place is keyof typeof NESTED_IN => place in NESTED_IN;
/** Returns a request with these records; nested records each get a parent of their own: P-0, P-1 and so on. */
function bodyOf(place: Place, records: unknown[]): Loose {
  if (!isNested(place)) return { [place]: records };
  const parent = NESTED_IN[place];
  return {
    [parent]: records.map((record, index) => ({ ...SOUND[parent](`P-${index}`), [place]: [record] })),
  };
}
const known = (rows: Loose[], column: string): unknown[] => rows.map((row) => row[column]);

describe.each(PLACES)('garbage in %s', (place) => {
  const kind = resultOfPlace(place);
  const isValue = place === 'ValeursChampUtilisateur';

  it('in any property, or in place of the record, is that record’s error, and no other record’s', async () => {
    const all = spoils(place);
    // A membership has no identifier of its own, because it names a union.
    const goodId = (index: number): string => (place === 'Adhesions' ? 'SYN' : `GOOD-${index}`);
    const bad = all.map(({ apply }, index) => apply(SOUND[place](`BAD-${index}`)));
    const records = bad.flatMap((record, index) => [record, SOUND[place](goodId(index))]);
    const parents = isNested(place) ? records.length : 0;
    const { status, json } = await partner.sync(bodyOf(place, records));
    expect(status).toBe(200);
    const errors = json[kind].Erreurs as { IdUnique: string; Message: string }[];
    // In the order sent; a difference names the invalid records without an error.
    const named = (index: number): string => (isValue ? `P-${2 * index}` : idOf(place, bad[index]));
    expect(errors.map(({ IdUnique }) => IdUnique)).toEqual(bad.map((_, index) => named(index)));
    for (const { Message } of errors) {
      expect(Message.length).toBeGreaterThan(5);
      expect(Message.length).toBeLessThan(3_000);
    }
    expect(json[kind]).toMatchObject({ AddCount: all.length, UpdateCount: 0 });
    if (isNested(place) && !isValue) {
      expect(json[NESTED_IN[place]]).toEqual({ AddCount: parents, UpdateCount: 0, Erreurs: [] });
    }
    const others = Object.entries(json as Record<string, Loose>).filter(([name]) => name !== kind);
    expect(others.flatMap(([, { Erreurs }]) => Erreurs)).toEqual([]);
  });

  it('odd but allowed values are accepted', async () => {
    const shapes = Object.entries(SHAPES[place] as Record<string, Shape>);
    const records = shapes.flatMap(([name, shape]) => oddValues(shape).map((value) => ({ name, value })));
    const sent = records.map(({ name, value }, index) => {
      const sound = SOUND[place](place === 'Adhesions' ? 'SYN' : `ODD-${index}`);
      // An end in the year 1 must not be before the beginning.
      const early = name === 'DateFin' && place === 'Adhesions' ? { DateAdhesion: '0001-01-01' } : {};
      return withProperty({ ...sound, ...early }, name, value);
    });
    const { status, json } = await partner.sync(bodyOf(place, sent));
    expect({ status, ...json[kind] }).toEqual({
      ...{ status: 200, AddCount: sent.length, UpdateCount: 0, Erreurs: [] },
    });
  });
});

describe('the longest lists', () => {
  it.each(['Emplois', 'Adhesions', 'ValeursChampUtilisateur'])(
    '%s of 1,001 elements are their employee’s error; 1,000 are read',
    async (list) => {
      const Employes = [1_001, 1_000].map((length) =>
        employee(`E-${length}`, { [list]: many(length, () => null) }),
      );
      const { status, json } = await partner.sync({ Employes: [...Employes, employee('E')] });
      expect(status).toBe(200);
      const tooLong = { IdUnique: 'E-1001', Message: `${list} must have at most 1,000 elements` };
      if (list === 'ValeursChampUtilisateur') {
        const read = { IdUnique: 'E-1000', Message: expect.stringContaining('element 1:') };
        expect(json.Employes).toEqual({ AddCount: 1, UpdateCount: 0, Erreurs: [tooLong, read] });
      } else {
        expect(json.Employes).toEqual({ AddCount: 2, UpdateCount: 0, Erreurs: [tooLong] });
        expect(json[list].Erreurs).toHaveLength(1_000);
      }
    },
  );

  it('Employeurs have no such limit', async () => {
    const Employeurs = many(1_001, (index) => employer(`EMP-${index}`));
    await expectSync(partner.sync({ Syndicats: [union('S', Employeurs)] }), {
      ...{ Syndicats: [1, 0], Employeurs: [1_001, 0] },
    });
  });
});

describe('generated requests', () => {
  it('any JSON: 200, with as many results as records, and no inherited property has changed', async () => {
    const lists = fc.record({
      Syndicats: fc.array(confusedRecord('Syndicats'), { maxLength: 6 }),
      Employes: fc.array(
        fc
          .tuple(
            confusedRecord('Employes'),
            ...(['Emplois', 'Adhesions', 'ValeursChampUtilisateur'] as const).map((place) =>
              fc.option(fc.tuple(fc.constant(place), fc.array(confusedRecord(place), { maxLength: 4 })), {
                freq: 2,
              }),
            ),
          )
          .map(([record, ...nested]) =>
            nested.reduce(
              (whole: unknown, one) =>
                one && typeof whole === 'object' && whole !== null && !Array.isArray(whole)
                  ? withProperty(whole as Loose, one[0], one[1])
                  : whole,
              record,
            ),
          ),
        { maxLength: 8 },
      ),
      ObjetsConsentement: fc.array(confusedRecord('ObjetsConsentement'), { maxLength: 4 }),
    });
    const property = fc.asyncProperty(lists, async (body) => {
      const { status, json } = await partner.sync(body);
      expect(status).toBe(200);
      for (const kind of ['Syndicats', 'Employes', 'ObjetsConsentement'] as const) {
        const { AddCount, UpdateCount, Erreurs } = json[kind];
        expect({ kind, count: AddCount + UpdateCount + Erreurs.length }).toEqual({
          kind,
          count: body[kind].length,
        });
      }
      for (const { AddCount, UpdateCount } of Object.values(json as Record<string, Record<string, number>>)) {
        expect(Math.min(AddCount!, UpdateCount!)).toBeGreaterThanOrEqual(0);
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: depth(60, 250) });
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect((await app.send(undefined, 'GET', '/health/ready')).status).toBe(200);
  }, 180_000);
});

describe('10,000 invalid records of many kinds', () => {
  it('among 1,000 valid ones are 10,000 errors in the order sent, and the valid ones are written', async () => {
    const all = spoils('Employes').filter(({ name }) => !/"x{30}|😀{10}|"é é|null,null/u.test(name));
    const bad = (index: number): unknown => all[index % all.length]!.apply(SOUND.Employes(`B-${index}`));
    const records = many(10_000, bad);
    const Emplois = (index: number): Loose[] => [job('J', 'EMP'), job('K', index % 2 ? 'NOBODY' : 'EMP')];
    const good = many(1_000, (index) => employee(`G-${index}`, { Emplois: Emplois(index) }));
    const { status, json } = await partner.sync({
      Employes: many(1_000, (index) => [...records.slice(10 * index, 10 * index + 10), good[index]]).flat(),
    });
    expect([status, json.Employes.AddCount, json.Employes.UpdateCount]).toEqual([200, 1_000, 0]);
    expect(json.Employes.Erreurs.map(({ IdUnique }: Loose) => IdUnique)).toEqual(
      records.map((record) => idOf('Employes', record)),
    );
    expect(json.Emplois).toMatchObject({ AddCount: 1_500, UpdateCount: 0 });
    expect(json.Emplois.Erreurs).toHaveLength(500);
    expect(known(await partner.rows('employe'), 'id_externe').sort()).toEqual(
      many(1_000, (index) => `G-${index}`).sort(),
    );
    expect(await partner.count('emploi')).toBe(1_500);
  });
});
