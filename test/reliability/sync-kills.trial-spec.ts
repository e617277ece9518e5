import { randomInt, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { times } from '../membership/synced';
import { seeded } from '../setup/seeded';
import { cloneTemplate } from '../setup/test-app';
import { syncLockOf } from '../../libs/sync/src';
import { until } from '../webhooks/support/receiver';
import { WHOLE } from './support/effort';
import { type Answer, Fleet } from './support/fleet';
import { report } from './support/report';

const LATE_ROWS = join(__dirname, 'support/late-sync-rows.cjs');
const FAULT =
  'API or worker killed (SIGKILL), or its connection ended, amid a plan, its application, an undo, a renaming, a merge';
/** Each has as many kills as connections that are ended. */
const ROUNDS = WHOLE ? 10 : 2;
const PEOPLE = 1_500;
const ASYNC = { Prefer: 'respond-async' };

/** Tables that these operations write: those of the records, and those of which a count is compared. */
const RECORDS = ['employeur', 'syndicat', 'syndicat_employeur', 'employe', 'emploi', 'membership'];
const NOTES = ['plan', 'plan_changement', 'sync', 'changement', 'evenement', 'journal', 'ancien_identifiant'];

const job = (n: number, id: string) => ({
  ...{ IdentifiantExterne: id, IdentifiantExterneEmployeur: 'EMP', Matricule: `${id}-${n}` },
});

/** The first export, and the next one: with new people, ended employments and other values. */
const exportOf = (isNext: boolean) => ({
  Syndicats: [
    { IdentifiantExterne: 'SYN', Nom: 'S', Employeurs: [{ IdentifiantExterne: 'EMP', Nom: 'Usine' }] },
  ],
  Employes: times(isNext ? PEOPLE + 100 : PEOPLE, (n) => ({
    ...{ IdExterne: `E-${n}`, Prenom: 'Zoé', Nom: 'Roy', Ville: isNext && n % 4 === 1 ? 'Laval' : 'Québec' },
    Courriel: isNext && n % 6 === 0 ? null : `e${n}@example.org`,
    Emplois: [job(n, 'J-1'), { ...job(n, 'J-2'), DateFin: isNext && n % 3 === 0 ? '2026-01-31' : null }],
    Adhesions: [{ SyndicatIdExterne: 'SYN', DateAdhesion: '2024-01-01' }],
  })),
});
const [FIRST, NEXT] = [exportOf(false), exportOf(true)];

/** A second record of the first employee. */
const TWIN = { ...FIRST.Employes[0]!, IdExterne: 'E-0-BIS', Emplois: null };

/** Each employee gets the identifier of the next one, and the last that of the first. */
const TURN = times(PEOPLE, (n) => ({ ancien: `E-${n}`, nouveau: `E-${(n + 1) % PEOPLE}` }));
const BACK = TURN.map(({ ancien, nouveau }) => ({ ancien: nouveau, nouveau: ancien }));

/** A state of the data space. */
interface State {
  /** Digest of all rows with their versions: equal if nothing was written. */
  readonly bytes: string;
  /** Digest of the records without the service's ids and times. */
  readonly content: string;
  /** Digest of the service's ids of the records. */
  readonly ids: string;
  readonly counts: Readonly<Record<string, number>>;
}

/** The effect of an undisturbed step. */
interface Undisturbed {
  readonly content: string;
  readonly added: Readonly<Record<string, number>>;
  /** How long it holds the lock of syncs. */
  readonly ms: number;
}

type Disturbance = 'kill' | 'end' | 'killOnceAnswered' | undefined;

class Trial {
  readonly faults: string[] = [];
  readonly figures = { kills: 0, ended: 0, inTheMiddle: 0, before: 0, after: 0 };
  /** True if each step is compared with its undisturbed effect. */
  isCompared = false;
  private readonly undisturbed = new Map<string, Undisturbed>();

  private constructor(
    private readonly fleet: Fleet,
    private readonly database: Client,
    private readonly other: Client,
    private readonly key: string,
    private readonly tenantId: string,
    private readonly random: () => number,
    /** How long after the response something is still written. */
    private readonly lateMs: number,
  ) {}

  static async start(env: Record<string, string> = {}, lateMs = 0): Promise<Trial> {
    const databaseUrl = await cloneTemplate();
    const seed = Number(process.env.KILLS_SEED ?? randomInt(2 ** 31));
    process.stderr.write(`KILLS_SEED=${seed}\n`);
    const [database, other] = [0, 1].map(() => new Client({ connectionString: databaseUrl })) as [
      Client,
      Client,
    ];
    for (const client of [database, other]) {
      await client.connect();
      open.push({ stop: () => client.end() });
    }
    const fleet = await Fleet.start(databaseUrl, { workers: 1, env });
    open.push(fleet);
    const { partner, partnerId } = await fleet.space();
    const { rows } = await database.query<{ id: string }>('SELECT tenant_id AS id FROM cle WHERE id = $1', [
      partnerId,
    ]);
    const trial = new Trial(fleet, database, other, partner, rows[0]!.id, seeded(seed), lateMs);
    await trial.request('POST', '/b2b/v2/sync', FIRST);
    return trial;
  }

  /** Does each operation once, as a request and as a task, and leads back to the state of before. */
  async round(disturbance?: Disturbance): Promise<void> {
    const { ids } = await this.state();
    await this.applied(disturbance, disturbance);
    await this.undone('annuler', disturbance);
    await this.expectIds('annuler', ids);
    // An undo of the undo restores the state before it; another one returns.
    await this.undone('annuler, again');
    await this.undone('annuler, back');
    await this.expectIds('annuler, back', ids);

    const { resultat } = await this.step('plan, task', disturbance, '/b2b/v2/plan', NEXT, ASYNC);
    await this.request('DELETE', `/b2b/v2/plan/${String(resultat.planId)}`);
    await this.step('sync, task', disturbance, '/b2b/v2/sync', NEXT, ASYNC);
    await this.undone('annuler, task');

    const rename = '/b2b/v2/employe/nouveaux-identifiants';
    await this.step('renommer', disturbance, rename, TURN);
    await this.expectIds('renommer', ids);
    await this.step('renommer, task', disturbance, rename, BACK, ASYNC);
    await this.expectIds('renommer, task', ids);

    await this.step('doublon', undefined, '/b2b/v2/sync', { Employes: [TWIN] });
    const twin = { idExterneAbsorbe: TWIN.IdExterne };
    await this.step('fusion', disturbance, '/b2b/v2/employe/E-0/fusion', twin);
    await this.expectIds('fusion', ids);
  }

  /** Draws a plan and applies it. */
  async applied(ofPlan?: Disturbance, ofApply?: Disturbance): Promise<void> {
    const { id } = await this.step('plan', ofPlan, '/b2b/v2/plan', NEXT);
    await this.step('appliquer', ofApply, `/b2b/v2/plan/${String(id)}/appliquer`);
  }

  /** Undoes the last sync. */
  async undone(name: string, disturbance?: Disturbance): Promise<void> {
    const [last] = await this.request('GET', '/b2b/v2/sync?limite=1');
    await this.step(name, disturbance, `/b2b/v2/sync/${String(last.id)}/annuler`);
  }

  /**
   * Sends a request, disturbs it, looks at the state, and repeats it under its key until it is answered, as a caller does. A task is
   * sent once, and must end by itself.
   *
   * @returns the response, or the task that has ended
   */
  private async step(
    name: string,
    disturbance: Disturbance,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer['json']> {
    const before = await this.state();
    const key = { 'Idempotency-Key': randomUUID(), ...headers };
    // A merge is too short to be met, so it waits for the table amid its writes.
    if (disturbance && name === 'fusion') await this.other.query('BEGIN; LOCK TABLE emploi IN SHARE MODE');
    const [app] = headers === ASYNC ? this.fleet.workers : this.fleet.apis;
    let isAnswered = false;
    const done = (async () => {
      const answer = await this.request('POST', path, body, key);
      return headers === ASYNC ? this.ended(String(answer.id)) : answer;
    })().finally(() => (isAnswered = true));
    done.catch(() => undefined);
    const began = performance.now();
    await until(`${name} begins`, async () => isAnswered || (await this.holder()) !== undefined, 60_000);
    const locked = performance.now();
    if (disturbance === 'killOnceAnswered') await done;
    else if (disturbance) await sleep(this.random() * this.undisturbed.get(name)!.ms);
    if (disturbance) {
      const holder = await this.holder();
      if (holder !== undefined) this.figures.inTheMiddle++;
      if (disturbance !== 'end') {
        this.figures.kills++;
        await app!.kill();
      } else if (holder !== undefined) {
        this.figures.ended++;
        await this.database.query('SELECT pg_terminate_backend($1)', [holder]);
      }
      await this.other.query('ROLLBACK');
      await this.look(name, before);
    }
    const answer = await done;
    const ms = performance.now() - locked;
    if (!disturbance) await sleep(this.lateMs);
    const after = await this.state();
    const added = difference(before, after);
    if (this.isCompared) this.compare(name, 'at its end', this.undisturbed.get(name)!, after, added);
    else this.undisturbed.set(name, { content: after.content, added, ms });
    process.stderr.write(`${name} ${disturbance ?? ''} ${Math.round(performance.now() - began)} ms\n`);
    return answer;
  }

  /** Compares the state, once the disturbed transaction is over, with the one of before and the one of after. */
  private async look(name: string, before: State): Promise<void> {
    await this.database.query('SELECT pg_advisory_lock(hashtextextended($1, 2))', [this.lock]);
    await this.database.query('SELECT pg_advisory_unlock(hashtextextended($1, 2))', [this.lock]);
    const now = await this.state();
    if (now.bytes === before.bytes) {
      this.figures.before++;
      return;
    }
    this.figures.after++;
    this.compare(name, 'in the middle', this.undisturbed.get(name)!, now, difference(before, now));
  }

  private compare(
    name: string,
    when: string,
    known: Undisturbed,
    state: State,
    added: Readonly<Record<string, number>>,
  ): void {
    if (state.content !== known.content) this.faults.push(`${name}: other records ${when}`);
    for (const [table, count] of Object.entries(known.added))
      if (added[table] !== count)
        this.faults.push(`${name}: ${added[table]} rows of ${table} ${when}, not ${count}`);
  }

  private async expectIds(name: string, ids: string): Promise<void> {
    if ((await this.state()).ids !== ids) this.faults.push(`${name}: other ids`);
  }

  private async state(): Promise<State> {
    const rows = RECORDS.map(
      (table) => `SELECT '${table}' AS name, to_jsonb(t) AS row FROM ${table} t WHERE tenant_id = $1`,
    );
    const counts = NOTES.map(
      (table) => `'${table}', (SELECT count(*)::int FROM ${table} WHERE tenant_id = $1)`,
    );
    const digest = (text: string): string => `md5(string_agg(${text}, E'\\n' ORDER BY ${text} COLLATE "C"))`;
    const versions = [...RECORDS, 'plan', 'plan_changement', 'sync', 'sync_image'].map(
      (table) => `SELECT '${table}' || xmin::text || t::text AS row FROM ${table} t WHERE tenant_id = $1`,
    );
    const { rows: found } = await this.database.query<State>(
      `SELECT (SELECT ${digest('row')} FROM (${versions.join(' UNION ALL ')}) v) AS bytes,
         (SELECT ${digest(`name || (row - '{date_creation,derniere_maj,json_lecture,id_unique}'::text[])::text`)} FROM (${rows.join(' UNION ALL ')}) r) AS content,
         (SELECT ${digest(`name || coalesce(row->>'id_unique', '')`)} FROM (${rows.join(' UNION ALL ')}) r) AS ids,
         json_build_object(${counts.join(', ')}) AS counts`,
      [this.tenantId],
    );
    return found[0]!;
  }

  private get lock(): string {
    return syncLockOf(this.tenantId);
  }

  /** The server's process that holds the lock of syncs. */
  private async holder(): Promise<number | undefined> {
    const { rows } = await this.database.query<{ pid: number }>(
      `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
         AND (classid::bigint << 32) | objid::bigint = hashtextextended($1, 2)
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [this.lock],
    );
    return rows[0]?.pid;
  }

  private ended(id: string): Promise<Answer['json']> {
    return this.answered(async () => {
      const { etat, ...task } = await this.request('GET', `/b2b/v2/tache/${id}`);
      if (etat === 'Echouee') throw new Error(`The task failed: ${JSON.stringify(task)}`);
      return etat === 'Reussie' ? task : undefined;
    });
  }

  /** Repeats a request while the service cannot answer it. */
  private request(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Answer['json']> {
    return this.answered(async () => {
      const url = await this.fleet.apis[0]!.url();
      const answer = await this.fleet.send(url, this.key, method, path, body, headers).catch(() => undefined);
      if (!answer || answer.status >= 500 || answer.json?.code === 'Idempotence.EnCours') return undefined;
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      return answer.json ?? {};
    });
  }

  private async answered(ask: () => Promise<Answer['json']>): Promise<Answer['json']> {
    for (const end = Date.now() + 120_000; Date.now() < end; await sleep(50)) {
      const answer = await ask();
      if (answer !== undefined) return answer;
    }
    throw new Error('No answer within two minutes.');
  }
}

const difference = ({ counts: before }: State, { counts: after }: State): Record<string, number> =>
  Object.fromEntries(Object.entries(after).map(([table, count]) => [table, count - before[table]!]));

const open: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
});

describe('Killed amid plans, undos, renamings and merges', () => {
  it('all or nothing is done, and the repetition or the next worker does it once', async () => {
    const trial = await Trial.start();
    // The first renaming adds former identifiers, later ones find them.
    for (let index = 0; index < 2; index++) await trial.round();
    trial.isCompared = true;
    for (let index = 0; index < ROUNDS; index++) await trial.round(index % 2 === 0 ? 'kill' : 'end');
    const { kills, ended, inTheMiddle, before, after } = trial.figures;
    report(FAULT, {
      trials: `${kills} kills, ${ended} connections; ${inTheMiddle} of them in the middle`,
      checked: `${before} states as before, byte for byte, ${after} as after; then each operation done once, and undone by its images`,
      losses: trial.faults.length,
    });
    expect(trial.faults).toEqual([]);
    expect(kills).toBe((8 * ROUNDS) / 2);
    expect(before).toBeGreaterThan(ROUNDS);
  }, 1_200_000);

  it('negative control: the check reports a sync that is noted half a second after its commit', async () => {
    const trial = await Trial.start({ NODE_OPTIONS: `--require=${LATE_ROWS}` }, 1_000);
    await sleep(1_000);
    await trial.applied();
    await trial.undone('annuler');
    trial.isCompared = true;
    await trial.applied(undefined, 'killOnceAnswered');
    report(FAULT, { control: `a sync noted 0.5 s after its commit, 1 kill: ${trial.faults.join(', ')}` });
    expect(trial.faults).toContain('appliquer: 0 rows of sync in the middle, not 1');
  }, 300_000);
});
