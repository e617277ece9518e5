import { correct, makeRows } from '../../examples/employees';
import {
  type Emploi,
  employersOf,
  type EmployeV2,
  isOngoing,
  makePeople,
  nextExport,
  SYNDICATS,
  worksTwice,
} from '../../examples/employments';
import { ORGANISATIONS } from '../../libs/essai/src/domain/quebec';

describe('The employments of the demonstration', () => {
  const rows = correct(makeRows(10_000));
  const people = makePeople(rows);
  const unions = new Set(SYNDICATS.map(({ IdentifiantExterne }) => IdentifiantExterne));

  it('are at forty employers, two of which have two unions', () => {
    expect(new Set(employersOf())).toEqual(new Set(ORGANISATIONS.map(({ idExterne }) => idExterne)));
    expect(SYNDICATS.flatMap(({ Employeurs }) => Employeurs)).toHaveLength(42);
    const [first, ...others] = SYNDICATS;
    expect(others).toHaveLength(4);
    expect(employersOf('SYN-PRO')).toEqual(['SER-02', 'SER-03']);
    expect(employersOf(first!.IdentifiantExterne)).toEqual(expect.arrayContaining(['SER-02', 'SER-03']));
  });

  it('the latest ongoing employment is at the employer of V1', () => {
    const employers = rows.filter(({ fault }) => !fault).map((row) => row.clean.identifiantExterneEmployeur);
    const latest = ({ Emplois }: EmployeV2): string =>
      Emplois.filter(isOngoing).reduce((one, other) => (other.DateDebut > one.DateDebut ? other : one))
        .IdentifiantExterneEmployeur;
    expect(people.map(({ clean }) => latest(clean))).toEqual(employers);
    expect(nextExport(people).people.map(({ clean }) => latest(clean))).toEqual(employers);
  });

  it('employees with a rejected second line have two; one in ten has an ended one', () => {
    const repeated = new Set(
      rows.filter(({ fault }) => fault === 'duplicate').map(({ clean }) => clean.idExterne),
    );
    const twice = people.map(({ clean }) => clean).filter(worksTwice);
    expect(twice.length).toBeGreaterThan(10);
    expect(twice.filter(({ IdExterne }) => !repeated.has(IdExterne))).toEqual([]);
    const ended = people.filter(({ clean }) => !clean.Emplois.every(isOngoing));
    expect(ended.length / people.length).toBeCloseTo(0.1, 2);
  });

  it('each employee is a member of unions of the employers, once', () => {
    const employersOfUnions = new Map([...unions].map((union) => [union, employersOf(union)]));
    const strange = people.filter(({ clean: { Adhesions, Emplois } }) => {
      const named = Adhesions.map(({ SyndicatIdExterne }) => SyndicatIdExterne);
      const employers = Emplois.filter(isOngoing).map((one) => one.IdentifiantExterneEmployeur);
      const isTheirs = (union: string): boolean =>
        employersOfUnions.get(union)!.some((employer) => employers.includes(employer));
      return named.length === 0 || new Set(named).size < named.length || !named.every(isTheirs);
    });
    expect(strange).toEqual([]);
    const two = people.filter(({ clean }) => clean.Adhesions.length > 1 && !worksTwice(clean));
    expect(two.length).toBeGreaterThan(100);
  });

  it('change for two employees from one export to the next', () => {
    const { people: next, leaver, left, returner, resumed } = nextExport(people);
    const changed = next.filter(({ clean }, index) => !isSame(clean.Emplois, people[index]!.clean.Emplois));
    expect(changed.map(({ clean }) => clean.IdExterne).sort()).toEqual(
      [leaver.IdExterne, returner.IdExterne].sort(),
    );
    const emploisOf = (id: string): readonly Emploi[] =>
      next.find(({ clean }) => clean.IdExterne === id)!.clean.Emplois;
    expect(isOngoing(left)).toBe(true);
    expect(emploisOf(leaver.IdExterne)).toEqual(leaver.Emplois.filter((one) => one !== left));
    expect(isOngoing(resumed)).toBe(true);
    expect(emploisOf(returner.IdExterne)).toContainEqual(resumed);
    expect(emploisOf(returner.IdExterne)).toHaveLength(returner.Emplois.length);
    expect(next.filter(({ sent, clean }) => sent !== clean)).toEqual([]);
  });
});

function isSame(some: readonly Emploi[], others: readonly Emploi[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others);
}
