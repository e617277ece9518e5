import { correct, makeRows } from '../../examples/employees';
import {
  type Emploi,
  employersOf,
  type EmployeV2,
  type FaultV2,
  HORAIRE,
  isOngoing,
  makePeople,
  nextExport,
  SYNDICATS,
  worksTwice,
} from '../../examples/employments';
import { ORGANISATIONS } from '../../examples/quebec';
import { RecordValidator } from '../../libs/platform/src/input/record-validator';
import {
  EMPLOI_FIELDS,
  EMPLOYE_V2_FIELDS,
  MEMBERSHIP_FIELDS,
  VALEUR_FIELDS,
} from '../../libs/membership/src';

describe('the employments of the demonstration', () => {
  const rows = correct(makeRows(10_000));
  const people = makePeople(rows);
  const faulty = people.filter(({ fault }) => fault);
  const unions = new Set(SYNDICATS.map(({ IdentifiantExterne }) => IdentifiantExterne));

  it('are those of all employees that V1 accepted, the same every time', () => {
    const taken = rows.filter(({ fault }) => !fault);
    expect(people.map(({ clean }) => [clean.IdExterne, clean.TelephonePrincipal, clean.Courriel])).toEqual(
      taken.map(({ sent }) => [sent.idExterne, sent.telephonePrincipal, sent.courriel]),
    );
    expect(makePeople(rows)).toEqual(people);
  });

  it('are at the forty employers, of which two have two unions', () => {
    expect(new Set(employersOf())).toEqual(new Set(ORGANISATIONS.map(({ idExterne }) => idExterne)));
    expect(SYNDICATS.flatMap(({ Employeurs }) => Employeurs)).toHaveLength(42);
    const [first, ...others] = SYNDICATS;
    expect(others).toHaveLength(4);
    expect(employersOf('SYN-PRO')).toEqual(['SER-02', 'SER-03']);
    expect(employersOf(first!.IdentifiantExterne)).toEqual(expect.arrayContaining(['SER-02', 'SER-03']));
  });

  it('leave V1 the employer that it has: the one whose employment began last goes on', () => {
    const employers = rows.filter(({ fault }) => !fault).map((row) => row.clean.identifiantExterneEmployeur);
    const latest = ({ Emplois }: EmployeV2): string =>
      Emplois.filter(isOngoing).reduce((one, other) => (other.DateDebut > one.DateDebut ? other : one))
        .IdentifiantExterneEmployeur;
    expect(people.map(({ clean }) => latest(clean))).toEqual(employers);
    expect(nextExport(people).people.map(({ clean }) => latest(clean))).toEqual(employers);
  });

  it('are two for the employees whom V1 refused a second line, and one in ten has an ended one', () => {
    const repeated = new Set(
      rows.filter(({ fault }) => fault === 'duplicate').map(({ clean }) => clean.idExterne),
    );
    const twice = people.map(({ clean }) => clean).filter(worksTwice);
    expect(twice.length).toBeGreaterThan(10);
    expect(twice.filter(({ IdExterne }) => !repeated.has(IdExterne))).toEqual([]);
    const ended = people.filter(({ clean }) => !clean.Emplois.every(isOngoing));
    expect(ended.length / people.length).toBeCloseTo(0.1, 2);
  });

  it('have identifiers of their own, at employers that there are, one at a time at each', () => {
    const emplois = people.flatMap(({ clean }) => clean.Emplois);
    expect(new Set(emplois.map((one) => one.IdentifiantExterne)).size).toBe(emplois.length);
    const known = new Set(employersOf());
    expect(emplois.filter((one) => !known.has(one.IdentifiantExterneEmployeur))).toEqual([]);
    const sameTwice = people.filter(({ clean }) => {
      const employers = clean.Emplois.filter(isOngoing).map((one) => one.IdentifiantExterneEmployeur);
      return new Set(employers).size < employers.length;
    });
    expect(sameTwice).toEqual([]);
  });

  it('come with memberships, each in another union of their employers', () => {
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

  it('have each fault several times, which is where it is said to be and nowhere else', () => {
    for (const fault of ['union', 'number', 'label'] satisfies FaultV2[]) {
      expect(faulty.filter((person) => person.fault === fault).length).toBeGreaterThanOrEqual(5);
    }
    const found = people.map(({ sent }) => faultsOf(sent as unknown as EmployeV2).join());
    expect(found).toEqual(people.map(({ fault }) => fault ?? ''));
    expect(people.filter(({ clean }) => faultsOf(clean).length > 0)).toEqual([]);
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

  const employe = new RecordValidator(EMPLOYE_V2_FIELDS);
  const emploi = new RecordValidator(EMPLOI_FIELDS);
  const membership = new RecordValidator(MEMBERSHIP_FIELDS);
  const valeur = new RecordValidator(VALEUR_FIELDS);
  const choices: readonly string[] = HORAIRE.choix.map(({ idExterne }) => idExterne);

  /** Returns the errors of the service, in its own words for errors that the demonstration does not intend. */
  function faultsOf(sent: EmployeV2): string[] {
    const broken = [
      employe.check(sent).fault,
      ...sent.Emplois.map((one) => emploi.check(one).fault?.replace('Matricule is required', 'number')),
      ...sent.Adhesions.map((one) => membership.check(one).fault),
      ...sent.ValeursChampUtilisateur.map((one) => valeur.check(one).fault),
      ...sent.Adhesions.map(({ SyndicatIdExterne }) => (unions.has(SyndicatIdExterne) ? undefined : 'union')),
      ...sent.ValeursChampUtilisateur.map(({ Valeur }) => (choices.includes(Valeur) ? undefined : 'label')),
    ];
    return broken.filter((fault) => fault !== undefined);
  }
});

function isSame(some: readonly Emploi[], others: readonly Emploi[]): boolean {
  return JSON.stringify(some) === JSON.stringify(others);
}
