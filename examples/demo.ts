import { randomUUID } from 'node:crypto';
import { Client, connectionOf, ProblemError, UnreachableError } from './client';
import { batchesOf, correct, type Employe, FAULTS, isCorrectable, makeRows, type Row } from './employees';
import { ORGANISATIONS } from './quebec';
import { count, megabytes, Progress, say, seconds, short, title } from './screen';

// A partner's first day with the API. It can be run any number of times; the second time everything is an update.

const RECORDS = 10_000;
const BATCH = 1_000;
const EMPLOYE = '/b2b/v1/employe';
const SYNC = `${EMPLOYE}/sync`;
const EMPLOYEURS = ORGANISATIONS.map(({ idExterne, nom }) => ({ idExterne, nom }));
/** Part of every Idempotency-Key: what this run sends is not a repetition of what an earlier run sent. */
const RUN = randomUUID();

interface Moi {
  readonly client: string;
  readonly environnement: string;
  readonly modules: readonly string[];
  readonly limites: { readonly requetesParMinute: number; readonly tailleMaximaleSync: number };
}

interface SyncResult {
  created: number;
  updated: number;
  errors: { idExterne: string; message: string }[];
}

type Item = Employe & { readonly derniereMAJ: string };

/** Ends the demonstration with one line that says why. */
class Stop extends Error {}

async function main(): Promise<void> {
  const began = performance.now();
  const onWait = (wait: number, status: number): void =>
    say(`${status}: waiting ${wait} s, as Retry-After asks`);
  const client = new Client({ ...connectionOf(process.env), onWait });
  const { body: moi } = await client.get<Moi>('/b2b/v1/moi');
  console.log(`A partner's first day with Mandat`);
  title('Who am I?', 'GET /b2b/v1/moi');
  say(`${moi.client}, ${moi.environnement}; modules: ${moi.modules.join(', ') || 'none'}`);
  const { requetesParMinute, tailleMaximaleSync } = moi.limites;
  say(`${count(requetesParMinute)} requests a minute, sync bodies up to ${megabytes(tailleMaximaleSync)}`);

  const rows = makeRows(RECORDS);
  const records = count(rows.length + EMPLOYEURS.length);
  title(
    `The partner's export: ${count(rows.length)} lines and ${EMPLOYEURS.length} employers, ${records} records`,
  );
  for (const { clean } of rows.filter(isTypical).slice(0, 3)) {
    const { idExterne, prenom, nom, adresse1, ville, codePostal, telephonePrincipal } = clean;
    say(`${idExterne}  ${prenom} ${nom}, ${adresse1}, ${ville} ${codePostal}, ${telephonePrincipal}`);
  }

  await dryRun(client, rows);

  title(`The sync, in batches of ${count(BATCH)}`, `POST ${SYNC}`);
  const first = await sync(client, 'first', rows);
  sayErrors(first, rows);
  await repeatFirstBatch(client, rows);

  title('Correct e-mails, names and numbers, and send those again', `POST ${SYNC}`);
  const corrected = correct(rows);
  const sentAgain = corrected.filter((_row, index) => isCorrectable(rows[index]!));
  const corrections = await sync(client, 'corrections', sentAgain, []);
  must(corrections.errors.length === 0, 'corrected records were refused');

  const since = await readBack(client, corrected.find(isTypical)!);
  const changed = await change(client, corrected, since);

  title('The same sync once more, from the corrected export', `POST ${SYNC}`);
  const last = await sync(client, 'last', changed);
  must(last.created === 0, 'a repeated sync created records');
  const moved = await changedSince(client, since);
  must(moved.length === 1, `a repeated sync rewrote ${moved.length - 1} employees that had not changed`);
  say(`Nothing was rewritten: modifieDepuis=${since} still answers the one employee of step 7.`);

  title('Summary');
  say(`${count(client.requests)} requests in ${seconds(performance.now() - began)}.`);
  say(`First sync: ${outcome(first)}; corrections: ${outcome(corrections)}.`);
  say(`Last sync: ${outcome(last)}. What is still refused waits for somebody to look at it.`);
}

async function dryRun(client: Client, rows: readonly Row[]): Promise<void> {
  title('Dry run: what would happen?', `POST ${SYNC}?simulation=true`);
  const body = { employeurs: EMPLOYEURS, employes: rows.map(({ sent }) => sent) };
  const size = megabytes(Buffer.byteLength(JSON.stringify(body)));
  const answer = await client.post<SyncResult>(`${SYNC}?simulation=true`, body);
  say(`One request of ${size}, answered in ${seconds(answer.milliseconds)}; nothing is written.`);
  say(`Would be ${outcome(answer.body)}:`);
  for (const [message, errors] of byMessage(answer.body)) {
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
  say(`${outcome(total)}, in ${seconds(elapsed)}`);
  return total;
}

function sendBatch(client: Client, name: string, rows: readonly Row[], employeurs: typeof EMPLOYEURS) {
  const body = { employeurs, employes: rows.map(({ sent }) => sent) };
  return client.post<SyncResult>(SYNC, body, { 'Idempotency-Key': `demo-${RUN}-${name}` });
}

/** What a partner does after a broken connection, not knowing whether the batch arrived. */
async function repeatFirstBatch(client: Client, rows: readonly Row[]): Promise<void> {
  const { body, headers } = await sendBatch(client, 'first-0', batchesOf(rows, BATCH)[0]!, EMPLOYEURS);
  must(headers.get('idempotent-replayed') === 'true', 'a request was done twice under one Idempotency-Key');
  say(`The first batch again, under its Idempotency-Key: ${outcome(body)}, replayed and not done twice.`);
}

/**
 * @returns the moment after the last change, for incremental reads; where others write at the same time, one goes
 *   back two minutes and takes some employees twice
 */
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
  const latest = all.body.reduce((time, { derniereMAJ }) => Math.max(time, Date.parse(derniereMAJ)), 0);
  return new Date(latest + 1).toISOString();
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
  const moved = await changedSince(client, since);
  must(
    moved.length === 1,
    `an incremental read answered ${moved.length} employees, not the one that changed`,
  );
  say(`GET ?modifieDepuis=${since}: ${moved.map(({ idExterne }) => idExterne).join(', ')} and nobody else`);
  return rows.map((row) =>
    row.clean === clean && !row.fault ? { ...row, sent: { ...row.sent, telephonePrincipal } } : row,
  );
}

async function changedSince(client: Client, since: string): Promise<Item[]> {
  const { body } = await client.get<Item[]>(`${EMPLOYE}?modifieDepuis=${since}`);
  return body.filter(({ derniereMAJ }) => derniereMAJ >= since);
}

async function refusal(request: Promise<unknown>): Promise<ProblemError['problem']> {
  try {
    await request;
  } catch (error) {
    if (error instanceof ProblemError) return error.problem;
    throw error;
  }
  throw new Stop('The service accepted what it must refuse.');
}

function sayErrors(result: SyncResult, rows: readonly Row[]): void {
  const faulty = new Map(rows.filter(({ fault }) => fault).map((row) => [row.clean.idExterne, row]));
  for (const [message, errors] of byMessage(result)) {
    say(`${count(errors.length).padStart(5)}  ${short(message)}`);
    const examples = errors.slice(0, 3).map(({ idExterne }) => {
      const { fault, sent } = faulty.get(idExterne) ?? {};
      return `${idExterne} ${fault && sent ? (JSON.stringify(sent[FAULTS[fault].property]) ?? 'absent') : ''}`;
    });
    const line = examples.join(', ');
    for (const text of line.length > 100 ? examples : [line]) say(`       ${text}`);
  }
}

/** The refusals under each message, the most frequent first. */
function byMessage({ errors }: SyncResult): [string, SyncResult['errors']][] {
  return [...Map.groupBy(errors, ({ message }) => message)].sort(
    ([, one], [, other]) => other.length - one.length,
  );
}

function outcome({ created, updated, errors }: SyncResult): string {
  return `created ${count(created)}, updated ${count(updated)}, refused ${count(errors.length)}`;
}

/** Without fault, and with a name that shows that accents arrive. */
function isTypical({ clean, fault }: Row): boolean {
  return !fault && /[À-ÿ]/.test(clean.prenom) && /[À-ÿ'-]/.test(clean.nom);
}

function must(condition: unknown, otherwise: string): asserts condition {
  if (!condition) throw new Stop(`Unexpected: ${otherwise}.`);
}

main().catch((error: unknown) => {
  process.exitCode = 1;
  const expected =
    error instanceof Stop || error instanceof UnreachableError || error instanceof ProblemError;
  console.error(expected ? error.message : error);
});
