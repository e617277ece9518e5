import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { baseline } from './employees';
import { bytesOf, latenciesDuring } from './load';
import { memoryRow } from './memory';
import { say } from './progress';
import { alone, type Goal, milliseconds, type Row } from './report';
import { percentile } from './rounds';
import type { Work } from './work';
import { peakMemory, type Tenant, type World } from './world';

const SIZES = [100_000, 1_000_000];
const UNIONS = 50;
const EMPLOYERS = 2_000;
const THRESHOLD = 5;
/** Options of the question that ranks, and of the one that does not. */
const OPTIONS = [3, 10];
const FAST = 4;
/** Bytes that the slow reader takes each second. */
const SLOW_BYTES = 2 ** 20;
const BUILD_LIMIT_MS = 60 * 60_000;
const VERIFIER = join(__dirname, '../../packages/verify/bin/mandat-verify.js');

export const DOSSIERS: readonly Work[] = [{ name: 'dossier', measure: measured }];

async function measured(world: World): Promise<Row[]> {
  const rows: Row[] = [];
  for (const size of SIZES) rows.push(...(await ofSize(world, size)));
  return rows;
}

async function ofSize(world: World, ballots: number): Promise<Row[]> {
  const work = `bundle of ${ballots.toLocaleString('en')} ballots`;
  const tenant = await world.newTenant(work);
  await world.fill(tenant, baseline(1_000));
  say(`${work}: inserting them`);
  const campagne = await newVote(world, tenant, ballots);
  const rows = [
    ...(await built(world, work, tenant, campagne)),
    ...(await downloaded(world, work, tenant, campagne)),
  ];
  for (const row of rows) say(`${row.work}: ${row.contestant}: ${row.figure}`);
  return rows;
}

/** Inserts a vote that has ended: each employer has members of two unions. */
async function newVote({ database }: World, { id }: Tenant, ballots: number): Promise<string> {
  const campagne = randomUUID();
  await database.query(
    `INSERT INTO campagne (tenant_id, id_unique, titre, slug, ouverture_du_vote_utc, fermeture_du_vote_utc,
       ordre_reponses_aleatoire, publiee, ouverture_annoncee, fermeture_annoncee, nombre_votants, seuil_anonymat)
     VALUES ($1, $2::uuid, $2::text, $2::text, '2020-01-01Z', '2020-01-02Z', false, true, true, true, $3, ${THRESHOLD})`,
    [id, campagne, ballots],
  );
  for (const [place, options] of OPTIONS.entries()) {
    await database.query(
      `WITH question AS (
         INSERT INTO question (tenant_id, campagne_id, id_unique, ordre, titre, type, est_preferentiel,
           ordre_reponses_aleatoire, min_reponses, nombre_elus)
         VALUES ($1::uuid, $2, $3::uuid, $4, 'Question', 'Election', $4 > 1, 0, 1, CASE WHEN $4 > 1 THEN 4 ELSE 1 END)
       )
       INSERT INTO option (tenant_id, question_id, id_unique, ordre, libelle)
       SELECT $1::uuid, $3::uuid, gen_random_uuid(), n, 'Option ' || n FROM generate_series(1, $5::int) n`,
      [id, campagne, randomUUID(), place + 1, options],
    );
  }
  await database.query(
    `WITH entered AS MATERIALIZED (SELECT set_config('app.tenant_id', $1::text, true)) SELECT urne_preparer($2) FROM entered`,
    [id, campagne],
  );
  await database.query(
    `WITH elector AS MATERIALIZED (
       SELECT 'SYN-' || (employer + n / ${EMPLOYERS} % 2) % ${UNIONS} AS syndicat, 'EMP-' || employer AS employeur, n
       FROM (SELECT n, n % ${EMPLOYERS} AS employer FROM generate_series(1, $3::int) n) e
     ), votant AS (
       INSERT INTO votant (tenant_id, campagne_id, prenom, nom, syndicat_id_externe, employeur_identifiant_externe,
         a_droit_de_vote, a_vote, poids)
       SELECT $1::uuid, $2::uuid, 'Marie-Ève', 'Tremblay', syndicat, employeur, true, true, 1 FROM elector
     ), recu AS (
       INSERT INTO recu (tenant_id, campagne_id, empreinte)
       SELECT $1::uuid, $2::uuid, sha256(gen_random_uuid()::text::bytea) FROM elector
     )
     INSERT INTO bulletin (tenant_id, campagne_id, syndicat_id_externe, employeur_identifiant_externe, poids, reponses)
     SELECT $1::uuid, $2::uuid, syndicat, employeur, 1, ARRAY[n % ${OPTIONS[0]} || '', (
       SELECT string_agg(option::text, ',' ORDER BY random()) FROM generate_series(0, ${OPTIONS[1]! - 1}) option WHERE n > 0)]
     FROM elector`,
    [id, campagne, ballots],
  );
  await database.query('VACUUM ANALYZE votant, bulletin, recu, campagne, urne_question, urne_option');
  return campagne;
}

/** Waits for states of a campaign, which SQL says of `campagne` with its client as $1 and its identifier as $2. */
export function ofCampagne(world: World, { id }: Tenant, campagne: string) {
  const is = async (what: string): Promise<boolean> => {
    const { rows } = await world.database.query<{ done: boolean }>(
      `SELECT ${what} AS done FROM campagne WHERE tenant_id = $1 AND id_unique = $2`,
      [id, campagne],
    );
    return rows[0]!.done;
  };
  return {
    /** @returns the time until it was so, in ms */
    until: async (what: string): Promise<number> => {
      const start = performance.now();
      while (!(await is(what))) {
        const spent = performance.now() - start;
        if (spent > BUILD_LIMIT_MS) throw new Error(`Not reached: ${what}`);
        await delay(250);
      }
      return performance.now() - start;
    },
  };
}

/** A fresh worker seals the box and builds its bundle. */
async function built(world: World, work: string, tenant: Tenant, campagne: string): Promise<Row[]> {
  const { until } = ofCampagne(world, tenant, campagne);
  const worker = await world.startWorker();
  const probe = bytesOf({ method: 'GET', path: '/health/live' });
  const sealing = await until('urne_scellee');
  say(`${work}: sealed in ${inSeconds(sealing)}`);
  let building = 0;
  const waits = await latenciesDuring(worker.port, probe, 10, async () => {
    building = await until('NOT dossier_du');
  });
  const rows = [
    alone(work, 'sealing, with the log', sealing, inSeconds),
    alone(work, 'building the bundle', building, inSeconds),
    ...(await memoryRow(`${work}, worker`, worker.pid)),
    alone(work, 'GET of the worker every 10 ms meanwhile, p99', percentile(waits, 0.99), milliseconds),
    alone(work, 'GET of the worker every 10 ms meanwhile, longest', waits.at(-1)!, milliseconds),
  ];
  await worker.stop();
  return rows;
}

/** A fresh process sends the bundle to several readers at a time; the verifier counts it. */
async function downloaded(world: World, work: string, { key }: Tenant, campagne: string): Promise<Row[]> {
  const api = await world.startApi();
  const headers = { 'X-Api-Key': key };
  const path = `/b2b/v1/campagnes/${campagne}/dossier/archive`;
  const open = (): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => get({ port: api.port, path, headers }, resolve).on('error', reject));
  const employee = bytesOf({ method: 'GET', path: '/b2b/v1/employe/E-0', headers });
  const idle = await latenciesDuring(api.port, employee, 10, () => delay(5_000));

  const file = join(await world.newFolder(), 'dossier.tar');
  const times: number[] = [];
  const timed = async (reader: (answer: IncomingMessage) => Promise<unknown>): Promise<void> => {
    const start = performance.now();
    await reader(await open());
    times.push(performance.now() - start);
  };
  const slow = new AbortController();
  const slowly = async (answer: IncomingMessage): Promise<void> => {
    let taken = 0;
    const start = performance.now();
    for await (const part of answer) {
      taken += (part as Buffer).length;
      await delay(Math.max(0, (taken / SLOW_BYTES) * 1_000 - (performance.now() - start)));
      if (slow.signal.aborted) break;
    }
  };
  const beside = await latenciesDuring(api.port, employee, 10, async () => {
    const slowReader = open().then(slowly);
    await timed((answer) => pipeline(answer, createWriteStream(file)));
    const others = Array.from({ length: FAST }, () =>
      timed(async (answer) => {
        for await (const part of answer) void part;
      }),
    );
    await Promise.all(others);
    slow.abort();
    await slowReader;
  });
  const { size } = await stat(file);
  const memory = await memoryRow(`${work}, API`, api.pid);
  const jwks = `${file}.jwks.json`;
  await writeFile(
    jwks,
    await (await fetch(`http://127.0.0.1:${api.port}/.well-known/jwks.json`, { headers })).text(),
  );
  await api.stop();
  return [
    alone(work, 'size of the archive', size, megabytes, { atMost: 200e6 }),
    alone(work, 'one download beside a slow one', times[0]!, inSeconds),
    alone(work, `${FAST} downloads beside a slow one, the longest`, Math.max(...times.slice(1)), inSeconds),
    ...memory,
    alone(work, 'one employee every 10 ms meanwhile, p50', percentile(beside, 0.5), milliseconds),
    alone(work, 'one employee every 10 ms meanwhile, p99', percentile(beside, 0.99), milliseconds),
    alone(work, 'one employee every 10 ms before, p50', percentile(idle, 0.5), milliseconds),
    alone(work, 'one employee every 10 ms before, p99', percentile(idle, 0.99), milliseconds),
    ...(await verified(work, file, jwks)),
  ];
}

/** Has the archive verified. @param time of the verification, the goal */
export async function verified(work: string, file: string, jwks: string, time?: Goal): Promise<Row[]> {
  const start = performance.now();
  const child = spawn(process.execPath, [VERIFIER, file, '--cles', jwks], { stdio: 'inherit' });
  let peak = 0;
  const timer = setInterval(() => {
    void peakMemory(child.pid!).then((found) => (peak = Math.max(peak, found ?? 0)));
  }, 50);
  const [code] = (await once(child, 'exit')) as [number];
  clearInterval(timer);
  if (code !== 0) throw new Error(`The verifier ended with ${code}.`);
  const limit: Goal = { atMost: 512 };
  return [
    alone(work, 'mandat-verify', performance.now() - start, inSeconds, time),
    alone(work, 'mandat-verify, peak memory', peak, (value) => `${Math.round(value)} MiB`, limit),
  ];
}

export function inSeconds(value: number): string {
  return `${(value / 1_000).toFixed(1)} s`;
}

function megabytes(value: number): string {
  return `${(value / 1e6).toFixed(1)} MB`;
}
