import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { Mortal } from '../http/mortal';
import { times } from '../membership/synced';
import { cloneTemplate } from '../setup/test-app';
import { until } from '../webhooks/support/receiver';
import { WHOLE } from './support/effort';
import { Fleet, type FleetSpace } from './support/fleet';
import { report } from './support/report';
import { openVote } from './support/steady';

const FAULT = 'one client occupies the worker; jobs that end their process';
const HEAP = '--max-old-space-size=512';
const KILLING_WORK = join(__dirname, 'support/killing-work.cjs');
/** The latest that work of another client may be. */
const LATE_MS = 5_000;
const MINUTE_MS = 60_000;

const LONG = { tasks: 8, employes: WHOLE ? 60_000 : 12_000 };
const OPEN = WHOLE ? 6_860 : 3_000;
const CLOSINGS = 600;

let databaseUrl: string;
let database: Client;
const open: { stop(): Promise<void> }[] = [];

beforeEach(async () => {
  databaseUrl = await cloneTemplate();
  database = new Client({ connectionString: databaseUrl });
  await database.connect();
});
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.stop();
  await database.end();
});

async function fleetOf(env: Record<string, string> = {}): Promise<Fleet> {
  const fleet = await Fleet.start(databaseUrl, {
    workers: 1,
    env: { NODE_OPTIONS: HEAP, DATABASE_POOL_SIZE: '5', ...env },
  });
  open.push(fleet);
  return fleet;
}

const asker = (fleet: Fleet, key: string) => fleet.asker(() => fleet.apis[0]!.url(), key);

async function tenantOf({ partnerId }: FleetSpace): Promise<string> {
  const { rows } = await database.query<{ id: string }>('SELECT tenant_id AS id FROM cle WHERE id = $1', [
    partnerId,
  ]);
  return rows[0]!.id;
}

/** A partner key of a client's other environment. */
async function otherKey(fleet: Fleet, { clientId }: FleetSpace): Promise<string> {
  const made = await asker(fleet, fleet.adminKey)('POST', `/admin/v1/clients/${clientId}/cles`, {
    ...{ nom: 'Essai', environnement: 'production', role: 'partenaire' },
  });
  return (made as { cle: string }).cle;
}

function sync(size: number): object {
  return { Employes: times(size, (n) => ({ IdExterne: `E-${n}`, Prenom: 'Zoé', Nom: 'Roy' })) };
}

/** Submits a task. @returns its id */
async function submit(fleet: Fleet, key: string, body: object): Promise<string> {
  const headers = { Prefer: 'respond-async' };
  const answer = await fleet.send(await fleet.apis[0]!.url(), key, 'POST', '/b2b/v2/sync', body, headers);
  if (answer.status !== 202) throw new Error(`${answer.status} ${answer.text}`);
  return (answer.json as { id: string }).id;
}

/** Time until a statement yields a row, in ms. */
async function until1(what: string, text: string, values: unknown[], longestMs: number): Promise<number> {
  const begun = performance.now();
  await until(what, async () => (await database.query(text, values)).rowCount! > 0, longestMs);
  return performance.now() - begun;
}

const ENDED = `SELECT FROM tache WHERE id_unique = $1 AND date_fin IS NOT NULL`;

/** Adds published campaigns of a data space that close at the same moment, with a prepared box each. @returns their ids */
async function campaigns(tenantId: string, count: number, closing: string): Promise<string[]> {
  const { rows } = await database.query<{ id: string }>(
    `WITH made AS (
       INSERT INTO campagne (tenant_id, titre, slug, ouverture_du_vote_utc, fermeture_du_vote_utc, ordre_reponses_aleatoire,
         publiee, publications, ouverture_annoncee)
       SELECT $1, 'C ' || n, 'c-' || n, now() - interval '1 hour', $3, false, true, 1, true FROM generate_series(1, $2::int) n
       RETURNING tenant_id, id_unique
     ), asked AS (
       INSERT INTO question (tenant_id, campagne_id, ordre, titre, type, est_preferentiel, ordre_reponses_aleatoire,
         min_reponses, max_reponses)
       SELECT tenant_id, id_unique, 0, 'Qui ?', 'ChoixLibre', false, 0, 1, 1 FROM made RETURNING tenant_id, id_unique
     ), options AS (
       INSERT INTO option (tenant_id, question_id, ordre, libelle)
       SELECT a.tenant_id, a.id_unique, o, 'Option ' || o FROM asked a, generate_series(0, 1) o
     ) SELECT id_unique AS id FROM made`,
    [tenantId, count, closing],
  );
  const ids = rows.map(({ id }) => id);
  await database.query('BEGIN');
  await database.query(`SELECT set_config('app.tenant_id', $1, true)`, [tenantId]);
  await database.query('SELECT urne_preparer(id) FROM unnest($1::uuid[]) id', [ids]);
  await database.query('COMMIT');
  return ids;
}

/** Milliseconds from a moment to the event of a campaign. */
async function eventAfter(type: string, campagneId: string, since: Date): Promise<number> {
  const text = `SELECT date_creation AS at FROM evenement WHERE type = $1
    AND coalesce(data ->> 'campagneId', data ->> 'id') = $2`;
  const values = [type, campagneId];
  await until1(type, text, values, 300_000);
  const { rows } = await database.query<{ at: Date }>(text, values);
  return rows[0]!.at.getTime() - since.getTime();
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

describe('A client that occupies the worker', () => {
  it(`${LONG.tasks} long syncs on each of two environments: a task of one record of another client is not late`, async () => {
    const fleet = await fleetOf();
    const [one, other] = [await fleet.space(), await fleet.space()];
    const body = sync(LONG.employes);
    const keys = [one.partner, await otherKey(fleet, one)];
    for (const key of keys) for (let n = 0; n < LONG.tasks; n++) await submit(fleet, key, body);
    const running = `SELECT FROM tache WHERE etat = 'EnCours' AND total > 1`;
    await until1('long tasks run', running, [], MINUTE_MS);
    const ms = await until1('its end', ENDED, [await submit(fleet, other.partner, sync(1))], 600_000);
    const left = await database.query('SELECT FROM tache WHERE total > 1 AND date_fin IS NULL');
    report(FAULT, {
      trials: `${2 * LONG.tasks} syncs of ${LONG.employes} records of one client`,
      figures: `a task of one record of another client ended after ${seconds(ms)}`,
    });
    expect(left.rowCount).toBeGreaterThan(LONG.tasks);
    expect(ms).toBeLessThan(LATE_MS);
  }, 900_000);

  it(`${OPEN} open votes with new receipts: the checkpoint of another client is not late`, async () => {
    const fleet = await fleetOf();
    const [one, other] = [await fleet.space(), await fleet.space()];
    const vote = await openVote(asker(fleet, other.partner), 1);
    const tenantId = await tenantOf(one);
    const ids = await campaigns(tenantId, OPEN, '2098-01-01');
    await database.query(
      `INSERT INTO recu (tenant_id, campagne_id, empreinte)
       SELECT $1, id, sha256(gen_random_uuid()::text::bytea) FROM unnest($2::uuid[]) id`,
      [tenantId, ids],
    );
    const checkpoints = 'SELECT FROM engagement WHERE tenant_id = $1 LIMIT 1';
    await until1('a checkpoint', checkpoints, [tenantId], MINUTE_MS);
    await asker(fleet, other.platform)('POST', `/plateforme/v1/campagnes/${vote.id}/bulletins`, {
      VotantId: vote.voters[0],
      Reponses: [{ QuestionId: vote.questionId, Options: [vote.options[0]] }],
    });
    const mine = 'SELECT FROM engagement WHERE campagne_id = $1';
    const ms = await until1('the checkpoint', mine, [vote.id], 900_000);
    report(FAULT, { figures: `${OPEN} open votes: the checkpoint of another client after ${seconds(ms)}` });
    expect(ms).toBeLessThan(MINUTE_MS + LATE_MS);
  }, 1_200_000);

  it(`${CLOSINGS} closings at once: the event and the bundle of another client are not late`, async () => {
    const fleet = await fleetOf();
    const [one, other] = [await fleet.space(), await fleet.space()];
    const many = await campaigns(await tenantOf(one), CLOSINGS, '2098-01-01');
    const [mine] = await campaigns(await tenantOf(other), 1, '2098-01-01');
    const { rows } = await database.query<{ at: Date }>(
      `UPDATE campagne SET fermeture_du_vote_utc = clock_timestamp() WHERE id_unique = ANY ($1)
       RETURNING fermeture_du_vote_utc AS at`,
      [many],
    );
    // Its own is the last.
    await database.query(
      'UPDATE campagne SET fermeture_du_vote_utc = clock_timestamp() WHERE id_unique = $1',
      [mine],
    );
    const since = rows.at(-1)!.at;
    const closed = await eventAfter('campagne.terminee', mine!, since);
    const sealed = await eventAfter('campagne.scellee', mine!, since);
    const bundles = await database.query('SELECT FROM dossier');
    report(FAULT, {
      figures: `${CLOSINGS} closings: event after ${seconds(closed)}, bundle after ${seconds(sealed)}`,
    });
    expect(bundles.rowCount).toBeLessThan(CLOSINGS);
    // A round begins every second, and closing, sealing and bundle follow each other.
    expect(closed).toBeLessThan(LATE_MS);
    expect(sealed).toBeLessThan(LATE_MS + 3_000);
  }, 900_000);
});

/** Starts the worker again whenever it has ended by itself. */
function supervised(worker: Mortal): { stop(): Promise<void> } {
  let isOver = false;
  const loop = async (): Promise<void> => {
    while (!isOver) {
      const child = await worker.running();
      await child.exited;
      if (!isOver) await worker.kill();
    }
  };
  const running = loop();
  return {
    stop: async () => {
      isOver = true;
      await worker.end();
      await running;
    },
  };
}

describe('Jobs that end their process', () => {
  // Takes minutes, so the short form leaves it out.
  (WHOLE ? it : it.skip)(
    'one of each queue is put aside after two deaths, and those of others are done',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'mandat-killing-'));
      open.push({ stop: () => Promise.resolve(rmSync(folder, { recursive: true })) });
      const file = join(folder, 'ids.json');
      writeFileSync(file, '{}');
      const env = { NODE_OPTIONS: `${HEAP} --require=${KILLING_WORK}`, KILLING_WORK: file };
      const fleet = await fleetOf(env);
      const worker = fleet.workers[0]!;
      const spaces = [await fleet.space(), await fleet.space()] as const;
      const works = ['annonce', 'fermeture', 'engagement', 'scellement', 'dossier'] as const;
      const [ids, tenants]: [string[][], string[]] = [[], []];
      for (const space of spaces) {
        tenants.push(await tenantOf(space));
        ids.push(await campaigns(tenants.at(-1)!, works.length, '2098-01-01'));
      }
      const emails: string[] = [];
      for (const { clientId, partner } of spaces) {
        const admin = asker(fleet, fleet.adminKey);
        const { nom, modules } = (await admin('GET', `/admin/v1/clients/${clientId}`)) as Record<
          string,
          unknown
        >;
        await admin('PUT', `/admin/v1/clients/${clientId}`, {
          nom,
          modules,
          courrielsEssai: ['zoe@example.org'],
        });
        const sent = asker(fleet, partner);
        await sent('POST', '/b2b/v2/sync', {
          Employes: [{ IdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Roy', Courriel: 'zoe@example.org' }],
        });
        emails.push(`${partner}`);
      }
      const killing: Record<string, string> = { tache: tenants[0]! };
      works.forEach((work, place) => (killing[work] = ids[0]![place]!));
      writeFileSync(file, JSON.stringify(killing));
      const guard = supervised(worker);
      open.push(guard);

      const mail = { destinataires: { idExternes: ['E-1'] }, sujet: 'Avis', corpsHtml: '<p>Bonjour</p>' };
      const letters: string[] = [];
      for (const key of emails) {
        const { id } = (await asker(fleet, key)('POST', '/b2b/v2/courriel', mail)) as { id: string };
        letters.push(id);
        if (letters.length === 1) {
          killing.courriel = id;
          writeFileSync(file, JSON.stringify(killing));
        }
      }
      const tasks = [
        await submit(fleet, spaces[0].partner, sync(1)),
        await submit(fleet, spaces[1].partner, sync(1)),
      ];
      for (const [place, work] of works.entries()) {
        const both = ids.map((own) => own[place]);
        if (work === 'engagement')
          await database.query(
            `INSERT INTO recu (tenant_id, campagne_id, empreinte)
           SELECT tenant_id, id_unique, sha256(gen_random_uuid()::text::bytea) FROM campagne WHERE id_unique = ANY ($1)`,
            [both],
          );
        else if (work === 'annonce')
          await database.query('UPDATE campagne SET ouverture_annoncee = false WHERE id_unique = ANY ($1)', [
            both,
          ]);
        else
          await database.query(
            'UPDATE campagne SET fermeture_du_vote_utc = clock_timestamp() WHERE id_unique = ANY ($1)',
            [both],
          );
      }
      const queues = [...works, 'tache', 'courriel'].sort();
      const aside = async (): Promise<string[]> => {
        const { rows } = await database.query<{ travail: string }>(
          'SELECT travail FROM travail_en_cours WHERE mis_de_cote IS NOT NULL ORDER BY travail',
        );
        return rows.map(({ travail }) => travail);
      };
      const begun = performance.now();
      await until('all are put aside', async () => (await aside()).length >= queues.length, 600_000).catch(
        () => undefined,
      );
      expect(await aside()).toEqual(queues);
      const ms = performance.now() - begun;
      // A process may die while it sends the first e-mail, which is then in doubt and not sent again.
      const { id: later } = (await asker(fleet, emails[1]!)('POST', '/b2b/v2/courriel', mail)) as {
        id: string;
      };
      const done = async (): Promise<object> => {
        const { rows } = await database.query<object>(
          `SELECT (SELECT count(*)::int FROM dossier WHERE campagne_id = ANY ($1)) AS bundles,
           (SELECT count(*)::int FROM campagne WHERE id_unique = ANY ($1) AND NOT ouverture_annoncee) AS untold,
           EXISTS (SELECT FROM engagement WHERE campagne_id = $2) AS checkpoint,
           (SELECT etat FROM tache WHERE id_unique = $3) AS task,
           (SELECT etat FROM courriel_destinataire WHERE courriel_id = $4) AS email`,
          [ids[1], ids[1]![works.indexOf('engagement')], tasks[1], later],
        );
        return rows[0]!;
      };
      const all = {
        bundles: works.length - 2,
        untold: 0,
        checkpoint: true,
        task: 'Reussie',
        email: 'Envoye',
      };
      const isDone = async (): Promise<boolean> => JSON.stringify(await done()) === JSON.stringify(all);
      await until('the work of the other client is done', isDone, 120_000).catch(() => undefined);
      expect(await done()).toEqual(all);
      const { rows: shown } = await database.query<{ tache: string; destinataire: string }>(
        `SELECT (SELECT etat FROM tache WHERE id_unique = $1) AS tache,
         (SELECT etat FROM courriel_destinataire WHERE courriel_id = $2) AS destinataire`,
        [tasks[0], letters[0]],
      );
      const errors = (await worker.running()).output;
      report(FAULT, {
        checked: `one job of each of ${queues.length} queues ended its process each time`,
        losses: 0,
        figures: `all put aside after ${seconds(ms)} and ${worker.kills} deaths`,
      });
      expect(await aside()).toEqual(queues);
      expect(shown).toEqual([{ tache: 'Echouee', destinataire: 'Refuse' }]);
      expect(worker.kills).toBeLessThanOrEqual(2 * queues.length);
      expect(errors).not.toContain('E-1');
    },
    900_000,
  );
});
