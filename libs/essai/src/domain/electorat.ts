import { type Defaut, NATURES_DEFAUT, type NombreDefauts } from './electorat.types';
import { Hasard } from './hasard';
import {
  ascii,
  NOMS,
  NOMS_ANGLAIS,
  ORGANISATIONS,
  POSTAL_LETTERS,
  PRENOMS,
  PRENOMS_ANGLAIS,
  RUES,
  VILLES,
} from './quebec';

/** Numbers of a synthetic electorate. */
export interface Electorat {
  readonly graine: string;
  readonly employes: number;
  readonly employeurs: number;
  readonly defauts: number;
}

/** Number of employers of a union. */
const EMPLOYEURS_PAR_SYNDICAT = 8;

/** Shares of employees. */
const ANGLOPHONES = 0.15;
const TWO_EMPLOYMENTS = 0.1;
const NO_MEMBERS = 0.08;

/** Share of employments that have ended. */
const ENDED = 0.05;

interface Emploi {
  readonly IdentifiantExterne: string;
  readonly IdentifiantExterneEmployeur: string;
  readonly Matricule: string;
  readonly DateDebut: string;
  readonly DateFin: string | null;
}

interface Employe {
  readonly IdExterne: string;
  readonly Prenom: string;
  readonly Nom: string;
  readonly NoMembre: string;
  readonly Courriel: string;
  readonly TelephonePrincipal: string;
  readonly Adresse1: string;
  readonly Ville: string;
  readonly Province: string;
  readonly CodePostal: string;
  readonly Emplois: readonly Emploi[];
  readonly Adhesions: readonly object[];
}

/**
 * Yields the JSON text of a V2 sync with a synthetic electorate, record by record. The text depends only on the numbers and the
 * seed. The clock, time zone and language of the process do not change it. Persons, employers and unions are invented.
 */
export function* textOf(electorat: Electorat): Generator<string, void> {
  yield '{"Syndicats":[';
  yield syndicatsOf(electorat)
    .map((syndicat) => JSON.stringify(syndicat))
    .join(',');
  yield '],"Employes":[';
  const faulty = faultyOf(electorat);
  for (let place = 0; place < electorat.employes; place++) {
    const employe = employeOf(electorat, place);
    const defaut = faulty.get(place);
    const sent = defaut ? spoiled(employe, defaut) : [employe];
    for (const [index, record] of sent.entries())
      yield (place + index > 0 ? ',' : '') + JSON.stringify(record);
  }
  yield ']}';
}

/** Returns how many employees have each fault. */
export function defautsOf({ defauts }: Pick<Electorat, 'defauts'>): NombreDefauts[] {
  const kinds = NATURES_DEFAUT.length;
  return NATURES_DEFAUT.map((nature, place) => ({
    nature,
    nombre: Math.floor((defauts + kinds - 1 - place) / kinds),
  })).filter(({ nombre }) => nombre > 0);
}

/** Returns the places of the employees that have a fault. */
function faultyOf({ graine, employes, defauts }: Electorat): ReadonlyMap<number, Defaut> {
  const places = new Hasard(graine, 'defauts').some(defauts, employes);
  return new Map(places.map((place, index) => [place, NATURES_DEFAUT[index % NATURES_DEFAUT.length]!]));
}

const numbered = (prefix: string, place: number): string => `${prefix}-${String(place + 1).padStart(5, '0')}`;
const employeurId = (place: number): string => numbered('ESSAI-EMP', place);
const syndicatId = (employeur: number): string =>
  numbered('ESSAI-SYN', Math.floor(employeur / EMPLOYEURS_PAR_SYNDICAT));

function nomEmployeur(place: number): string {
  const { nom } = ORGANISATIONS[place % ORGANISATIONS.length]!;
  const round = Math.floor(place / ORGANISATIONS.length);
  return round === 0 ? nom : `${nom}, établissement ${round + 1}`;
}

function syndicatsOf({ employeurs }: Electorat): object[] {
  const places = Array.from({ length: employeurs }, (_, place) => place);
  return Object.entries(Object.groupBy(places, syndicatId)).map(([IdentifiantExterne, own]) => ({
    IdentifiantExterne,
    Nom: `Syndicat du personnel, ${nomEmployeur(own![0]!)}`,
    Employeurs: own!.map((place) => ({ IdentifiantExterne: employeurId(place), Nom: nomEmployeur(place) })),
  }));
}

function employeOf({ graine, employeurs }: Electorat, place: number): Employe {
  const hasard = new Hasard(graine, `employe ${place}`);
  const isEnglish = hasard.chance(ANGLOPHONES);
  const prenom = hasard.pick(isEnglish ? PRENOMS_ANGLAIS : PRENOMS);
  const nom = hasard.pick(isEnglish ? NOMS_ANGLAIS : NOMS);
  const ville = hasard.pick(VILLES);
  const digit = (): number => hasard.below(10);
  const count = hasard.chance(TWO_EMPLOYMENTS) ? 2 : 1;
  const places = hasard.some(Math.min(count, employeurs), employeurs);
  const Emplois = places.map((employeur, index) => emploiOf(hasard, place, employeur, index));
  const adhesion = {
    SyndicatIdExterne: syndicatId(places[0]!),
    DateAdhesion: Emplois[0]!.DateDebut,
  };
  return {
    IdExterne: numbered('ESSAI-E', place),
    Prenom: prenom,
    Nom: nom,
    NoMembre: numbered('ESSAI-M', place),
    Courriel: `${ascii(prenom)}.${ascii(nom)}.${place + 1}@example.org`,
    TelephonePrincipal: `${hasard.pick(ville.indicatifs)} 555-01${digit()}${digit()}`,
    Adresse1: `${1 + hasard.below(9_000)}, ${hasard.pick(RUES)}`,
    Ville: ville.nom,
    Province: 'QC',
    CodePostal: `${ville.prefixe} ${digit()}${hasard.pick(POSTAL_LETTERS)}${digit()}`,
    Emplois,
    Adhesions: hasard.chance(NO_MEMBERS) ? [] : [adhesion],
  };
}

function emploiOf(hasard: Hasard, place: number, employeur: number, index: number): Emploi {
  const DateDebut = day(1995 + hasard.below(29), hasard);
  return {
    IdentifiantExterne: `${numbered('ESSAI-J', place)}-${index + 1}`,
    IdentifiantExterneEmployeur: employeurId(employeur),
    Matricule: String(100_000 + place * 2 + index),
    DateDebut,
    DateFin: hasard.chance(ENDED) ? day(2024, hasard) : null,
  };
}

const two = (number: number): string => String(number).padStart(2, '0');

/** A day of a year, at most the 28th. */
function day(year: number, hasard: Hasard): string {
  return `${year}-${two(1 + hasard.below(12))}-${two(1 + hasard.below(28))}`;
}

/** Returns the records that an export with the fault has in place of the employee. */
function spoiled(employe: Employe, defaut: Defaut): object[] {
  const [emploi, ...emplois] = employe.Emplois;
  const withEmploi = (change: Partial<Record<keyof Emploi, string>>): object[] => [
    { ...employe, Emplois: [{ ...emploi, ...change }, ...emplois] },
  ];
  const { Prenom, Nom, Courriel, Ville, NoMembre, TelephonePrincipal } = employe;
  const records: Readonly<Record<Defaut, () => object[]>> = {
    Doublon: () => [employe, { ...employe, Courriel: Courriel.replace('@', '.2@') }],
    DateImpossible: () => withEmploi({ DateDebut: '2019-02-31' }),
    FinAvantDebut: () => withEmploi({ DateDebut: '2021-09-01', DateFin: '2012-09-01' }),
    CourrielInvalide: () => [{ ...employe, Courriel: Courriel.replace('@', ' chez ') }],
    CourrielAbsent: () => [{ ...employe, Courriel: null }],
    AccentsDecomposes: () => [
      { ...employe, Prenom: `${Prenom}-Éloïse`.normalize('NFD'), Nom: Nom.normalize('NFD') },
    ],
    // UTF-8 that a program has read as Latin-1.
    AccentsAbimes: () => [
      {
        ...employe,
        Prenom: Buffer.from(`${Prenom}-Éloïse`, 'utf8')
          .toString('latin1')
          .replace(/[\x80-\x9f]/g, ''),
      },
    ],
    EspacesEnTrop: () => [{ ...employe, Prenom: ` ${Prenom}`, Nom: `${Nom}  `, Ville: `${Ville}\u00a0` }],
    NomAbsent: () => [{ ...employe, Nom: '' }],
    EmployeurInconnu: () => withEmploi({ IdentifiantExterneEmployeur: 'ESSAI-EMP-99999' }),
    NombreAuLieuDeTexte: () => [{ ...employe, NoMembre: Number(NoMembre.replace(/\D/g, '')) }],
    ColonneInconnue: () => [{ ...employe, Cellulaire: TelephonePrincipal }],
  };
  return records[defaut]();
}
