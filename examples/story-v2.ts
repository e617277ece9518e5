import { changedSince, momentAfter, must } from './checks';
import { type Client, ProblemError } from './client';
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
import { EMPLOYE, type Item, readBack, sayEmploi, searchEmplois } from './reads-v2';
import { KINDS, mustAnswerAll, refused, type Result, said, sayCounts, sayErrors } from './result-v2';
import { runKey } from './run-key';
import { count, megabytes, outcome, Progress, say, seconds, title } from './screen';
import { follow, type Tache } from './task';

// V2: the same partner's unions, employments, memberships and custom values, all in one request that nobody waits for.

const CHAMP = '/b2b/v2/champ-utilisateur';
const SYNC = '/b2b/v2/sync';
const UPSERT = '/b2b/v2/employe/upsert';

export interface StoryV2 {
  /** Somebody whom the service has just as the export says, a member of a union. */
  readonly member: EmployeV2;
  readonly summary: string;
}

/** @param rows what V1 has in the end */
export async function storyV2(client: Client, rows: readonly Row[]): Promise<StoryV2> {
  const people = makePeople(rows);
  await defineHoraire(client);
  const first = await moveToV2(client, people);
  const corrected = await sendCorrections(client, people);
  const { leaver, left } = nextExport(people);
  await readBack(client, leaver);
  await searchEmplois(client, people, left.IdentifiantExterneEmployeur);
  const since = await sendNext(client, people);
  await sendSameAgain(client, people, since);
  return {
    member: people.find(({ clean, fault }) => !fault && clean.Adhesions.length > 0)!.clean,
    summary: `V2: employments ${said(first.Emplois)}; corrected: ${count(corrected)} employees; still refused: 0.`,
  };
}

async function defineHoraire(client: Client): Promise<void> {
  title('Moving to V2: define a custom field', `POST ${CHAMP}`);
  const choices = HORAIRE.choix.map(({ idExterne, libelle }) => `${idExterne} "${libelle}"`).join(', ');
  try {
    const { status } = await client.post(CHAMP, HORAIRE);
    say(`${status}: ${HORAIRE.nom}, one of ${choices}`);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.problem.code !== 'Champ.NomDejaUtilise') throw error;
    const { status } = await client.put(CHAMP, HORAIRE);
    say(
      `${error.problem.status} ${error.problem.code}, so PUT: ${status}, ${HORAIRE.nom}, one of ${choices}`,
    );
  }
}

/** The whole export in one request, which is answered before it is done. */
async function moveToV2(client: Client, people: readonly Person[]): Promise<Result> {
  title('Unions, employers, employees: one request', `POST ${SYNC}   Prefer: respond-async`);
  sayExport(people);
  const body = bodyOf(people);
  const size = megabytes(Buffer.byteLength(JSON.stringify(body)));
  const began = performance.now();
  const accepted = await client.post<Tache<Result>>(SYNC, body, {
    Prefer: 'respond-async',
    ...runKey('move'),
  });
  const location = client.location(accepted);
  must(
    accepted.status === 202 && location,
    `respond-async answered ${accepted.status}, not 202 with Location`,
  );
  say(`${size}, answered in ${seconds(accepted.milliseconds)}: ${accepted.status}, Location ${location}`);
  const result = await followed(client, location, accepted.body.total);
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

async function followed(client: Client, location: string, total: number): Promise<Result> {
  const progress = new Progress(total, true, 1 / 4);
  try {
    return await follow<Result>(client, location, { onProgress: (traites) => progress.reach(traites) });
  } finally {
    progress.end();
  }
}

/** @returns how many employees were corrected */
async function sendCorrections(client: Client, people: readonly Person[]): Promise<number> {
  title('Correct those and send them again', `POST ${UPSERT}`);
  const again = people.filter(({ fault }) => fault).map(({ clean }) => clean);
  const { body } = await client.post<Result>(UPSERT, again, runKey('corrections-v2'));
  must(refused(body) === 0, 'corrected records were refused');
  const counts = (['Employes', 'Emplois', 'Adhesions'] as const).map(
    (kind) => `${kind} created ${body[kind].AddCount}, updated ${body[kind].UpdateCount}`,
  );
  say(`${counts.join('; ')}; refused 0`);
  return again.length;
}

/** @returns the moment before it */
async function sendNext(client: Client, before: readonly Person[]): Promise<string> {
  title('The next export: one has left an employer, one is back at an earlier one', `POST ${SYNC}`);
  const { people, leaver, left, returner, resumed } = nextExport(before);
  const { body: known } = await client.get<Item[]>(EMPLOYE);
  const since = momentAfter(known);
  await syncAll(client, 'next', people);
  await sayEmploi(client, leaver, left, false, 'was left out');
  await sayEmploi(client, returner, resumed, true, 'was sent without its DateFin');
  const moved = await changedSince(client, EMPLOYE, since);
  const ids = moved.map(({ idExterne }) => idExterne).sort();
  const expected = [leaver.IdExterne, returner.IdExterne].sort();
  must(ids.join() === expected.join(), `${ids.length} employees have changed, not the two`);
  say(`GET ${EMPLOYE}?modifieDepuis=${since}: ${ids.join(', ')} and nobody else`);
  return since;
}

async function sendSameAgain(client: Client, before: readonly Person[], since: string): Promise<void> {
  title('The same export once more', `POST ${SYNC}`);
  const moved = await changedSince(client, EMPLOYE, since);
  await syncAll(client, 'same', nextExport(before).people);
  const movedAgain = await changedSince(client, EMPLOYE, since);
  must(JSON.stringify(movedAgain) === JSON.stringify(moved), 'a repeated sync rewrote what had not changed');
  say(
    'Nothing was rewritten: modifieDepuis still answers those two, and their derniereMAJ is that of before.',
  );
}

/** Sends everything and waits for the answer. */
async function syncAll(client: Client, name: string, people: readonly Person[]): Promise<void> {
  const answer = await client.post<Result>(SYNC, bodyOf(people), runKey(name));
  mustAnswerAll(answer.body, people);
  must(refused(answer.body) === 0, 'a sync without faults was refused in part');
  must(
    KINDS.every((kind) => answer.body[kind].AddCount === 0),
    'a sync of known records created some',
  );
  const updated = KINDS.reduce((sum, kind) => sum + answer.body[kind].UpdateCount, 0);
  say(`Waited for: ${outcome(0, updated, 0)}, in ${seconds(answer.milliseconds)}`);
}

function bodyOf(people: readonly Person[]): { Syndicats: typeof SYNDICATS; Employes: Person['sent'][] } {
  return { Syndicats: SYNDICATS, Employes: people.map(({ sent }) => sent) };
}
