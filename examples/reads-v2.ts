import type { EmployeV2Item, EmploiTrouveItem, Partenaire } from '@mandat/client';
import { must } from './checks';
import {
  type Emploi,
  type EmployeV2,
  employersOf,
  HORAIRE,
  isOngoing,
  type Person,
  SYNDICATS,
} from './employments';
import { count, say, title } from './screen';

// Reads the sent data in V2 and in V1.

export const EMPLOYE = '/b2b/v2/employe';
const EMPLOI = '/b2b/v2/emploi';
/** The employment that V2 makes of the single employer of V1. */
const EMPLOI_V1 = 'V1';

type EmploiItem = EmployeV2Item['emplois'][number] | EmploiTrouveItem;

export async function readBack(partner: Partenaire, sent: EmployeV2): Promise<void> {
  title('Read back, by V2 and by V1', `GET ${EMPLOYE}`);
  const choice = HORAIRE.choix.find(
    ({ idExterne }) => idExterne === sent.ValeursChampUtilisateur[0]!.Valeur,
  )!;
  const { data: body } = await partner.employesV2.get({ path: { idExterne: sent.IdExterne } });
  const valeur = body.valeursChampUtilisateur.find(({ nom }) => nom === HORAIRE.nom);
  must(valeur?.type === 'choix' && valeur.idExterneChoix === choice.idExterne, 'a choice was changed');
  must(body.nom === sent.Nom && body.adhesions.length === sent.Adhesions.length, 'an employee was changed');
  mustHave(body, sent.Emplois);
  say(`/${sent.IdExterne}: ${body.prenom} ${body.nom}, ${JSON.stringify(valeur)}`);
  for (const emploi of body.emplois) {
    const isOfV1 = emploi.identifiantExterne === EMPLOI_V1;
    say(`   ${lineOf(emploi)}${isOfV1 ? ': written by V1, ended by the first V2 sync' : ''}`);
  }
  const adhesions = body.adhesions.map(
    ({ syndicatIdExterne, dateAdhesion }) => `${syndicatIdExterne} since ${dayOf(dateAdhesion)}`,
  );
  say(`   member of ${adhesions.join(' and of ')}`);
  await readByV1(partner, sent, choice.libelle);
}

/** V1 still shows one employer, and the label of a choice. */
async function readByV1(
  partner: Partenaire,
  { IdExterne, Emplois }: EmployeV2,
  label: string,
): Promise<void> {
  const { data } = await partner.employes.get({ path: { idExterne: IdExterne } });
  const { identifiantExterneEmployeur: employer, valeursChampUtilisateur } = data;
  must(employer === Emplois.at(-1)!.IdentifiantExterneEmployeur, 'V1 shows another employer');
  const shown = valeursChampUtilisateur.find(({ nom }) => nom === HORAIRE.nom)?.valeurChoix;
  must(shown === label, `V1 shows ${shown} where the label is ${label}`);
  say(`By V1, the employer of the latest employment and the label: ${employer}, "${shown}"`);
}

/** @param employer an employer with some ended employments */
export async function searchEmplois(
  partner: Partenaire,
  people: readonly Person[],
  employer: string,
): Promise<void> {
  title('Search employments', `GET ${EMPLOI}`);
  const today = dayOf(new Date().toISOString());
  const atEmployer = `identifiantExterneEmployeur=${employer}`;
  const all = await search(partner, { identifiantExterneEmployeur: employer });
  say(`?${atEmployer}: ${count(all.length)}, including ended ones`);

  const active = await search(partner, { identifiantExterneEmployeur: employer, actifLe: today });
  must(active.length === ongoingAt(people, [employer]), `${active.length} are active at ${employer}`);
  say(`?${atEmployer}&actifLe=${today}: ${count(active.length)}`);

  const union = SYNDICATS.at(-1)!.IdentifiantExterne;
  const ofUnion = await search(partner, { idExterneSyndicat: union, actifLe: today });
  const expected = ongoingAt(people, employersOf(union));
  must(ofUnion.length === expected, `${ofUnion.length} are active at employers of ${union}`);
  say(`?idExterneSyndicat=${union}&actifLe=${today}: ${count(ofUnion.length)} at its two employers`);
}

type Search = NonNullable<Parameters<Partenaire['employesV2']['listEmplois']>[0]>['query'];

async function search(partner: Partenaire, query: Search): Promise<readonly EmploiItem[]> {
  const { data } = await partner.employesV2.listEmplois({ query });
  return data;
}

function ongoingAt(people: readonly Person[], employers: readonly string[]): number {
  const ongoing = people.flatMap(({ clean }) => clean.Emplois).filter(isOngoing);
  return ongoing.filter(({ IdentifiantExterneEmployeur }) => employers.includes(IdentifiantExterneEmployeur))
    .length;
}

/** Prints the state of an employment. */
export async function sayEmploi(
  partner: Partenaire,
  { IdExterne }: EmployeV2,
  { IdentifiantExterne: id }: Emploi,
  actif: boolean,
  because: string,
): Promise<void> {
  const { data } = await partner.employesV2.get({ path: { idExterne: IdExterne } });
  const emploi = data.emplois.find(({ identifiantExterne }) => identifiantExterne === id);
  const isAsSent = emploi?.actif === actif && (emploi.dateFin === null) === actif;
  must(isAsSent, `the employment ${id} is not ${actif ? 'active' : 'ended'}`);
  say(`${lineOf(emploi)}: ${because}`);
}

/** Checks that the employee has these employments and that all others have ended. */
function mustHave({ emplois }: EmployeV2Item, sent: readonly Emploi[]): void {
  const known = new Map(emplois.map((emploi) => [emploi.identifiantExterne, emploi]));
  for (const emploi of sent) {
    const item = known.get(emploi.IdentifiantExterne);
    const isSame = item?.matricule === emploi.Matricule && item.actif === isOngoing(emploi);
    must(isSame, `the employment ${emploi.IdentifiantExterne} was changed`);
  }
  const actifs = emplois.filter(({ actif }) => actif).length;
  must(actifs === sent.filter(isOngoing).length, 'an omitted employment is still active');
}

function lineOf(emploi: EmploiItem): string {
  const { identifiantExterne, identifiantExterneEmployeur, matricule, dateDebut, dateFin } = emploi;
  const number = matricule ? `matricule ${matricule}` : 'no matricule';
  const since = dateDebut ? `since ${dayOf(dateDebut)}` : 'start unknown';
  const until = dateFin ? `, dateFin ${dayOf(dateFin)}` : '';
  return `${identifiantExterne.padEnd(9)} ${identifiantExterneEmployeur}  ${number}, ${since}${until}`;
}

function dayOf(date: string): string {
  return date.slice(0, 10);
}
