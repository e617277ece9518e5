import type { Scrutin } from '@mandat/ballot';
import {
  ceremonyOf,
  countOf,
  drawPolynomial,
  drawSecrets,
  libsodium,
  makeAgreement,
  makeDecryption,
  makeKeys,
  makeShares,
  secretShare,
} from '@mandat/ballot/guardians';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { inSeconds, ofCampagne, verified } from './dossier';
import { bytesOf, requestsPerSecond } from './load';
import { memoryRow } from './memory';
import { say } from './progress';
import { alone, perSecond, type Row } from './report';
import type { ToSeal } from './seal.thread';
import type { Effort, Work } from './work';
import { expectEqual, type Tenant, type World } from './world';

const BALLOTS = 100_000;
const OPTIONS = 5;
const UNIONS = 10;
const GUARDIANS = 3;
const NEEDED = 2;
/** Ballots that are cast through the interface, and measured; the others are inserted. */
const CAST = 2_000;
const BATCH = 500;
const CONNECTIONS = 16;
const CAMPAGNES = '/b2b/v1/campagnes';

export const ENCRYPTED: readonly Work[] = [{ name: 'encrypted', measure: measured }];

/** A whole encrypted vote of three guardians: ballots, sums, decryption, bundle, verification. */
async function measured(world: World, { seconds }: Effort): Promise<Row[]> {
  const ballots = seconds < 1 ? BALLOTS / 50 : BALLOTS;
  const work = `encrypted vote of ${ballots.toLocaleString('en')} ballots`;
  const tenant = await world.newTenant(work);
  const vote = await EncryptedVote.open(world, tenant, ballots);
  const rows = [
    ...(await vote.cast(work, Math.min(CAST, ballots / 2))),
    ...(await vote.counted(work)),
    ...(await vote.checked(work)),
  ];
  for (const row of rows) say(`${row.work}: ${row.contestant}: ${row.figure}`);
  return rows;
}

class EncryptedVote {
  private readonly guardians = Array.from({ length: GUARDIANS }, () => ({
    secrets: drawSecrets(),
    polynomial: drawPolynomial(NEEDED),
  }));

  private constructor(
    private readonly world: World,
    private readonly tenant: Tenant,
    private readonly id: string,
  ) {}

  /** A vote on five options, with voters of ten unions, who weigh 1 to 3. */
  static async open(world: World, tenant: Tenant, voters: number): Promise<EncryptedVote> {
    const id = await world.call<string>(CAMPAGNES, tenant.key, {
      titre: 'Encrypted vote',
      ouvertureDuVoteUtc: '2098-01-01',
      fermetureDuVoteUtc: '2099-01-01',
    });
    const vote = new EncryptedVote(world, tenant, id);
    await vote.send('POST', '/questions', {
      ...{ Titre: 'Question', Type: 'ChoixLibre', MinReponses: 1, MaxReponses: 1 },
      Options: Array.from({ length: OPTIONS }, (_, n) => ({ Libelle: `Option ${n}` })),
    });
    await world.database.query(
      `INSERT INTO votant (tenant_id, campagne_id, prenom, nom, syndicat_id_externe, employeur_identifiant_externe,
         a_droit_de_vote, poids)
       SELECT $1, $2, 'Marie-Ève', 'Tremblay', 'SYN-' || n % ${UNIONS}, 'EMP-' || n % 50, true, 1 + n % 3
       FROM generate_series(1, $3::int) n`,
      [tenant.id, id, voters],
    );
    const { rowCount } = await world.database.query(
      'UPDATE campagne SET nombre_votants = $3 WHERE tenant_id = $1 AND id_unique = $2',
      [tenant.id, id, voters],
    );
    expectEqual('campaigns', rowCount, 1);
    await world.database.query('VACUUM ANALYZE votant');
    await vote.send('PUT', '/chiffrement', {
      gardiens: vote.guardians.map((_, n) => ({ nom: `Guardian ${n + 1}` })),
      seuil: NEEDED,
    });
    for (let round = 0; round < 3; round++)
      for (const place of vote.guardians.keys())
        await vote.send('POST', '/chiffrement/ceremonie', await vote.file(place));
    await vote.send('POST', '/publier', {});
    await vote.send('POST', '/ouvrir', {});
    return vote;
  }

  /** Casts some ballots through the interface, and inserts the others. */
  async cast(work: string, through: number): Promise<Row[]> {
    const { database, api } = this.world;
    const platform = await this.world.platformKey(this.tenant);
    const base = `http://127.0.0.1:${api.port}/plateforme/v1/campagnes/${this.id}`;
    const scrutin = (await (
      await fetch(`${base}/scrutin`, { headers: { 'X-Api-Key': platform } })
    ).json()) as Scrutin;
    const { rows } = await database.query<{ id: string }>(
      'SELECT id_unique AS id FROM votant WHERE tenant_id = $1 AND campagne_id = $2',
      [this.tenant.id, this.id],
    );
    say(`${work}: sealing them`);
    const started = performance.now();
    const sealed = await allSealed(
      scrutin,
      rows.map(({ id }, n) => ({ votant: id, option: n % OPTIONS })),
    );
    const sealing = performance.now() - started;
    const path = `/plateforme/v1/campagnes/${this.id}/bulletins`;
    const headers = { 'X-Api-Key': platform };
    const requests = sealed.slice(0, through).map((BulletinChiffre, n) => {
      const body = Buffer.from(JSON.stringify({ VotantId: rows[n]!.id, BulletinChiffre }));
      return bytesOf({ method: 'POST', path, headers, body });
    });
    const rate = await requestsPerSecond(api.port, requests, through, CONNECTIONS);
    say(`${work}: inserting those that are left`);
    for (let from = through; from < sealed.length; from += BATCH) {
      await database.query(
        `WITH entered AS MATERIALIZED (SELECT set_config('app.tenant_id', $1::text, true))
         SELECT urne_voter_chiffre($2, votant, 1, decode(translate(ballot, '-_', '+/') || repeat('=', -length(ballot) & 3), 'base64'))
         FROM entered, unnest($3::uuid[], $4::text[]) b (votant, ballot)`,
        [
          this.tenant.id,
          this.id,
          rows.slice(from, from + BATCH).map(({ id }) => id),
          sealed.slice(from, from + BATCH),
        ],
      );
    }
    const { rows: found } = await database.query<{ ballots: number }>(
      'SELECT count(*)::int AS ballots FROM bulletin WHERE tenant_id = $1',
      [this.tenant.id],
    );
    expectEqual('ballots', found[0]!.ballots, sealed.length);
    return [
      alone(
        work,
        'sealing a ballot of 5 options with libsodium, one thread',
        (sealing * availableParallelism()) / sealed.length,
        inMilliseconds,
      ),
      alone(work, `ballots of 5 options through the interface`, rate, perSecond, { atLeast: 100 }),
    ];
  }

  /** Closes the vote. A fresh worker seals the box and adds the ballots, two guardians decrypt, and the worker makes the bundle. */
  async counted(work: string): Promise<Row[]> {
    await this.send('POST', '/fermer', {});
    const worker = await this.world.startWorker();
    const { until } = ofCampagne(this.world, this.tenant, this.id);
    const sealing = await until('urne_scellee');
    say(`${work}: sealed in ${inSeconds(sealing)}`);
    const summing = await until(
      '(SELECT h.bulletins IS NOT NULL FROM chiffrement h WHERE h.tenant_id = $1 AND h.campagne_id = $2)',
    );
    say(`${work}: summed in ${inSeconds(summing)}`);
    const memory = await memoryRow(`${work}, worker`, worker.pid);
    const started = performance.now();
    const file = await this.decryption(0);
    const decrypting = performance.now() - started;
    const began = performance.now();
    await this.send('POST', '/chiffrement/depouillement', file);
    const taking = performance.now() - began;
    await this.send('POST', '/chiffrement/depouillement', await this.decryption(GUARDIANS - 1));
    const combining = await until('dechiffree');
    const building = await until('NOT dossier_du');
    await worker.stop();
    return [
      alone(work, 'sealing the box, with the log', sealing, inSeconds),
      alone(work, 'summing', summing, inSeconds, { atMost: 60_000 }),
      ...memory,
      alone(work, 'decryption by a guardian without the check of all ballots', decrypting, inSeconds),
      alone(work, 'check of the decryption by the service', taking, inSeconds),
      alone(work, 'combining the result', combining, inSeconds),
      alone(work, 'building the bundle', building, inSeconds),
    ];
  }

  /** Compares the result with the choices, and has the bundle verified. */
  async checked(work: string): Promise<Row[]> {
    const { database, api } = this.world;
    const stats = await this.get<{ questions: { Options: { Votes: number; PoidsTotal: number }[] }[] }>(
      '/stats',
    );
    const { rows } = await database.query<{ ballots: number }>(
      'SELECT count(*)::int AS ballots FROM votant WHERE tenant_id = $1 AND campagne_id = $2 AND a_vote',
      [this.tenant.id, this.id],
    );
    const votes = stats.questions[0]!.Options.map(({ Votes }) => Votes);
    expectEqual(
      'votes',
      votes,
      Array.from({ length: OPTIONS }, () => rows[0]!.ballots / OPTIONS),
    );
    const folder = await this.world.newFolder();
    const headers = { 'X-Api-Key': this.tenant.key };
    const [file, jwks] = [join(folder, 'dossier.tar'), join(folder, 'jwks.json')];
    const from = (path: string): Promise<Response> =>
      fetch(`http://127.0.0.1:${api.port}${path}`, { headers });
    await writeFile(file, (await from(`${CAMPAGNES}/${this.id}/dossier/archive`)).body!);
    await writeFile(jwks, await (await from('/.well-known/jwks.json')).text());
    return verified(work, file, jwks, { atMost: 600_000 });
  }

  private async ceremony() {
    const found = ceremonyOf(
      await libsodium(),
      await this.get<Parameters<typeof ceremonyOf>[1]>('/chiffrement/ceremonie'),
    );
    if ('nom' in found) throw new Error(found.nom);
    return found;
  }

  /** A guardian's file of the open round. */
  private async file(place: number): Promise<object> {
    const { secrets, polynomial } = this.guardians[place]!;
    const ceremony = await this.ceremony();
    if (ceremony.round === 1) return makeKeys(ceremony, place + 1, secrets);
    if (ceremony.round === 2) return makeShares(ceremony, place + 1, secrets, polynomial);
    return makeAgreement(ceremony, place + 1, secrets);
  }

  private async decryption(place: number): Promise<object> {
    const { secrets, polynomial } = this.guardians[place]!;
    const ceremony = await this.ceremony();
    const { sommes } = await this.get<{ sommes: string[] }>('/chiffrement/depouillement');
    const answer = await this.answer('GET', '/chiffrement/bulletins');
    const bulletins = hash('sha256', new Uint8Array(await answer.arrayBuffer()), 'buffer');
    const lines = sommes.map((line) => `${line}\n`).join('');
    const count = countOf(await libsodium(), [OPTIONS], lines, bulletins)!;
    const share = secretShare(ceremony, place + 1, secrets, polynomial);
    return makeDecryption(ceremony, count, place + 1, { seed: secrets.seed, share });
  }

  private async get<T>(path: string): Promise<T> {
    return (await (await this.answer('GET', path)).json()) as T;
  }

  private async send(method: string, path: string, body: object): Promise<void> {
    await (await this.answer(method, path, body)).text();
  }

  private async answer(method: string, path: string, body?: object): Promise<Response> {
    const answer = await fetch(`http://127.0.0.1:${this.world.api.port}${CAMPAGNES}/${this.id}${path}`, {
      method,
      headers: { 'X-Api-Key': this.tenant.key, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
    return answer;
  }
}

/** Seals ballots in a thread for each processor. */
async function allSealed(scrutin: Scrutin, voters: readonly ToSeal[]): Promise<string[]> {
  const sealed: string[] = [];
  let next = 0;
  const run = async (): Promise<void> => {
    const thread = new Worker(join(__dirname, 'seal.thread.js'), { workerData: scrutin });
    while (next < voters.length) {
      const from = next;
      next += BATCH;
      thread.postMessage(voters.slice(from, next));
      const [ballots] = (await once(thread, 'message')) as [string[]];
      for (const [n, ballot] of ballots.entries()) sealed[from + n] = ballot;
    }
    await thread.terminate();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, run));
  return sealed;
}

function inMilliseconds(value: number): string {
  return `${value.toFixed(1)} ms`;
}
