import {
  batchesOf,
  correct,
  FAULTS,
  type FaultKind,
  isCorrectable,
  makeRows,
  type Row,
} from '../../examples/employees';
import { NOMS, ORGANISATIONS, PRENOMS, VILLES } from '../../examples/quebec';
import { RecordValidator } from '../../libs/platform/src/input/record-validator';
import { EMPLOYE_FIELDS } from '../../libs/membership/src';

describe('the employees of the demonstration', () => {
  const rows = makeRows(10_000);
  const faulty = rows.filter(({ fault }) => fault);
  const of = (kind: FaultKind): Row[] => rows.filter(({ fault }) => fault === kind);

  it('are the same every time, and others with another seed', () => {
    expect(makeRows(10_000)).toEqual(rows);
    expect(makeRows(100, 2)).not.toEqual(rows.slice(0, 100));
    expect(makeRows(10)).toEqual(rows.slice(0, 10));
  });

  it('are faulty in 1 to 2 lines of a hundred, in every way that there is', () => {
    expect(rows).toHaveLength(10_000);
    expect(faulty.length).toBeGreaterThanOrEqual(100);
    expect(faulty.length).toBeLessThanOrEqual(200);
    for (const kind of Object.keys(FAULTS) as FaultKind[]) expect(of(kind).length).toBeGreaterThanOrEqual(5);
    expect(Object.values(FAULTS).reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
  });

  it('have identifiers and member numbers of their own, apart from the duplicates', () => {
    const people = rows.filter(({ fault }) => fault !== 'duplicate');
    for (const name of ['idExterne', 'noMembre', 'courriel'] as const) {
      expect(new Set(people.map(({ clean }) => clean[name])).size).toBe(people.length);
    }
  });

  it('have duplicates that repeat the faultless line before them', () => {
    const places = rows.flatMap(({ fault }, index) => (fault === 'duplicate' ? [index] : []));
    for (const place of places) {
      const before = rows[place - 1]!;
      expect(before.fault).toBeUndefined();
      expect(rows[place]!.sent.idExterne).toBe(before.clean.idExterne);
    }
  });

  it('work for all forty employers, whose identifiers are unique', () => {
    expect(new Set(ORGANISATIONS.map(({ idExterne }) => idExterne)).size).toBe(40);
    const named = new Set(rows.map(({ clean }) => clean.identifiantExterneEmployeur));
    expect(named).toEqual(new Set(ORGANISATIONS.map(({ idExterne }) => idExterne)));
    const known = new Set<unknown>(named);
    for (const { sent } of of('employer')) expect(known.has(sent.identifiantExterneEmployeur)).toBe(false);
  });

  it('are refused by the record rules where these can see the fault, and nowhere else', () => {
    const validator = new RecordValidator(EMPLOYE_FIELDS);
    const visible: FaultKind[] = ['e-mail', 'name', 'number', 'column'];
    for (const { sent, clean, fault } of rows) {
      expect({ sent, refused: validator.check(sent).fault !== undefined }).toEqual({
        sent,
        refused: fault !== undefined && visible.includes(fault),
      });
      expect(validator.check(clean).fault).toBeUndefined();
    }
  });

  it('look like Québec: postal codes and telephones fit the city, names have accents', () => {
    const villes = new Map(VILLES.map((ville) => [ville.nom, ville]));
    for (const { clean } of rows) {
      const { prefixe, indicatifs } = villes.get(clean.ville)!;
      expect(clean.codePostal).toMatch(new RegExp(`^${prefixe} \\d[A-CEGHJ-NPR-TV-Z]\\d$`));
      expect(clean.telephonePrincipal).toMatch(new RegExp(`^(${indicatifs.join('|')}) 555-01\\d\\d$`));
    }
    for (const names of [PRENOMS, NOMS]) {
      expect(new Set(names).size).toBe(names.length);
      expect(names.length).toBeGreaterThanOrEqual(78);
      expect(names.filter((name) => /[À-ỹ'-]/.test(name)).length).toBeGreaterThan(20);
    }
  });

  it('are corrected where the partner can see what is meant', () => {
    const corrected = correct(rows);
    expect(corrected).toHaveLength(rows.length);
    for (const [index, row] of rows.entries()) {
      if (isCorrectable(row)) expect(corrected[index]).toEqual({ clean: row.clean, sent: row.clean });
      else expect(corrected[index]).toBe(row);
    }
    expect(new Set(corrected.flatMap(({ fault }) => fault ?? []))).toEqual(
      new Set(['duplicate', 'employer', 'column']),
    );
  });

  it('are cut into batches that keep the lines of one employee together', () => {
    const batches = batchesOf(rows, 1_000);
    expect(batches.flat()).toEqual(rows);
    expect(batches).toHaveLength(10);
    const duplicate = rows.findIndex(({ fault }) => fault === 'duplicate');
    const [first] = batchesOf(rows, duplicate);
    expect(first).toEqual(rows.slice(0, duplicate + 1));
    expect(batchesOf([], 1_000)).toEqual([]);
  });
});
