import { batchesOf, FAULTS, type FaultKind, makeRows, type Row } from '../../examples/employees';

describe('The employees of the demonstration', () => {
  const rows = makeRows(10_000);
  const faulty = rows.filter(({ fault }) => fault);
  const of = (kind: FaultKind): Row[] => rows.filter(({ fault }) => fault === kind);

  it('are the same each time; another seed makes others', () => {
    expect(makeRows(10_000)).toEqual(rows);
    expect(makeRows(100, 2)).not.toEqual(rows.slice(0, 100));
    expect(makeRows(10)).toEqual(rows.slice(0, 10));
  });

  it('1 to 2 % of the lines have faults, of each kind', () => {
    expect(rows).toHaveLength(10_000);
    expect(faulty.length).toBeGreaterThanOrEqual(100);
    expect(faulty.length).toBeLessThanOrEqual(200);
    for (const kind of Object.keys(FAULTS) as FaultKind[]) expect(of(kind).length).toBeGreaterThanOrEqual(5);
    expect(Object.values(FAULTS).reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
  });

  it('have unique identifiers and member numbers, except for the duplicates', () => {
    const people = rows.filter(({ fault }) => fault !== 'duplicate');
    for (const name of ['idExterne', 'noMembre', 'courriel'] as const) {
      expect(new Set(people.map(({ clean }) => clean[name])).size).toBe(people.length);
    }
  });

  it('a duplicate repeats the correct line before it', () => {
    const places = rows.flatMap(({ fault }, index) => (fault === 'duplicate' ? [index] : []));
    for (const place of places) {
      const before = rows[place - 1]!;
      expect(before.fault).toBeUndefined();
      expect(rows[place]!.sent.idExterne).toBe(before.clean.idExterne);
    }
  });

  it('a batch has all lines of an employee', () => {
    const batches = batchesOf(rows, 1_000);
    expect(batches.flat()).toEqual(rows);
    expect(batches).toHaveLength(10);
    const duplicate = rows.findIndex(({ fault }) => fault === 'duplicate');
    const [first] = batchesOf(rows, duplicate);
    expect(first).toEqual(rows.slice(0, duplicate + 1));
    expect(batchesOf([], 1_000)).toEqual([]);
  });
});
