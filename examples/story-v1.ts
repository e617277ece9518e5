import { eachPage, effectsOf, type Partenaire } from '@mandat/client';
import { asTyped, momentAfter, must, refusal, since, timed } from './checks';
import { batchesOf, correct, FAULTS, isCorrectable, isTypical, makeRows, type Row } from './employees';
import { ORGANISATIONS } from '../libs/essai/src/domain/quebec';
import { runKey } from './run-key';
import {
  byMessage,
  count,
  effects,
  megabytes,
  outcome,
  Progress,
  say,
  seconds,
  short,
  title,
} from './screen';

// V1: employees with a single employer, in batches; faults of an export; reading; changing one employee.

const BATCH = 1_000;
const EMPLOYE = '/b2b/v1/employe';
const SYNC = `${EMPLOYE}/sync`;
const EMPLOYEURS = ORGANISATIONS.map(({ idExterne, nom }) => ({ idExterne, nom }));

interface SyncResult {
  created: number;
  updated: number;
  errors: { idExterne: string; message: string }[];
}

/** Types of bodies. Sent values may be invalid, because the dry run finds faults. */
type Body = Parameters<Partenaire['syncV1']['sync']>[0]['body'];
type Replacement = Parameters<Partenaire['employes']['replace']>[0]['body'];

export interface StoryV1 {
  /** The export after all corrections and changes. */
  readonly rows: Row[];
  readonly summary: string;
}

/** @param records employees in the export */
export async function storyV1(partner: Partenaire, records: number): Promise<StoryV1> {
  const rows = makeRows(records);
  showExport(rows);
  await dryRun(partner, rows);

  title(`The sync, in batches of ${count(BATCH)}`, `POST ${SYNC}`);
  const first = await sync(partner, 'first', rows);
  sayErrors(first, rows);
  await repeatFirstBatch(partner, rows);

  const corrected = correct(rows);
  const corrections = await sendCorrections(partner, rows, corrected);
  const moment = await readBack(partner, corrected.find(isTypical)!);
  const changed = await change(partner, corrected, moment);
  const last = await sameAgain(partner, changed, moment);
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

async function dryRun(partner: Partenaire, rows: readonly Row[]): Promise<void> {
  title('Dry run: validate without writing', `POST ${SYNC}?simulation=true`);
  const body = asTyped<Body>({ employeurs: EMPLOYEURS, employes: rows.map(({ sent }) => sent) });
  const size = megabytes(Buffer.byteLength(JSON.stringify(body)));
  const { data, response, milliseconds } = await timed(
    partner.syncV1.sync({ query: { simulation: true }, body }),
  );
  say(`One request of ${size}, answered in ${seconds(milliseconds)}; no data is written.`);
  say(`Mandat-Effets: ${effects(effectsOf(response))}`);
  say(`Would be ${said(data)}:`);
  for (const [message, errors] of byMessage(data.errors, (error) => error.message)) {
    say(`${count(errors.length).padStart(5)}  ${short(message)}`);
  }
}

/** Sends the rows batch by batch and prints the results. */
async function sync(
  partner: Partenaire,
  name: string,
  rows: readonly Row[],
  employeurs = EMPLOYEURS,
): Promise<SyncResult> {
  const total: SyncResult = { created: 0, updated: 0, errors: [] };
  const began = performance.now();
  const progress = new Progress(rows.length, rows.length > BATCH);
  for (const [index, batch] of batchesOf(rows, BATCH).entries()) {
    // Employers go first, because employees of the same and later requests reference them.
    const { data } = await sendBatch(partner, `${name}-${index}`, batch, index === 0 ? employeurs : []);
    total.created += data.created;
    total.updated += data.updated;
    total.errors.push(...data.errors);
    progress.advance(batch.length);
  }
  progress.end();
  const elapsed = performance.now() - began;
  const sent = rows.length + employeurs.length;
  const answered = total.created + total.updated + total.errors.length;
  must(answered === sent, `${sent} records were sent and ${answered} counted`);
  say(`${said(total)}, in ${seconds(elapsed)}`);
  return total;
}

function sendBatch(partner: Partenaire, name: string, rows: readonly Row[], employeurs: typeof EMPLOYEURS) {
  const body = asTyped<Body>({ employeurs, employes: rows.map(({ sent }) => sent) });
  return partner.syncV1.sync({ body, headers: runKey(name) });
}

/** A partner repeats a batch after a broken connection, because it does not know whether the batch arrived. */
async function repeatFirstBatch(partner: Partenaire, rows: readonly Row[]): Promise<void> {
  const { data, response } = await sendBatch(partner, 'first-0', batchesOf(rows, BATCH)[0]!, EMPLOYEURS);
  const isReplayed = response.headers.get('idempotent-replayed') === 'true';
  must(isReplayed, 'a request with one Idempotency-Key had a second effect');
  say(`The first batch again, under its Idempotency-Key: ${said(data)}: the recorded response.`);
}

async function sendCorrections(
  partner: Partenaire,
  rows: readonly Row[],
  corrected: readonly Row[],
): Promise<SyncResult> {
  title('Correct e-mails, names and numbers, and send those again', `POST ${SYNC}`);
  const sentAgain = corrected.filter((_row, index) => isCorrectable(rows[index]!));
  const corrections = await sync(partner, 'corrections', sentAgain, []);
  must(corrections.errors.length === 0, 'corrected records were rejected');
  return corrections;
}

/** @returns the moment after the last change */
async function readBack(partner: Partenaire, { clean }: Row): Promise<string> {
  title('Read back', `GET ${EMPLOYE}`);
  const path = { idExterne: clean.idExterne };
  const one = await partner.employes.get({ path });
  must(one.data.nom === clean.nom && one.data.ville === clean.ville, 'an employee was changed');
  const etag = one.response.headers.get('etag')!;
  say(`/${clean.idExterne}: ${one.data.prenom} ${one.data.nom}, ${one.data.ville}; ETag ${etag}`);
  const known = await refusal(partner.employes.get({ path, headers: { 'If-None-Match': etag } }));
  must(known.status === 304, `a conditional GET returned ${known.status}, not 304`);
  say(`/${clean.idExterne} with If-None-Match: ${known.status}, not sent again`);

  let pages = 0;
  const paged = new Set<string>();
  for await (const { items } of eachPage((query) => partner.employes.list({ query }), { limite: 1_000 })) {
    pages++;
    for (const { idExterne } of items) paged.add(idExterne);
  }
  say(`?limite=1000, then by Link rel="next": ${count(paged.size)} employees on ${pages} pages`);

  const all = await timed(partner.employes.list({}));
  must(all.data.length === paged.size, 'the pages are not the whole list');
  say(`the whole list: ${count(all.data.length)} employees in ${seconds(all.milliseconds)}`);
  return momentAfter(all.data);
}

/** Changes an employee's telephone. @returns the export with the change */
async function change(partner: Partenaire, rows: readonly Row[], moment: string): Promise<Row[]> {
  title('Change one employee without overwriting concurrent changes', `PUT ${EMPLOYE}`);
  const { clean } = rows.find(isTypical)!;
  const read = await partner.employes.get({ path: { idExterne: clean.idExterne } });
  const headers = { 'If-Match': read.response.headers.get('etag')! };
  const { telephonePrincipal: before } = read.data;
  const telephonePrincipal = before === '418 555-0100' ? '418 555-0101' : '418 555-0100';
  const replacement = (change: object) => asTyped<Replacement>({ ...read.data, ...change });
  const put = await partner.employes.replace({ body: replacement({ telephonePrincipal }), headers });
  say(`If-Match with the ETag just read: ${put.response.status}, ${before} is now ${telephonePrincipal}`);
  const stale = await refusal(partner.employes.replace({ body: replacement({ ville: 'Québec' }), headers }));
  must(stale.status === 412, `a stale If-Match returned ${stale.status}, not 412`);
  say(`The same ETag again, now stale: ${stale.status} ${stale.code}`);
  const moved = await changedSince(partner, moment);
  must(moved.length === 1, `an incremental read returned ${moved.length} employees, not the changed one`);
  say(`GET ?modifieDepuis=${moment}: ${moved.map(({ idExterne }) => idExterne).join(', ')} only`);
  return rows.map((row) =>
    row.clean === clean && !row.fault ? { ...row, sent: { ...row.sent, telephonePrincipal } } : row,
  );
}

async function sameAgain(partner: Partenaire, rows: readonly Row[], moment: string): Promise<SyncResult> {
  title('The same sync once more, from the corrected export', `POST ${SYNC}`);
  const last = await sync(partner, 'last', rows);
  must(last.created === 0, 'a repeated sync created records');
  const moved = await changedSince(partner, moment);
  must(moved.length === 1, `a repeated sync rewrote ${moved.length - 1} employees that had not changed`);
  say(`No row was rewritten: modifieDepuis=${moment} still returns only the employee of step 7.`);
  return last;
}

async function changedSince(partner: Partenaire, moment: string): Promise<{ idExterne: string }[]> {
  const { data } = await partner.employes.list({ query: { modifieDepuis: moment } });
  return since(moment, data);
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
