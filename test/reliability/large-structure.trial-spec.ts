import { join } from 'node:path';
import { Client } from 'pg';
import { cloneTemplate } from '../setup/test-app';
import { WHOLE } from './support/effort';
import { Fleet } from './support/fleet';
import { LargeStructures, type Structure, STRUCTURES } from './support/large-structures';
import { MemoryWatch } from './support/process-memory';
import { report } from './support/report';

const HELD_FILES = join(__dirname, 'support/held-files.cjs');

/** Heap of a process in MB, as Node takes it in a container of 1 GiB (deploy/kubernetes). */
const MOST_HEAP_MIB = 512;
/** A process stays 1.5 times below the memory of its container. */
const MOST_PROCESS_MIB = Math.floor(1_024 / 1.5);
const MOST_BACKEND_MIB = 256;
/** Longest time from the close to the bundle, in ms. */
const LONGEST_MS = 600_000;
/** Callers that request the statistics at the same time. */
const CALLERS = WHOLE ? 8 : 3;

interface Peak {
  readonly worker: number;
  readonly api: number;
  readonly backend: number;
}

class Scene {
  private constructor(
    private readonly fleet: Fleet,
    private readonly database: Client,
    private readonly votes: LargeStructures,
  ) {}

  static async make(env: Record<string, string> = {}): Promise<Scene> {
    const databaseUrl = await cloneTemplate();
    const { NODE_OPTIONS = '' } = env;
    const fleet = await Fleet.start(databaseUrl, {
      workers: 1,
      env: { ...env, NODE_OPTIONS: `${NODE_OPTIONS} --max-old-space-size=${MOST_HEAP_MIB}` },
    });
    const database = new Client({ connectionString: databaseUrl });
    await database.connect();
    const votes = new LargeStructures(fleet, await fleet.apis[0]!.url(), database, await fleet.space());
    return new Scene(fleet, database, votes);
  }

  /** Closes a vote and waits for its bundle. The statistics are requested meanwhile. */
  async build(
    structure: Structure,
  ): Promise<Peak & { isBuilt: boolean; statuses: number[]; figures: string }> {
    const id = await this.votes.open(structure);
    const worker = await this.fleet.workers[0]!.running();
    let statuses: number[] = [];
    let isBuilt = false;
    let ms = 0;
    const peak = await this.watched(async () => {
      const begun = performance.now();
      await this.votes.close(id);
      const asked = Promise.all(
        Array.from({ length: CALLERS }, () => this.votes.send('GET', `/${id}/stats`)),
      ).then((answers) => (statuses = answers.map(({ status }) => status)));
      while (!isBuilt && worker.isRunning && performance.now() - begun < LONGEST_MS) {
        await new Promise((resolve) => setTimeout(resolve, 100));
        isBuilt = await this.votes.isBuilt(id);
      }
      ms = performance.now() - begun;
      await asked;
    });
    const figures =
      `${structure.what}: ${isBuilt ? `${(ms / 1_000).toFixed(1)} s, ${await this.votes.megabytes(id)} MB` : `no bundle after ${(ms / 1_000).toFixed(0)} s`}${worker.isRunning ? '' : ', the worker ended'}, ` +
      `worker ${peak.worker} MiB, API ${peak.api} MiB, backend ${peak.backend} MiB`;
    return { ...peak, isBuilt, statuses, figures };
  }

  /** Deletes a draft. */
  async deleteDraft(structure: Structure): Promise<Peak & { status: number; figures: string }> {
    const id = await this.votes.draft(structure);
    let status = 0;
    const begun = performance.now();
    const peak = await this.watched(async () => {
      ({ status } = await this.votes.send('DELETE', `/${id}`));
    });
    const figures = `its draft deleted: ${((performance.now() - begun) / 1_000).toFixed(1)} s, API ${peak.api} MiB, backend ${peak.backend} MiB`;
    return { ...peak, status, figures };
  }

  async end(): Promise<void> {
    await this.database.end();
    await this.fleet.stop();
  }

  /** Measures processes and backends during the work. */
  private async watched(work: () => Promise<void>): Promise<Peak> {
    const watches = [];
    for (const one of [this.fleet.workers[0]!, this.fleet.apis[0]!])
      watches.push(new MemoryWatch((await one.running()).process.pid!, this.database));
    await work();
    for (const watch of watches) await watch.end();
    const [worker, api] = watches.map(({ processMiB }) => processMiB);
    return { worker: worker!, api: api!, backend: Math.max(...watches.map(({ backendMiB }) => backendMiB)) };
  }
}

/** Takes minutes, so the short form leaves it out. */
const inWhole = WHOLE ? it : it.skip;

it.each(Object.values(STRUCTURES).filter((one) => WHOLE || one !== STRUCTURES.unbounded))(
  '$what: counted, sealed and built in bounded memory',
  async (structure) => {
    const scene = await Scene.make();
    try {
      const { isBuilt, statuses, worker, api, backend, figures } = await scene.build(structure);
      report(`bundle of ${structure.what}`, {
        trials: `1 close, statistics for ${CALLERS} callers at once`,
        losses: Number(!isBuilt) + statuses.filter((status) => status !== 200).length,
        figures,
      });
      expect({ isBuilt, statuses }).toEqual({ isBuilt: true, statuses: Array(CALLERS).fill(200) });
      expect(worker).toBeLessThan(MOST_PROCESS_MIB);
      expect(api).toBeLessThan(MOST_PROCESS_MIB);
      expect(backend).toBeLessThan(MOST_BACKEND_MIB);
    } finally {
      await scene.end();
    }
  },
  1_200_000,
);

inWhole(
  'the draft of the largest labels: deleted in bounded memory',
  async () => {
    const scene = await Scene.make();
    try {
      const { status, api, backend, figures } = await scene.deleteDraft(STRUCTURES.unbounded);
      report(`bundle of ${STRUCTURES.unbounded.what}`, { checked: figures });
      expect(status).toBe(204);
      expect(api).toBeLessThan(MOST_PROCESS_MIB);
      expect(backend).toBeLessThan(MOST_BACKEND_MIB);
    } finally {
      await scene.end();
    }
  },
  1_200_000,
);

inWhole(
  'negative control: a worker that keeps what it writes ends, or passes the limit',
  async () => {
    const scene = await Scene.make({ NODE_OPTIONS: `--require=${HELD_FILES}` });
    try {
      const { isBuilt, worker, figures } = await scene.build(STRUCTURES.unbounded);
      report(`bundle of ${STRUCTURES.unbounded.what}`, { control: figures });
      expect(isBuilt && worker < MOST_PROCESS_MIB).toBe(false);
    } finally {
      await scene.end();
    }
  },
  1_200_000,
);
