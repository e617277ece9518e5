import type {
  EcartsAppliquesItem,
  EmployeV2Sync,
  ListeElectoraleInput,
  Partenaire,
  SyndicatV2Sync,
} from '@mandat/client';
import { setTimeout as delay } from 'node:timers/promises';
import { asTyped, must } from '../checks';
import { count, say, title } from '../screen';
import type { Service } from '../service';

// The roll of the rehearsal: its explanation, its changes, a dispute and reminders.

/** A partner's electorate: the records that the service has accepted. */
export interface Electorate {
  readonly syndicats: readonly SyndicatV2Sync[];
  readonly employes: readonly EmployeV2Sync[];
}

const DAY_MS = 24 * 3_600_000;
const REMINDER = {
  sujet: 'Rappel : le vote est ouvert',
  corpsHtml: '<p>Vous n’avez pas encore voté. <b>Votez avant la fermeture.</b></p>',
};

const nameOf = ({ Prenom, Nom }: EmployeV2Sync): string => `${Prenom} ${Nom}`;
const hasLeft = ({ Emplois }: EmployeV2Sync): boolean => Emplois!.every(({ DateFin }) => DateFin);

/** Criteria of the roll: members of a union who work for an employer of a union. */
function criteriaOf({ syndicats }: Electorate): ListeElectoraleInput {
  const employeurs = syndicats.flatMap(({ Employeurs }) => Employeurs!);
  return {
    SyndicatsIdExternes: syndicats.map(({ IdentifiantExterne }) => IdentifiantExterne),
    EmployeursIdentifiantsExternes: employeurs.map(({ IdentifiantExterne }) => IdentifiantExterne),
  };
}

/** Makes voters of the members who are employed, as the simulation has said before. @returns the counts by reason */
export async function makeRoll(partner: Partenaire, id: string, known: Electorate): Promise<unknown> {
  const path = { id };
  const body = criteriaOf(known);
  const simulated = await partner.listesElectorales.create({ path, body, query: { simulation: true } });
  const reasons = asTyped<{ Motifs: { Code: string; Nombre: number }[] }>(simulated.data).Motifs;
  say(`Simulation: ${reasons.map(({ Code, Nombre }) => `${Code} ${count(Nombre)}`).join(', ')}`);
  const { data: roll } = await partner.listesElectorales.create({ path, body });
  must(roll.NombreVotants === simulated.data.NombreVotants, 'as many voters as in the simulation');
  say(`${count(roll.NombreVotants)} voters`);
  return reasons;
}

/** Explains why a former employee is not on the roll, and tries the change that the explanation names. @returns both */
export async function explainMissing(partner: Partenaire, id: string, known: Electorate): Promise<unknown> {
  title('Why is somebody not on the roll?', 'GET /b2b/v1/campagnes/{id}/liste-electorale/explication');
  const path = { id };
  const former = known.employes.find((employe) => employe.Adhesions!.length > 0 && hasLeft(employe));
  must(former, 'a member who has left');
  const idExterneEmploye = former.IdExterne;
  const { data } = await partner.explications.explain({ path, query: { idExterneEmploye } });
  const { contrefactuel, motifs, surLaListe } = data;
  must(!surLaListe && contrefactuel?.changement === 'ActifsLe', 'another day as the smallest change');
  say(`${nameOf(former)}: ${motifs.map(({ constat }) => constat).join('; ')}`);
  say(`On the roll with ${contrefactuel.texte}`);
  const added = async (day: { ActifsLe?: string | null }): Promise<number> => {
    const body = { ...criteriaOf(known), EmployesIdExternes: [idExterneEmploye], ...day };
    return (await partner.listesElectorales.create({ path, body, query: { simulation: true } })).data
      .NombreAjoutes;
  };
  const [today, then] = [await added({}), await added({ ActifsLe: contrefactuel.valeur })];
  must(today === 0 && then === 1, 'a change that puts the employee on the roll');
  say(`Simulated with that day: ${then} voter more`);
  return [idExterneEmploye, motifs.map(({ code }) => code), contrefactuel.changement, contrefactuel.valeur];
}

/** A voter leaves and another gets a new name. Their roll follows. @returns the numbers of differences */
export async function changeRoll(
  partner: Partenaire,
  id: string,
  { employes }: Electorate,
  now: number,
): Promise<EcartsAppliquesItem> {
  const { data: open } = await partner.votants.list({ path: { id }, query: { aVote: false } });
  const absent = new Set(open.map(({ EmployeIdExterne }) => EmployeIdExterne));
  const [leaver, renamed] = employes.filter(({ IdExterne }) => absent.has(IdExterne));
  must(leaver && renamed, 'two voters who have not voted');
  const DateFin = new Date(now - 2 * DAY_MS).toISOString().slice(0, 10);
  await upsert(partner, [
    {
      ...leaver,
      Emplois: leaver.Emplois!.map((emploi) => ({ ...emploi, DateFin: emploi.DateFin ?? DateFin })),
    },
    { ...renamed, Nom: `${renamed.Nom}-Lalonde` },
  ]);
  const applied = await applyDifferences(partner, id);
  must(applied.nombreRetires === 1 && applied.nombreModifies === 1, 'one voter less, and one changed');
  say(`${nameOf(leaver)} has left the roll, ${nameOf(renamed)} has another name`);
  return applied;
}

/**
 * An employee objects that she belongs on the roll. The explanation shows that her membership is unknown. The membership is added, and
 * the difference puts her on the roll.
 *
 * @returns her identifier, with the reasons before and after
 */
export async function dispute(
  { partner, platform }: Service,
  id: string,
  { syndicats, employes }: Electorate,
): Promise<unknown> {
  const path = { id };
  const objector = employes.find((employe) => employe.Adhesions!.length === 0 && !hasLeft(employe));
  must(objector, 'an employee who is no member');
  const query = { idExterneEmploye: objector.IdExterne };
  const answer = async () => (await platform!.eligibilite.eligibility({ path, query })).data;
  const before = await answer();
  must(!before.surLaListe, 'somebody who is not on the roll');
  say(`${nameOf(objector)} objects. The member reads: ${before.texte}`);
  const emploi = objector.Emplois!.find(({ DateFin }) => !DateFin)!;
  const syndicat = syndicats.find(({ Employeurs }) =>
    Employeurs!.some(({ IdentifiantExterne }) => IdentifiantExterne === emploi.IdentifiantExterneEmployeur),
  );
  const adhesion = { SyndicatIdExterne: syndicat!.IdentifiantExterne, DateAdhesion: emploi.DateDebut! };
  await upsert(partner, [{ ...objector, Adhesions: [adhesion] }]);
  const { contrefactuel } = (await partner.explications.explain({ path, query })).data;
  must(contrefactuel?.changement === 'AppliquerEcarts', 'a difference of the roll');
  must((await applyDifferences(partner, id)).nombreAjoutes === 1, 'one voter more');
  const after = await answer();
  must(after.surLaListe && after.aDroitDeVote, 'a voter');
  say(`Her membership was missing and is added. Now the member reads: ${after.texte}`);
  const codes = ({ motifs }: typeof before): string[] => motifs.map(({ code }) => code);
  return [objector.IdExterne, codes(before), codes(after)];
}

/** Sends a reminder to all who have not voted, and waits for its end. @returns the number of recipients */
export async function remind(partner: Partenaire, id: string): Promise<number> {
  const { data: stats } = await partner.statistics.read({ path: { id } });
  const left = stats.totalVotantsAvecDroitDeVote - stats.votantsAyantVote;
  const destinataires = { campagneId: id, cible: 'nonVotants' as const };
  const { data: sent } = await partner.courriels.create({ body: { destinataires, ...REMINDER } });
  must(sent.nombreDestinataires === left, `a reminder to ${count(left)} voters`);
  for (;;) {
    const { etats } = (await partner.courriels.get({ path: { id: sent.id } })).data;
    if (etats.enAttente + etats.enCours === 0) {
      say(
        `Reminder to ${count(left)} voters: sent ${count(etats.envoyes)}, held back in staging ${count(etats.retenus)}`,
      );
      return left;
    }
    await delay(200);
  }
}

async function upsert(partner: Partenaire, employes: readonly EmployeV2Sync[]): Promise<void> {
  await partner.syncV2.upsert({ body: [...employes] });
}

/** Applies all differences between the roll and the current master data. */
async function applyDifferences(partner: Partenaire, id: string): Promise<EcartsAppliquesItem> {
  const path = { id };
  const { empreinte } = (await partner.ecarts.list({ path })).data;
  const natures: ('AAjouter' | 'ARetirer' | 'AModifier')[] = ['AAjouter', 'ARetirer', 'AModifier'];
  return (await partner.ecarts.apply({ path, body: { empreinte, natures } })).data;
}
