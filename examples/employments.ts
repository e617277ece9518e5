import type { Row, Sent } from './employees';
import { ORGANISATIONS } from '../libs/essai/src/domain/quebec';

// The same partner's data in V2's format: unions with employers, employees with employments, memberships and values.

interface EmployeurV2 {
  readonly IdentifiantExterne: string;
  readonly Nom: string;
}

export interface Syndicat {
  readonly IdentifiantExterne: string;
  readonly Nom: string;
  readonly Employeurs: readonly EmployeurV2[];
}

export interface Emploi {
  readonly IdentifiantExterne: string;
  readonly IdentifiantExterneEmployeur: string;
  readonly Matricule: string;
  readonly DateDebut: string;
  /** null for a current employment. */
  readonly DateFin: string | null;
}

interface Membership {
  readonly SyndicatIdExterne: string;
  readonly DateAdhesion: string;
}

/** An employee in the format of `POST /b2b/v2/sync`. */
export interface EmployeV2 {
  readonly IdExterne: string;
  /** Contact data, with V1's names in V2's case. */
  readonly [contact: string]: unknown;
  readonly ValeursChampUtilisateur: readonly { readonly NomChamp: string; readonly Valeur: string }[];
  readonly Emplois: readonly Emploi[];
  readonly Adhesions: readonly Membership[];
}

export type FaultV2 = 'union' | 'number' | 'label';

/** An employee of the export. */
export interface Person {
  readonly sent: Sent;
  /** The corrected employee. */
  readonly clean: EmployeV2;
  readonly fault?: FaultV2;
  /** The faulty value. */
  readonly wrong?: unknown;
}

/** The custom field of the demonstration: the working hours. */
export const HORAIRE = {
  nom: 'Horaire',
  type: 'choix',
  choix: [
    { idExterne: 'JOUR', libelle: 'De jour' },
    { idExterne: 'SOIR', libelle: 'De soir' },
    { idExterne: 'NUIT', libelle: 'De nuit' },
  ],
} as const;

/** The college and the university have employees of two unions. */
export const SYNDICATS: readonly Syndicat[] = (
  [
    ['SYN-EDU', "Syndicat de l'éducation et de la petite enfance", 'CSS- SER-02 SER-03 SER-04'],
    ['SYN-SAN', 'Syndicat de la santé et des services sociaux', 'SAN-'],
    ['SYN-MUN', 'Syndicat des municipalités et du transport', 'VIL- SER-01'],
    ['SYN-IND', "Syndicat de l'acier, du bois et des mines", 'IND-'],
    ['SYN-PRO', "Association professionnelle de l'enseignement supérieur", 'SER-02 SER-03'],
  ] as const
).map(([IdentifiantExterne, Nom, employers]) => ({
  IdentifiantExterne,
  Nom,
  Employeurs: ORGANISATIONS.filter(({ idExterne }) =>
    employers.split(' ').some((start) => idExterne.startsWith(start)),
  ).map(({ idExterne, nom }) => ({ IdentifiantExterne: idExterne, Nom: nom })),
}));

/** The unions of each employer. */
const UNIONS = new Map(
  ORGANISATIONS.map(({ idExterne }) => [
    idExterne,
    SYNDICATS.filter(({ Employeurs }) =>
      Employeurs.some(({ IdentifiantExterne }) => IdentifiantExterne === idExterne),
    ).map(({ IdentifiantExterne }) => IdentifiantExterne),
  ]),
);

/** The faults of an export: each returns the faulty record and the faulty value. */
const FAULTS: Readonly<
  Record<FaultV2, (clean: EmployeV2, number: number) => Omit<Person, 'clean' | 'fault'>>
> = {
  // The unions' identifiers are in capitals and case-sensitive.
  union: (clean) => {
    const wrong = clean.Adhesions[0]!.SyndicatIdExterne.toLowerCase();
    const [first, ...others] = clean.Adhesions;
    return { wrong, sent: { ...clean, Adhesions: [{ ...first, SyndicatIdExterne: wrong }, ...others] } };
  },
  number: (clean, number) => {
    const wrong = number % 2 === 0 ? '' : null;
    const last = clean.Emplois.length - 1;
    const Emplois = clean.Emplois.map((one, index) => (index === last ? { ...one, Matricule: wrong } : one));
    return { wrong, sent: { ...clean, Emplois } };
  },
  label: (clean) => {
    const value = clean.ValeursChampUtilisateur[0]!;
    const wrong = HORAIRE.choix.find(({ idExterne }) => idExterne === value.Valeur)!.libelle;
    return { wrong, sent: { ...clean, ValeursChampUtilisateur: [{ ...value, Valeur: wrong }] } };
  },
};
const KINDS = Object.keys(FAULTS) as FaultV2[];
/** The number of employees for each fault. */
const FAULT_EVERY = 331;

/**
 * Returns the employees that V1 accepted. V1 rejected a second line for an employee with two employers; V2 accepts a
 * second employment.
 */
export function makePeople(rows: readonly Row[]): Person[] {
  const second = new Map(
    rows
      .filter(({ fault }) => fault === 'duplicate')
      .map(({ clean, sent }) => [clean.idExterne, sent.identifiantExterneEmployeur as string]),
  );
  return rows
    .filter(({ fault }) => !fault)
    .map((row, index) => {
      const clean = makeEmployee(row, second.get(row.clean.idExterne));
      if (index % FAULT_EVERY !== FAULT_EVERY - 1) return { clean, sent: clean };
      const fault = KINDS[Math.floor(index / FAULT_EVERY) % KINDS.length]!;
      return { clean, fault, ...FAULTS[fault](clean, index) };
    });
}

function makeEmployee({ clean, sent }: Row, second: string | undefined): EmployeV2 {
  const { idExterne, identifiantExterneEmployeur, ...contact } = { ...clean, ...sent };
  const number = Number(idExterne.slice(2));
  const emplois = makeEmplois(idExterne, number, identifiantExterneEmployeur, second);
  return {
    IdExterne: idExterne,
    ...Object.fromEntries(Object.entries(contact).map(([name, value]) => [capitalised(name), value])),
    ValeursChampUtilisateur: [
      { NomChamp: HORAIRE.nom, Valeur: HORAIRE.choix[number % HORAIRE.choix.length]!.idExterne },
    ],
    Emplois: emplois,
    Adhesions: makeMemberships(emplois.filter(isOngoing), number % 2 === 0),
  };
}

/**
 * The employment at V1's employer begins last, because V1 must continue to show that employer. One in ten employees has
 * an earlier employment elsewhere.
 */
function makeEmplois(id: string, number: number, employeur: string, second: string | undefined): Emploi[] {
  const emploi = (suffix: number, where: string, year: number): Emploi => ({
    IdentifiantExterne: `${id}-${suffix}`,
    IdentifiantExterneEmployeur: where,
    Matricule: String(100_000 * (suffix + 1) + number),
    DateDebut: day(year, number),
    DateFin: null,
  });
  const emplois = [emploi(1, employeur, 2017 + (number % 8))];
  if (second && second !== employeur) emplois.unshift(emploi(2, second, 2012 + (number % 5)));
  if (number % 10 === 0) {
    const place = ORGANISATIONS.findIndex(({ idExterne }) => idExterne === employeur);
    const former = ORGANISATIONS[(place + 1 + (number % (ORGANISATIONS.length - 1))) % ORGANISATIONS.length]!;
    emplois.unshift({ ...emploi(0, former.idExterne, 2005), DateFin: day(2008 + (number % 3), number) });
  }
  return emplois;
}

/** Returns a membership in the first union of each employer, and in the second union for every second employee. */
function makeMemberships(emplois: readonly Emploi[], inAll: boolean): Membership[] {
  const since = new Map<string, string>();
  for (const { IdentifiantExterneEmployeur, DateDebut } of emplois) {
    const unions = UNIONS.get(IdentifiantExterneEmployeur)!;
    for (const union of inAll ? unions : unions.slice(0, 1)) {
      if (!since.has(union)) since.set(union, DateDebut);
    }
  }
  return [...since].map(([SyndicatIdExterne, DateAdhesion]) => ({ SyndicatIdExterne, DateAdhesion }));
}

/** Returns the employers of a union, or of all unions, each once. */
export function employersOf(union?: string): string[] {
  const unions = SYNDICATS.filter(({ IdentifiantExterne }) => !union || IdentifiantExterne === union);
  const employers = unions.flatMap(({ Employeurs }) => Employeurs);
  return [...new Set(employers.map(({ IdentifiantExterne }) => IdentifiantExterne))];
}

export function isOngoing({ DateFin }: Emploi): boolean {
  return DateFin === null;
}

/** The export of a later day. */
export interface NextExport {
  readonly people: readonly Person[];
  /** An employee with one employer fewer, and the missing employment. */
  readonly leaver: EmployeV2;
  readonly left: Emploi;
  /** An employee who is back at an earlier employer, and the employment that has no end any more. */
  readonly returner: EmployeV2;
  readonly resumed: Emploi;
}

/** Changes two employees: one has left an employer, one is back at an earlier one. All others are as corrected. */
export function nextExport(people: readonly Person[]): NextExport {
  const faultless = people.filter(({ fault }) => !fault).map(({ clean }) => clean);
  const leaver = faultless.find(worksTwice)!;
  const left = leaver.Emplois.find(isOngoing)!;
  const returner = faultless.find(({ Emplois }) => !Emplois.every(isOngoing))!;
  const ended = returner.Emplois.find((emploi) => !isOngoing(emploi))!;
  const resumed = { ...ended, DateFin: null };
  const emploisOf = (employe: EmployeV2): readonly Emploi[] => {
    if (employe === leaver) return employe.Emplois.filter((emploi) => emploi !== left);
    if (employe === returner) return employe.Emplois.map((emploi) => (emploi === ended ? resumed : emploi));
    return employe.Emplois;
  };
  const next = people.map(({ clean }) => {
    const employe = { ...clean, Emplois: emploisOf(clean) };
    return { clean: employe, sent: employe };
  });
  return { people: next, leaver, left, returner, resumed };
}

export function worksTwice({ Emplois }: EmployeV2): boolean {
  return Emplois.filter(isOngoing).length > 1;
}

/** Returns the first day of a month. */
function day(year: number, number: number): string {
  return `${year}-${String(1 + (number % 12)).padStart(2, '0')}-01`;
}

function capitalised(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
