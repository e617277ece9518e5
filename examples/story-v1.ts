import { changedSince, momentAfter, must, refusal } from './checks';
import type { Client } from './client';
import {
  batchesOf,
  correct,
  type Employe,
  FAULTS,
  isCorrectable,
  isTypical,
  makeRows,
  type Row,
} from './employees';
import { ORGANISATIONS } from './quebec';
import { runKey } from './run-key';
import { byMessage, count, megabytes, outcome, Progress, say, seconds, short, title } from './screen';

// V1: employees with a single employer, in batches; the faults of an export; reading back; changing one employee.

const RECORDS = 10_000;
const BATCH = 1_000;
const EMPLOYE = '/b2b/v1/employe';
const SYNC = `${EMPLOYE}/sync`;
const EMPLOYEURS = ORGANISATIONS.map(({ idExterne, nom }) => ({ idExterne, nom }));

interface SyncResult {
  created: number;
  updated: number;
  errors: { idExterne: string; message: string }[];
}

type Item = Employe & { readonly derniereMAJ: string };

export interface StoryV1 {
  /** The export as it is in the end. */
  readonly rows: Row[];
  readonly summary: string;
}

export async function storyV1(client: Client): Promise<StoryV1> {
  const rows = makeRows(RECORDS);
  showExport(rows);
  await dryRun(client, rows);

  title(`The sync, in batches of ${count(BATCH)}`, `POST ${SYNC}`);
  const first = await sync(client, 'first', rows);
  sayErrors(first, rows);
  await repeatFirstBatch(client, rows);

  const corrected = correct(rows);
  const corrections = await sendCorrections(client, rows, corrected);
  const since = await readBack(client, corrected.find(isTypical)!);
  const changed = await change(client, corrected, since);
  const last = await sameAgain(client, changed, since);
  return {
    rows: changed,
    summary: `V1: ${said(first)}; corrected: ${said(corrections)}; still refused: ${last.errors.length}.`,
  };
}

function showExport(rows: readonly Row[]): void {
  const records = count(rows.length + EMPLOYEURS.length);
  title(
    `The partner's export: ${count(rows.length)} lines and ${EMPLOYEURS.length} employers, ${records} records`,
  );
  for (const { clean } of rows.filter(isTypical).slice(0, 3)) {
    const { idExterne, prenom, nom, adresse1, ville, codePostal, telephonePrincipal } = clean;
    say(`${idExterne}  ${prenom} ${nom}, ${adresse1}, ${ville} ${codePostal}, ${telephonePrincipal}`);
  }
}

async function dryRun(client: Client, rows: readonly Row[]): Promise<void> {
  title('Dry run: what would happen?', `POST ${SYNC}?simulation=true`);
  const body = { employeurs: EMPLOYEURS, employes: rows.map(({ sent }) => sent) };
  const size = megabytes(Buffer.byteLength(JSON.stringify(body)));
  const answer = await client.post<SyncResult>(`${SYNC}?simulation=true`, body);
  say(`One request of ${size}, answered in ${seconds(answer.milliseconds)}; nothing is written.`);
  say(`Would be ${said(answer.body)}:`);
  for (const [message, errors] of byMessage(answer.body.errors, (error) => error.message)) {
    say(`${count(errors.length).padStart(5)}  ${short(message)}`);
  }
}

/** Sends the rows batch by batch and says what became of them. */
async function sync(
  client: Client,
  name: string,
  rows: readonly Row[],
  employeurs = EMPLOYEURS,
): Promise<SyncResult> {
  const total: SyncResult = { created: 0, updated: 0, errors: [] };
  const began = performance.now();
  const progress = new Progress(rows.length, rows.length > BATCH);
  for (const [index, batch] of batchesOf(rows, BATCH).entries()) {
    // Employers go first: employees of the same request and of later ones name them.
    const { body } = await sendBatch(client, `${name}-${index}`, batch, index === 0 ? employeurs : []);
    total.created += body.created;
    total.updated += body.updated;
    total.errors.push(...body.errors);
    progress.advance(batch.length);
  }
  progress.end();
  const elapsed = performance.now() - began;
  const sent = rows.length + employeurs.length;
  const answered = total.created + total.updated + total.errors.length;
  must(answered === sent, `${sent} records were sent and ${answered} answered`);
  say(`${said(total)}, in ${seconds(elapsed)}`);
  return total;
}

function sendBatch(client: Client, name: string, rows: readonly Row[], employeurs: typeof EMPLOYEURS) {
  const body = { employeurs, employes: rows.map(({ sent }) => sent) };
  return client.post<SyncResult>(SYNC, body, runKey(name));
}

/** What a partner does after a broken connection, not knowing whether the batch arrived. */
async function repeatFirstBatch(client: Client, rows: readonly Row[]): Promise<void> {
  const { body, headers } = await sendBatch(client, 'first-0', batchesOf(rows, BATCH)[0]!, EMPLOYEURS);
  must(headers.get('idempotent-replayed') === 'true', 'a request was done twice under one Idempotency-Key');
  say(`The first batch again, under its Idempotency-Key: ${said(body)}, replayed and not done twice.`);
}

async function sendCorrections(
  client: Client,
  rows: readonly Row[],
  corrected: readonly Row[],
): Promise<SyncResult> {
  title('Correct e-mails, names and numbers, and send those again', `POST ${SYNC}`);
  const sentAgain = corrected.filter((_row, index) => isCorrectable(rows[index]!));
  const corrections = await sync(client, 'corrections', sentAgain, []);
  must(corrections.errors.length === 0, 'corrected records were refused');
  return corrections;
}

/** @returns the moment after the last change */
async function readBack(client: Client, { clean }: Row): Promise<string> {
  title('Read back', `GET ${EMPLOYE}`);
  const path = `${EMPLOYE}/${encodeURIComponent(clean.idExterne)}`;
  const one = await client.get<Item>(path);
  must(one.body.nom === clean.nom && one.body.ville === clean.ville, 'an employee came back altered');
  say(
    `/${clean.idExterne}: ${one.body.prenom} ${one.body.nom}, ${one.body.ville}; ETag ${one.headers.get('etag')}`,
  );
  const known = await client.get<undefined>(path, { 'If-None-Match': one.headers.get('etag')! });
  must(known.status === 304, `a conditional GET answered ${known.status}, not 304`);
  say(`/${clean.idExterne} with If-None-Match: ${known.status}, ${known.bytes} bytes`);

  const page = await client.get<Item[]>(`${EMPLOYE}?limite=200`);
  const next = client.next(page);
  must(next, 'a page has no Link to the next one');
  const second = await client.get<Item[]>(next);
  say(
    `?limite=200: ${page.body.length} employees and a Link rel="next", which answers ${second.body.length} more`,
  );

  const all = await client.get<Item[]>(EMPLOYE);
  say(
    `the whole list: ${count(all.body.length)} employees, ${megabytes(all.bytes)} in ${seconds(all.milliseconds)}`,
  );
  return momentAfter(all.body);
}

/** Somebody gets a new telephone. @returns the export with it */
async function change(client: Client, rows: readonly Row[], since: string): Promise<Row[]> {
  title('Change one employee, without losing what somebody else changed', `PUT ${EMPLOYE}`);
  const { clean } = rows.find(isTypical)!;
  const read = await client.get<Item>(`${EMPLOYE}/${encodeURIComponent(clean.idExterne)}`);
  const ifMatch = { 'If-Match': read.headers.get('etag')! };
  const telephonePrincipal =
    read.body.telephonePrincipal === '418 555-0100' ? '418 555-0101' : '418 555-0100';
  const put = await client.put<Item>(EMPLOYE, { ...read.body, telephonePrincipal }, ifMatch);
  say(
    `If-Match with the ETag just read: ${put.status}, ${read.body.telephonePrincipal} is now ${telephonePrincipal}`,
  );
  const stale = await refusal(client.put(EMPLOYE, { ...read.body, ville: 'Québec' }, ifMatch));
  must(stale.status === 412, `a stale If-Match answered ${stale.status}, not 412`);
  say(`The same ETag again, now stale: ${stale.status} ${stale.code}`);
  const moved = await changedSince(client, EMPLOYE, since);
  must(
    moved.length === 1,
    `an incremental read answered ${moved.length} employees, not the one that changed`,
  );
  say(`GET ?modifieDepuis=${since}: ${moved.map(({ idExterne }) => idExterne).join(', ')} and nobody else`);
  return rows.map((row) =>
    row.clean === clean && !row.fault ? { ...row, sent: { ...row.sent, telephonePrincipal } } : row,
  );
}

async function sameAgain(client: Client, rows: readonly Row[], since: string): Promise<SyncResult> {
  title('The same sync once more, from the corrected export', `POST ${SYNC}`);
  const last = await sync(client, 'last', rows);
  must(last.created === 0, 'a repeated sync created records');
  const moved = await changedSince(client, EMPLOYE, since);
  must(moved.length === 1, `a repeated sync rewrote ${moved.length - 1} employees that had not changed`);
  say(`Nothing was rewritten: modifieDepuis=${since} still answers the one employee of step 7.`);
  return last;
}

function sayErrors(result: SyncResult, rows: readonly Row[]): void {
  const faulty = new Map(rows.filter(({ fault }) => fault).map((row) => [row.clean.idExterne, row]));
  for (const [message, errors] of byMessage(result.errors, (error) => error.message)) {
    say(`${count(errors.length).padStart(5)}  ${short(message)}`);
    const examples = errors.slice(0, 3).map(({ idExterne }) => {
      const { fault, sent } = faulty.get(idExterne) ?? {};
      return `${idExterne} ${fault && sent ? (JSON.stringify(sent[FAULTS[fault].property]) ?? 'absent') : ''}`;
    });
    const line = examples.join(', ');
    for (const text of line.length > 100 ? examples : [line]) say(`       ${text}`);
  }
}

function said({ created, updated, errors }: SyncResult): string {
  return outcome(created, updated, errors.length);
}
