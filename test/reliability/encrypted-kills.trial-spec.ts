import { libsodium } from '@mandat/ballot/guardians';
import { randomScalar, sealWith } from '@mandat/ballot/check';
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { times } from '../membership/synced';
import { command } from '../setup/command';
import { seeded } from '../setup/seeded';
import { cloneTemplate } from '../setup/test-app';
import { verified } from '../voting/support/bundle';
import { Guardians } from '../voting/support/encrypted';
import { WHOLE } from './support/effort';
import { type Answer, Fleet, type FleetSpace } from './support/fleet';
import { report } from './support/report';

const LATE_BALLOTS = join(__dirname, 'support/late-ballots.cjs');
const FAULT = 'API and worker killed (SIGKILL), during an encrypted vote';
const BALLOTS = WHOLE ? 4_000 : 800;
const KILLS = WHOLE ? 12 : 3;
const CALLERS = 8;
/** A worker sums some hundred ballots a second; kills come at any moment of its first seconds. */
const WORKING_MS = 1_500;
const CAMPAGNES = '/b2b/v1/campagnes';

/** An encrypted vote through the interface of processes that are killed. */
class Scene {
  takenUp = 0;

  private constructor(
    private readonly fleet: Fleet,
    private readonly space: FleetSpace,
    readonly id: string,
    private readonly guardians: Guardians,
    private readonly random: () => number,
  ) {}

  /** A vote on three options, which all voters choose in turn. */
  static async open(env: Record<string, string> = {}): Promise<Scene> {
    const seed = Number(process.env.KILLS_SEED ?? randomInt(2 ** 31));
    process.stderr.write(`KILLS_SEED=${seed}\n`);
    const fleet = await Fleet.start(await cloneTemplate(), { workers: 1, env });
    const space = await fleet.space();
    const url = (): Promise<string> => fleet.apis[0]!.url();
    const partner = fleet.asker(url, space.partner);
    const day = 86_400_000;
    const id = (await partner('POST', CAMPAGNES, {
      titre: 'Comité',
      ouvertureDuVoteUtc: new Date(Date.now() + day).toISOString(),
      fermetureDuVoteUtc: new Date(Date.now() + 2 * day).toISOString(),
    })) as string;
    await partner('POST', `${CAMPAGNES}/${id}/questions`, {
      ...{ Titre: 'Qui ?', Type: 'ChoixLibre', MaxReponses: 1 },
      Options: times(3, (place) => ({ Libelle: `Option ${place}` })),
    });
    await partner(
      'POST',
      `${CAMPAGNES}/${id}/votants/upsert`,
      times(BALLOTS, (n) => ({ Identifiant: `V-${n}`, Prenom: 'Zoé', Nom: 'Roy' })),
    );
    const send = async (method: string, path: string, body?: object): Promise<Answer> =>
      fleet.send(await url(), space.partner, method, `${CAMPAGNES}${path}`, body);
    const sent = async (method: string, path: string, body?: object): Promise<Answer> => {
      const answer = await send(method, path, body);
      if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
      return answer;
    };
    const platformGet = async (path: string): Promise<Answer> =>
      fleet.send(await url(), space.platform, 'GET', `/plateforme/v1/campagnes${path}`);
    const guardians = await Guardians.of({ campaigns: { send, sent }, platformGet }, id, 2, 2);
    await guardians.finish();
    await sent('POST', `/${id}/publier`);
    await sent('POST', `/${id}/ouvrir`);
    return new Scene(fleet, space, id, guardians, seeded(seed));
  }

  /** Casts all ballots. Each is sent until the API has confirmed it, or knows its receipt. */
  async cast(): Promise<void> {
    const [group, scrutin] = [await libsodium(), await this.guardians.scrutin()];
    const { json } = await this.sent('GET', '/votants');
    const waiting = (json as { VotantId: string; Identifiant: string }[]).map(({ VotantId, Identifiant }) => {
      const option = Number(Identifiant.slice(2)) % 3;
      return sealWith(group, () => randomScalar(), scrutin, VotantId, [[option]]).cast();
    });
    const path = `/plateforme/v1/campagnes/${this.id}/bulletins`;
    const castNext = async (): Promise<void> => {
      for (let ballot = waiting.pop(); ballot; ballot = waiting.pop()) {
        for (let isCast = false; !isCast;) {
          const answer = await this.fleet
            .send(await this.api.url(), this.space.platform, 'POST', path, ballot)
            .catch(() => undefined);
          isCast = answer?.status === 201 || answer?.json?.code === 'Vote.BulletinRejoue';
          if (answer && !isCast && answer.status < 500) throw new Error(answer.text);
          if (!isCast) await sleep(50);
        }
      }
    };
    let isOver = false;
    const casting = Promise.all(times(CALLERS, castNext)).finally(() => (isOver = true));
    for (let kill = 0; kill < KILLS && !isOver; kill++) {
      await this.api.url();
      await sleep(this.random() * WORKING_MS);
      await this.api.kill();
    }
    await casting;
  }

  /** Closes the vote, and has it counted by workers that are killed. @returns the votes of the options */
  async counted(): Promise<number[]> {
    await this.sent('POST', '/fermer');
    await this.killWorkers();
    await this.done('/chiffrement/depouillement');
    for (const number of [1, 2]) {
      const { status, text } = await this.guardians.decrypt(await this.guardians.decryption(number));
      if (status !== 200) throw new Error(text);
    }
    await this.killWorkers();
    await this.done('/dossier');
    const { json } = await this.sent('GET', '/stats');
    return json.questions[0].Options.map(({ Votes }: { Votes: number }) => Votes);
  }

  /** Returns the result of mandat-verify for the bundle. */
  async verdict(): Promise<ReturnType<typeof verified>> {
    const headers = { 'x-api-key': this.space.partner };
    const url = await this.api.url();
    const archive = await request(`${url}${CAMPAGNES}/${this.id}/dossier/archive`, { headers });
    const bytes = Buffer.from(await archive.body.arrayBuffer());
    return verified(bytes, (await this.fleet.send(url, undefined, 'GET', '/.well-known/jwks.json')).json);
  }

  get kills(): readonly [api: number, worker: number] {
    return [this.api.kills, this.worker.kills];
  }

  async end(): Promise<void> {
    await this.fleet.stop();
  }

  private get api() {
    return this.fleet.apis[0]!;
  }

  private get worker() {
    return this.fleet.workers[0]!;
  }

  private async killWorkers(): Promise<void> {
    for (let kill = 0; kill < KILLS; kill++) {
      await this.worker.url();
      await sleep(this.random() * WORKING_MS);
      await this.worker.kill();
    }
  }

  /** Waits until the worker has made what is read here. A count that has ended two workers is put aside, and an operator takes it up. */
  private async done(path: string): Promise<void> {
    const end = Date.now() + 300_000;
    while ((await this.send('GET', path)).status !== 200) {
      if (Date.now() > end) throw new Error(`Not there after 300 s: ${path}`);
      const { output } = await command(this.fleet.env, 'mis-de-cote');
      for (const line of output.split('\n').filter(Boolean)) {
        await command(this.fleet.env, 'reprendre', (JSON.parse(line) as { travail: string }).travail);
        this.takenUp += 1;
      }
      await sleep(1_000);
    }
  }

  private async send(method: string, path: string): Promise<Answer> {
    return this.fleet.send(
      await this.api.url(),
      this.space.partner,
      method,
      `${CAMPAGNES}/${this.id}${path}`,
    );
  }

  private async sent(method: string, path: string): Promise<Answer> {
    const answer = await this.send(method, path);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer;
  }
}

const all = times(3, (option) => times(BALLOTS, (n) => n % 3).filter((one) => one === option).length);

it('each encrypted ballot that was confirmed is counted once, and the bundle is right', async () => {
  const scene = await Scene.open();
  try {
    await scene.cast();
    const votes = await scene.counted();
    const { code, text } = await scene.verdict();
    const [api, worker] = scene.kills;
    report(FAULT, {
      trials: `${api} kills of the API during ${BALLOTS} ballots, ${worker} of the worker during sums and result; ${scene.takenUp} works put aside and taken up`,
      checked: `the votes of ${all.length} options, and the bundle by mandat-verify`,
      losses: votes.filter((one, option) => one !== all[option]).length,
    });
    expect(votes).toEqual(all);
    expect([code, text]).toEqual([0, expect.stringContaining('"differences":[]')]);
    expect(Math.min(api, worker)).toBeGreaterThan(0);
  } finally {
    await scene.end();
  }
}, 900_000);

it('negative control: ballots are missing if they are written after the confirmation', async () => {
  const scene = await Scene.open({ NODE_OPTIONS: `--require=${LATE_BALLOTS}` });
  try {
    await scene.cast();
    const votes = await scene.counted();
    const missing = all.reduce((sum, one, option) => sum + one - votes[option]!, 0);
    report(FAULT, { control: `ballots written 100 ms after the confirmation: ${missing} are missing` });
    expect(missing).toBeGreaterThan(0);
  } finally {
    await scene.end();
  }
}, 900_000);
