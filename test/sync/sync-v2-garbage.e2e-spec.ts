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
  type Spoil,
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
    const sent = records.map(({ name, value }, index) =>
      withProperty(SOUND[place](place === 'Adhesions' ? 'SYN' : `ODD-${index}`), name, value),
    );
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
  /** A record of a plan, valid or with one fault, and the records nested in it. */
  interface Plan {
    spoil: number | undefined;
    twice: boolean;
    nested: Partial<Record<Place, Plan[]>>;
  }
  const planOf = (nested: Place[], depth = 0): fc.Arbitrary<Plan> =>
    fc.record({
      spoil: fc.option(fc.nat(), { nil: undefined, freq: 2 }),
      twice: fc.nat(9).map((one) => one === 0),
      nested:
        depth > 0
          ? fc.constant({})
          : fc.record(
              Object.fromEntries(nested.map((place) => [place, fc.array(planOf([], 1), { maxLength: 4 })])),
            ),
    });
  const requests = fc.record({
    Syndicats: fc.array(planOf(['Employeurs']), { maxLength: 5 }),
    Employes: fc.array(planOf(['Emplois', 'Adhesions', 'ValeursChampUtilisateur']), { maxLength: 8 }),
    ObjetsConsentement: fc.array(planOf([]), { maxLength: 4 }),
  });

  /** Creates the records of plans, and notes their expected errors and rows. */
  class Expectation {
    readonly errors = new Map<Kind, string[]>();
    readonly written = new Map<Kind, string[]>();
    private count = 0;

    constructor(private readonly run: number) {}

    list(place: Place, plans: Plan[], parent?: string): unknown[] {
      return plans.flatMap((plan) => this.records(place, plan, parent));
    }

    private records(place: Place, plan: Plan, parent?: string): unknown[] {
      // Each membership names a union of its own, which serves as its identifier.
      const id = place === 'Adhesions' ? `SYN-${this.count++ % 40}` : `${this.run}-${this.count++}`;
      const record = SOUND[place](id);
      const kept = Object.keys(NESTED_IN).filter((list) => list in plan.nested);
      const spoil = plan.spoil === undefined ? undefined : this.spoilOf(place, plan.spoil, kept);
      const sent = spoil ? spoil.apply(record) : record;
      const isBad = spoil !== undefined || this.hasBadValues(plan);
      if (isBad) this.note(this.errors, place, idOf(place, sent));
      else this.note(this.written, place, parent === undefined ? id : `${parent} ${id}`);
      if (typeof sent === 'object' && sent !== null && !Array.isArray(sent))
        this.nest(sent as Loose, plan, id, isBad);
      // The error of an identifier that cannot be stored shows another text.
      if (!plan.twice || idOf(place, sent) === '' || idOf(place, sent).includes('\ufffd')) return [sent];
      this.note(this.errors, place, idOf(place, sent));
      return [sent, SOUND[place](idOf(place, sent))];
    }

    /** Records nested in a rejected record are sent too; they are neither written nor errors. */
    private nest(sent: Loose, { nested }: Plan, id: string, isBad: boolean): void {
      for (const [place, plans] of Object.entries(nested) as [Place, Plan[]][]) {
        const inner = isBad ? new Expectation(this.run) : this;
        if (place === 'ValeursChampUtilisateur') sent[place] = this.values(plans);
        else sent[place] = inner.list(place, plans, id);
      }
    }

    /** Values of one employee: at most one valid value, because there is one field. */
    private values(plans: Plan[]): unknown[] {
      const bad = plans.filter(({ spoil }) => spoil !== undefined);
      const good = plans.length > bad.length ? [SOUND.ValeursChampUtilisateur('')] : [];
      return [
        ...good,
        ...bad.map(({ spoil }) =>
          this.spoilOf('ValeursChampUtilisateur', spoil!, []).apply(SOUND.ValeursChampUtilisateur('')),
        ),
      ];
    }

    private hasBadValues({ nested }: Plan): boolean {
      return (nested.ValeursChampUtilisateur ?? []).some(({ spoil }) => spoil !== undefined);
    }

    private spoilOf(place: Place, at: number, kept: string[]): Spoil {
      const all = spoils(place, kept);
      return all[at % all.length]!;
    }

    private note(book: Map<Kind, string[]>, place: Place, id: string): void {
      const kind = resultOfPlace(place);
      book.set(kind, [...(book.get(kind) ?? []), id]);
    }
  }

  it('every valid record is written, every invalid one is one error of its list, and the status is always 200', async () => {
    await partner.sync({ Syndicats: many(40, (index) => union(`SYN-${index}`)) });
    let run = 0;
    const tables = {
      Syndicats: ['syndicat', 'id_externe'],
      Employeurs: ['employeur', 'id_externe'],
      Employes: ['employe', 'id_externe'],
      Emplois: ['emploi', `id_externe_employe || ' ' || identifiant_externe`],
      Adhesions: ['membership', `id_externe_employe || ' ' || syndicat_id_externe`],
      ObjetsConsentement: ['objet_consentement', 'id_externe'],
    } as const;
    const storedOf = async (kind: Kind, prefix: string): Promise<string[]> => {
      const [table, id] = tables[kind];
      const text = `SELECT ${id} AS id FROM ${table} WHERE tenant_id = $1 AND ${id} LIKE $2`;
      const { rows } = await app.database.query<{ id: string }>(text, [
        partner.tenant.tenantId,
        `${prefix}-%`,
      ]);
      return rows.map(({ id: one }) => one).sort();
    };
    const property = fc.asyncProperty(requests, async (plan) => {
      run++;
      const expected = new Expectation(run);
      const body = Object.fromEntries(
        (['Syndicats', 'Employes', 'ObjetsConsentement'] as const).map((place) => [
          place,
          expected.list(place, plan[place]),
        ]),
      );
      const { status, json } = await partner.sync(body);
      expect(status).toBe(200);
      for (const kind of Object.keys(tables) as Kind[]) {
        const errors = (json[kind].Erreurs as { IdUnique: string }[]).map(({ IdUnique }) => IdUnique);
        const written = expected.written.get(kind) ?? [];
        expect({ kind, errors }).toEqual({ kind, errors: expected.errors.get(kind) ?? [] });
        expect({ kind, added: json[kind].AddCount, updated: json[kind].UpdateCount }).toEqual({
          ...{ kind, added: written.length, updated: 0 },
        });
        const ids = kind === 'Employeurs' ? written.map((id) => id.split(' ')[1]!) : written;
        expect({ kind, stored: await storedOf(kind, `${run}`) }).toEqual({ kind, stored: [...ids].sort() });
      }
    });
    await fc.assert(property, { seed: SEED, numRuns: depth(40, 150) });
  }, 180_000);

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

  it('in every list, including nested lists', async () => {
    const spoilt = (place: Place, count: number): unknown[] => {
      const all = spoils(place).filter(({ name }) => name.length < 30);
      return many(count, (index) => all[index % all.length]!.apply(SOUND[place](`B-${index}`)));
    };
    const body = {
      Syndicats: [union('S', spoilt('Employeurs', 2_000)), ...spoilt('Syndicats', 2_000)],
      Employes: many(10, (index) =>
        employee(`E-${index}`, { Emplois: spoilt('Emplois', 300), Adhesions: spoilt('Adhesions', 300) }),
      ),
      ObjetsConsentement: spoilt('ObjetsConsentement', 2_000),
    };
    const { status, json } = await partner.sync(body);
    expect(status).toBe(200);
    const counts = Object.entries(json as Record<string, Loose>).map(([kind, { AddCount, Erreurs }]) => [
      kind,
      AddCount,
      (Erreurs as unknown[]).length,
    ]);
    expect(counts).toEqual([
      ['Syndicats', 1, 2_000],
      ['Employeurs', 0, 2_000],
      ['Employes', 10, 0],
      ['Emplois', 0, 3_000],
      ['Adhesions', 0, 3_000],
      ['ObjetsConsentement', 0, 2_000],
    ]);
  });
});
