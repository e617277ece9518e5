import {
  effectsOf,
  type Partenaire,
  ProblemError,
  type SyncV2ResultItem,
  taskResult,
  type TacheItem,
} from '@mandat/client';
import { asTyped, momentAfter, must, since, timed } from './checks';
import type { Row } from './employees';
import {
  employersOf,
  type EmployeV2,
  HORAIRE,
  isOngoing,
  makePeople,
  nextExport,
  type Person,
  SYNDICATS,
  worksTwice,
} from './employments';
import { EMPLOYE, readBack, sayEmploi, searchEmplois } from './reads-v2';
import { KINDS, mustAnswerAll, refused, type Result, said, sayCounts, sayErrors } from './result-v2';
import { runKey } from './run-key';
import { count, effects, megabytes, outcome, Progress, say, seconds, title } from './screen';

// V2: the same partner's unions, employments, memberships and custom values, all in one asynchronous request.

const CHAMP = '/b2b/v2/champ-utilisateur';
const SYNC = '/b2b/v2/sync';
const UPSERT = '/b2b/v2/employe/upsert';

/** Types of bodies. Sent values may be invalid, as before. */
type Body = Parameters<Partenaire['syncV2']['sync']>[0]['body'];
type Employes = Parameters<Partenaire['syncV2']['upsert']>[0]['body'];
type Champ = Parameters<Partenaire['champsUtilisateur']['create']>[0]['body'];

export interface StoryV2 {
  /** A member of a union whom the service stores exactly as in the export. */
  readonly member: EmployeV2;
  readonly summary: string;
}

/** @param rows the final rows of V1 */
export async function storyV2(partner: Partenaire, rows: readonly Row[]): Promise<StoryV2> {
  const people = makePeople(rows);
  await defineHoraire(partner);
  const first = await moveToV2(partner, people);
  const corrected = await sendCorrections(partner, people);
  const { leaver, left } = nextExport(people);
  await readBack(partner, leaver);
  await searchEmplois(partner, people, left.IdentifiantExterneEmployeur);
  const moment = await sendNext(partner, people);
  await sendSameAgain(partner, people, moment);
  return {
    member: people.find(({ clean, fault }) => !fault && clean.Adhesions.length > 0)!.clean,
    summary: `V2: employments ${said(first.Emplois)}; corrected: ${count(corrected)} employees; still refused: 0.`,
  };
}

async function defineHoraire(partner: Partenaire): Promise<void> {
  title('Moving to V2: define a custom field', `POST ${CHAMP}`);
  const choices = HORAIRE.choix.map(({ idExterne, libelle }) => `${idExterne} "${libelle}"`).join(', ');
  try {
    const { response } = await partner.champsUtilisateur.create({ body: asTyped<Champ>(HORAIRE) });
    say(`${response.status}: ${HORAIRE.nom}, one of ${choices}`);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'Champ.NomDejaUtilise') throw error;
    const { response } = await partner.champsUtilisateur.replace({ body: asTyped<Champ>(HORAIRE) });
    say(`${error.status} ${error.code}, so PUT: ${response.status}, ${HORAIRE.nom}, one of ${choices}`);
  }
}

/** Sends the whole export in one request, which is answered before the sync is done. */
async function moveToV2(partner: Partenaire, people: readonly Person[]): Promise<Result> {
  title('Unions, employers, employees: one request', `POST ${SYNC}   Prefer: respond-async`);
  sayExport(people);
  const body = bodyOf(people);
  const size = megabytes(Buffer.byteLength(JSON.stringify(body)));
  const began = performance.now();
  const headers = { Prefer: 'respond-async', ...runKey('move') };
  const accepted = await timed(partner.syncV2.sync({ body, headers }));
  const location = accepted.response.headers.get('location');
  must(
    accepted.response.status === 202 && location,
    `respond-async returned ${accepted.response.status}, not 202 with Location`,
  );
  say(`${size}, answered in ${seconds(accepted.milliseconds)}: 202, Location ${location}`);
  const result = await followed(partner, accepted, people.length + SYNDICATS.length);
  say(`Done ${seconds(performance.now() - began)} after it was sent:`);
  sayCounts(result);
  sayErrors(result, people);
  mustAnswerAll(result, people);
  return result;
}

function sayExport(people: readonly Person[]): void {
  const all = people.map(({ clean }) => clean);
  const memberships = all.flatMap(({ Adhesions }) => Adhesions).length;
  const emplois = all.flatMap(({ Emplois }) => Emplois);
  const ended = emplois.filter((emploi) => !isOngoing(emploi)).length;
  say(
    `${SYNDICATS.length} unions with ${employersOf().length} employers, two of them in two unions; ` +
      `${count(all.length)} employees with ${count(memberships)} memberships`,
  );
  say(
    `and ${count(emplois.length)} employments, ${count(ended)} of them ended. ` +
      `${all.filter(worksTwice).length} employees have two: V1 refused their second line.`,
  );
}

interface Answer {
  readonly data: TacheItem | SyncV2ResultItem;
  readonly response: Response;
}

async function followed(partner: Partenaire, accepted: Answer, total: number): Promise<Result> {
  const progress = new Progress(total, true, 1 / 4);
  let ended: TacheItem | undefined;
  try {
    return await taskResult(partner, accepted, {
      onProgress: (task) => {
        progress.reach(task.traites);
        ended = task;
      },
      intervalSeconds: 0.25,
    });
  } finally {
    progress.end();
    if (ended?.effets) say(`The task's effets: ${effects(ended.effets)}`);
  }
}

/** @returns the number of corrected employees */
async function sendCorrections(partner: Partenaire, people: readonly Person[]): Promise<number> {
  title('Correct those and send them again', `POST ${UPSERT}`);
  const again = people.filter(({ fault }) => fault).map(({ clean }) => clean);
  const { data } = await partner.syncV2.upsert({
    body: asTyped<Employes>(again),
    headers: runKey('corrections-v2'),
  });
  must(refused(data) === 0, 'corrected records were rejected');
  const counts = (['Employes', 'Emplois', 'Adhesions'] as const).map(
    (kind) => `${kind} created ${data[kind].AddCount}, updated ${data[kind].UpdateCount}`,
  );
  say(`${counts.join('; ')}; refused 0`);
  return again.length;
}

/** @returns the moment before the change */
async function sendNext(partner: Partenaire, before: readonly Person[]): Promise<string> {
  title('The next export: one has left an employer, one is back at an earlier one', `POST ${SYNC}`);
  const { people, leaver, left, returner, resumed } = nextExport(before);
  const { data: known } = await partner.employesV2.list({});
  const moment = momentAfter(known);
  await syncAll(partner, 'next', people);
  await sayEmploi(partner, leaver, left, false, 'omitted from the export');
  await sayEmploi(partner, returner, resumed, true, 'sent without DateFin');
  const moved = await changedSince(partner, moment);
  const ids = moved.map(({ idExterne }) => idExterne).sort();
  const expected = [leaver.IdExterne, returner.IdExterne].sort();
  must(ids.join() === expected.join(), `${ids.length} employees have changed instead of two`);
  say(`GET ${EMPLOYE}?modifieDepuis=${moment}: ${ids.join(', ')} only`);
  return moment;
}

async function sendSameAgain(partner: Partenaire, before: readonly Person[], moment: string): Promise<void> {
  title('The same export once more', `POST ${SYNC}`);
  const moved = await changedSince(partner, moment);
  await syncAll(partner, 'same', nextExport(before).people);
  const movedAgain = await changedSince(partner, moment);
  must(JSON.stringify(movedAgain) === JSON.stringify(moved), 'a repeated sync rewrote unchanged rows');
  say('No row was rewritten: modifieDepuis still returns the same two employees, with the same derniereMAJ.');
}

/** Sends everything and waits for the result. */
async function syncAll(partner: Partenaire, name: string, people: readonly Person[]): Promise<void> {
  const request = partner.syncV2.sync({ body: bodyOf(people), headers: runKey(name) });
  const { milliseconds, ...answer } = await timed(request);
  const data = await taskResult(partner, answer);
  mustAnswerAll(data, people);
  must(refused(data) === 0, 'a sync without faults had rejected records');
  must(
    KINDS.every((kind) => data[kind].AddCount === 0),
    'a sync of known records created some',
  );
  const updated = KINDS.reduce((sum, kind) => sum + data[kind].UpdateCount, 0);
  say(`Synchronous: ${outcome(0, updated, 0)}, in ${seconds(milliseconds)}`);
  say(`Mandat-Effets: ${effects(effectsOf(answer.response))}`);
}

async function changedSince(partner: Partenaire, moment: string) {
  const { data } = await partner.employesV2.list({ query: { modifieDepuis: moment } });
  return since(moment, data);
}

function bodyOf(people: readonly Person[]): Body {
  return asTyped<Body>({ Syndicats: SYNDICATS, Employes: people.map(({ sent }) => sent) });
}
