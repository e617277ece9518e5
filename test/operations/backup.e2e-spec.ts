import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { baseBackup } from '../../libs/embedded-postgres/src';
import { EncryptedCountsService, SealingService } from '../../libs/voting/src';
import { OwnPostgres } from '../reliability/support/own-postgres';
import { command, type Ended } from '../setup/command';
import { TestApp } from '../setup/test-app';
import { summed } from '../voting/support/bundle';
import { Guardians } from '../voting/support/encrypted';
import { type Vote, Votes } from '../voting/support/votes';

const MONITORING = '1764000055000';

let server: OwnPostgres;
let app: TestApp;
let votes: Votes;
let vote: Vote;
/** An encrypted vote with a result. */
let encrypted: string;
/** A whole backup: a data folder with its log, as of `pg_basebackup`. */
let whole: string;
let folder: string;
const made: string[] = [];

/** Copies the running server with its log. @returns the data folder */
async function backup(): Promise<string> {
  const copy = await baseBackup(server, 'recovery.signal');
  made.push(copy);
  const [from, to] = [server.dataDir, copy].map((one) => join(one, 'cluster'));
  execFileSync('cp', ['-a', `${from}/pg_wal/.`, `${to}/pg_wal`]);
  return to!;
}

/** An encrypted vote of two ballots, whose guardian has decrypted the sums or not. */
async function encryptedVote(isDecrypted = true): Promise<string> {
  const { campaigns } = votes;
  const id = await campaigns.draft();
  await campaigns.question(id);
  const voters = [await campaigns.votant(id), await campaigns.votant(id, { Poids: 2.5 })];
  const guardians = await Guardians.of(votes, id, 1, 1);
  await guardians.finish();
  for (const step of ['publier', 'ouvrir']) await campaigns.sent('POST', `/${id}/${step}`);
  for (const voter of voters) {
    const { body } = await guardians.sealed(voter, [[0]]);
    expect((await votes.cast(id, body)).status).toBe(201);
  }
  await campaigns.sent('POST', `/${id}/fermer`);
  const { tenantId } = campaigns.tenant;
  await summed(app, tenantId, id);
  if (isDecrypted) {
    await guardians.decrypt(await guardians.decryption(1));
    expect(await app.app.get(EncryptedCountsService).advance(tenantId, id)).toBe(true);
  }
  return id;
}

function verify(path?: string, env: Record<string, string> = {}): Promise<Ended> {
  const all = { DATABASE_URL: server.url, SECRETS_KEY: app.config.secretsKey.text(), ...env };
  return command(all, 'sauvegarde', '--verifier', ...(path === undefined ? [] : [path]), '--json');
}

const checksOf = ({ output }: Ended) =>
  JSON.parse(output) as { ok: boolean; checks: { check: string; state: string; found: string }[] };
const faultsOf = (ended: Ended) =>
  checksOf(ended)
    .checks.filter(({ state }) => state === 'fault')
    .map(({ check, found }) => `${check}: ${found}`);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mandat-backups-'));
  server = await OwnPostgres.start();
  app = await TestApp.start({ databaseUrl: server.url });
  votes = await Votes.of(app);
  const ranked = { Titre: 'Bureau', Type: 'Election', EstPreferentiel: true };
  vote = await votes.opened(5, {}, (n) => ({ Poids: n + 1 }), [
    { ...ranked, Options: ['A', 'B', 'C'].map((Libelle) => ({ Libelle })) },
  ]);
  const [yes, no] = vote.question.Options.map(({ Id }) => Id);
  const ranks = vote.others![0]!.Options.map(({ Id }) => Id);
  for (const [n, voter] of vote.voters.slice(0, 4).entries()) {
    const { status, text } = await app.send(
      votes.platform,
      'POST',
      `/plateforme/v1/campagnes/${vote.id}/bulletins`,
      {
        VotantId: voter,
        Reponses: [
          { QuestionId: vote.question.Id, Options: [n % 2 ? yes : no] },
          { QuestionId: vote.others![0]!.Id, Options: [...ranks.slice(n % 3), ...ranks.slice(0, n % 3)] },
        ],
      },
    );
    expect([status, text]).toEqual([201, text]);
  }
  await votes.campaigns.sent('POST', `/${vote.id}/fermer`);
  expect(await app.app.get(SealingService).seal(votes.campaigns.tenant.tenantId, vote.id)).toBe(true);
  await votes.campaigns.closed();
  encrypted = await encryptedVote();
  await encryptedVote(false);
  whole = await backup();
}, 180_000);
afterAll(async () => {
  await app.stop();
  await server.stop();
  for (const one of [...made, folder]) rmSync(one, { recursive: true });
});

describe('npm run cli -- sauvegarde --verifier', () => {
  it('restores a backup, and finds trails, boxes and counts whole; the backup stays as it is, and the copy is removed', async () => {
    const ended = await verify(whole);
    expect(faultsOf(ended)).toEqual([]);
    expect(ended.code).toBe(0);
    expect(checksOf(ended).checks.map(({ check, found }) => `${check}: ${found}`)).toEqual([
      expect.stringMatching(/^restore of mandat: .*cluster starts$/),
      'migrations: all are applied',
      expect.stringMatching(/^rows: \d{2,} in \d{2} tables can be read$/),
      expect.stringMatching(/^audit trails: [23] with \d+ entries are whole$/),
      'ballot boxes: 4 agree',
      'counts: 3 agree',
    ]);
    expect(existsSync(join(whole, 'recovery.signal'))).toBe(true);
    expect(readdirSync(tmpdir()).filter((name) => name.startsWith('mandat-restore-'))).toEqual([]);
  });

  it('brings the copy of an earlier schema to this release', async () => {
    await app.database.query('DELETE FROM migration WHERE timestamp = $1', [MONITORING]);
    await app.database.query('DROP TABLE verification_journal; DROP INDEX webhook_desactive');
    await app.database.query('DROP POLICY webhook_desactive ON webhook');
    const ended = await verify(await backup());
    expect([ended.code, faultsOf(ended)]).toEqual([0, []]);
    expect(checksOf(ended).checks[0]!.found).toMatch(/ starts, and takes Monitoring1764000055000$/);
    // A database that another tool has restored is left as it is.
    expect(faultsOf(await verify())).toEqual(['migrations: pending: 1764000055000-monitoring']);
    await server.migrate();
    expect(faultsOf(await verify())).toEqual([]);
  });

  it('takes the newest backup of a folder, and archives', async () => {
    const [older, newer] = ['2026-11-01', '2026-11-02'].map((day) => join(folder, day));
    mkdirSync(older!);
    writeFileSync(join(older!, 'PG_VERSION'), '17\n');
    utimesSync(older!, new Date('2026-11-01'), new Date('2026-11-01'));
    mkdirSync(newer!);
    execFileSync('tar', ['-cf', join(newer!, 'base.tar'), '-C', whole, '--exclude=./pg_wal/*', '.']);
    execFileSync('tar', ['-czf', join(newer!, 'pg_wal.tar.gz'), '-C', join(whole, 'pg_wal'), '.']);
    const ended = await verify(folder);
    expect([ended.code, checksOf(ended).checks[0]!.found]).toEqual([0, `${newer} starts`]);
    expect((await verify(older)).errors).toBe('The backup is of PostgreSQL 17, not 18.\n');
    // A newer dump is left aside.
    writeFileSync(join(folder, 'mandat.dump'), 'PGDMP');
    expect((await verify(folder)).code).toBe(0);
    const archive = join(folder, 'all.tar');
    execFileSync('tar', ['-cf', archive, '-C', whole, '.']);
    expect((await verify(archive)).code).toBe(0);
  });

  it('refuses what it cannot restore, and says why', async () => {
    expect((await verify(join(folder, 'absent'))).errors).toMatch(/absent does not exist\.\n$/);
    const [notes, empty] = ['notes.txt', 'empty'].map((name) => join(folder, name));
    writeFileSync(notes!, '');
    mkdirSync(empty!);
    for (const path of [notes, empty])
      expect((await verify(path)).errors).toMatch(/ is no base backup\. Restore a backup of another tool/);
    rmSync(join(await backup(), 'pg_wal'), { recursive: true });
    mkdirSync(join(made.at(-1)!, 'cluster/pg_wal'));
    expect((await verify(join(made.at(-1)!, 'cluster'))).errors).toMatch(
      /^The backup does not start: (FATAL|PANIC): /,
    );
    const { code, errors } = await command({}, 'sauvegarde');
    expect([code, errors]).toEqual([1, expect.stringContaining('sauvegarde --verifier')]);
  });

  /** The first lines of a file of pg_dump. */
  const plain = '--\n-- PostgreSQL database dump\n--\n\n';

  it.each<[what: string, name: string, content: string | Buffer, command: RegExp]>([
    ['the custom format', 'a.dump', 'PGDMP\u0001\u0010', / pg_restore .+"\$NEW_DATABASE" \S+a\.dump — /],
    ['the tar format', 'a.tar', 'toc.dat'.padEnd(1_024, '\0'), / pg_restore .+ \S+a\.tar — /],
    ['the directory format', 'a.dir/toc.dat', 'PGDMP', / pg_restore .+ \S+a\.dir — /],
    ['SQL', 'a.sql', plain, / psql .+ --file=\S+a\.sql — /],
    ['SQL with its session', 'b.sql', `\\restrict x\n\n${plain}`, / psql .+ --file=/],
    ['compressed SQL', 'a.sql.gz', gzipSync(plain), / gunzip --stdout \S+a\.sql\.gz \| psql /],
    [
      'pg_dumpall',
      'all.sql',
      plain.replace('database', 'database cluster'),
      / psql .+ --file=\S+all\.sql — /,
    ],
  ])('says how to restore a dump: %s', async (_what, name, content, found) => {
    const dumps = mkdtempSync(join(folder, 'dumps-'));
    const [path] = name.split('/');
    if (path !== name) mkdirSync(join(dumps, path!));
    writeFileSync(join(dumps, name), content);
    for (const given of [join(dumps, path!), dumps]) {
      const { code, output, errors } = await verify(given);
      expect([code, output, errors]).toEqual([1, '', expect.stringMatching(found)]);
      expect(errors).toMatch(/ is a dump, .+DATABASE_URL\.\n$/);
    }
  });

  it('reports another SECRETS_KEY', async () => {
    const ended = await verify(whole, { SECRETS_KEY: randomBytes(32).toString('base64') });
    expect(ended.code).toBe(1);
    expect(faultsOf(ended)).toEqual([expect.stringMatching(/^audit trails: .* does not bear its seal$/)]);
  });

  it.each<[what: string, change: string, fault: RegExp]>([
    [
      'an altered entry of a trail',
      `UPDATE journal SET action = 'x' WHERE numero = 1 AND tenant_id = $1`,
      /^audit trails: the trail .* entry 1 or its place is not what was written$/,
    ],
    [
      'a lost receipt',
      'DELETE FROM recu WHERE empreinte = (SELECT min(empreinte) FROM recu WHERE tenant_id = $1)',
      /^ballot boxes: of the campaign .* do not agree: recus$/,
    ],
    [
      'a changed ballot',
      `UPDATE bulletin SET reponses[1] = (1 - reponses[1]::int)::text
       WHERE id_unique = (SELECT min(id_unique::text)::uuid FROM bulletin WHERE tenant_id = $1 AND chiffre IS NULL)`,
      /^counts: of the campaign .* do not agree: depouillement$/,
    ],
    [
      'a changed first choice',
      `UPDATE bulletin SET reponses[2] = '2,1,0' WHERE reponses[2] LIKE '0%' AND tenant_id = $1`,
      /^counts: of the campaign .* do not agree: depouillement$/,
    ],
    [
      'a lost participation',
      'DELETE FROM participation WHERE tenant_id = $1 AND campagne_id = :plain',
      /^counts: of the campaign .* do not agree: participation$/,
    ],
    [
      'a changed sum of an encrypted vote',
      `UPDATE depouillement SET poids = poids + 1 WHERE tenant_id = $1 AND campagne_id = :encrypted AND reponse = '='`,
      /^counts: of the campaign .* do not agree: depouillement$/,
    ],
    [
      'a changed encrypted ballot',
      'UPDATE bulletin SET chiffre = votant WHERE tenant_id = $1 AND campagne_id = :encrypted AND poids = 1',
      /^ballot boxes: of the campaign .* do not agree: recus, reponses$/,
    ],
  ])('reports %s', async (_what, change, fault) => {
    const { tenantId } = votes.campaigns.tenant;
    const tables = ['journal', 'recu', 'bulletin', 'participation', 'depouillement'];
    const statement = change.replace(':plain', `'${vote.id}'`).replace(':encrypted', `'${encrypted}'`);
    await app.database.query(tables.map((name) => `CREATE TABLE kept_${name} AS TABLE ${name}`).join(';'));
    expect((await app.database.query(statement, [tenantId])).rowCount).toBeGreaterThan(0);
    expect(faultsOf(await verify())).toEqual([expect.stringMatching(fault)]);
    await app.database.query('SET session_replication_role = replica');
    for (const name of tables)
      await app.database.query(
        `DELETE FROM ${name}; INSERT INTO ${name} SELECT * FROM kept_${name}; DROP TABLE kept_${name}`,
      );
    await app.database.query('RESET session_replication_role');
    expect(faultsOf(await verify())).toEqual([]);
  });
});
