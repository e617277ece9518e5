import { randomUUID } from 'node:crypto';
import { chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { baseBackup } from '../../libs/embedded-postgres/src';
import { Child } from '../http/child-process';
import { Mortal } from '../http/mortal';
import { times } from '../membership/synced';
import { Receiver, until } from '../webhooks/support/receiver';
import { type Answer, Fleet, type FleetSpace } from './support/fleet';
import { OwnPostgres } from './support/own-postgres';
import { report } from './support/report';
import { serviceUrlOf } from './support/standby';
import { type OpenVote, openVote } from './support/steady';

const FAULT = 'A bad sync, and the database restored to the second before it (base backup and log archive)';
const EMPLOYES = 500;
const VOTERS = 40;
/** Ballots before the restored moment, and after it. */
const [VOTED, LOST_VOTES] = [10, 5];

const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Data from before the restored moment T and from after it. */
interface Story {
  readonly space: FleetSpace;
  readonly secret: string;
  readonly vote: OpenVote;
  readonly moment: string;
  readonly votedBefore: readonly string[];
  readonly receiptAfter: string;
  /** Events: due at T and delivered after it; of a card after T. */
  readonly pending: string;
  readonly later: string;
  readonly email: string;
  readonly revoked: string;
  readonly revokedId: string;
  readonly createdAfter: string;
  readonly erased: string;
  readonly keyed: Answer;
  /** Lines of `verifier-journal`: at T, and at the end. */
  readonly linesAtT: string;
  readonly linesAfter: string;
}

let fleet: Fleet;
let receiver: Receiver;
let story: Story;
let restored: OwnPostgres;
let restoreMs: number | undefined;
/** The API and the worker on the restored database. */
let after: Fleet;

const sign = (to: Fleet, space: FleetSpace, id: number, headers = {}): Promise<Answer> =>
  to.apis[0]!.url().then((url) =>
    to.send(url, space.platform, 'POST', '/plateforme/v1/adhesions', signing(id), headers),
  );
const signing = (id: number): object => ({
  ...{ employeIdExterne: `E-${id}`, syndicatIdExterne: 'S-1', prenom: 'Zoé', nom: 'Bon' },
  courriel: 'zoe@example.org',
});
const ballotOf = (vote: OpenVote, voter: string): object => ({
  VotantId: voter,
  Reponses: [{ QuestionId: vote.questionId, Options: [vote.options[0]] }],
});
const employes = (nom: string): object => ({
  Employes: times(EMPLOYES, (n) => ({
    ...{ IdExterne: `E-${n}`, Prenom: 'Zoé', Nom: nom },
    Courriel: `e${n}@example.org`,
  })),
});
const deliveriesOf = (card: string): string[] =>
  receiver.received
    .filter(({ body }) => body.includes(card))
    .map(({ headers }) => String(headers['webhook-id']));

async function cli(
  url: string,
  ...args: string[]
): Promise<{ code: unknown; output: string; errors: string }> {
  const child = await Child.spawn('cli', { ...fleet.env, DATABASE_URL: url }, args);
  return { code: await child.exited, output: child.output, errors: child.errors };
}

function fileOf(text: string): string {
  const file = join(tmpdir(), `mandat-recovery-${randomUUID()}`);
  writeFileSync(file, text);
  ends.push(() => rmSync(file));
  return file;
}

/** Base backup, a good state, the moment T, and everything that a restore to T takes back. */
async function happen(postgres: OwnPostgres): Promise<{ story: Story; copy: string }> {
  const url = await fleet.apis[0]!.url();
  const space = await fleet.space();
  const partner = fleet.asker(() => url, space.partner);
  const platform = fleet.asker(() => url, space.platform);
  const admin = fleet.asker(() => url, fleet.adminKey);
  const client = `/admin/v1/clients/${space.clientId}`;
  await admin('PUT', client, { courrielsEssai: ['example.org'] });
  await partner('POST', '/b2b/v2/sync', { Syndicats: [{ IdentifiantExterne: 'S-1', Nom: 'Syndicat' }] });
  const hook = { url: receiver.url, types: ['adhesion.signee'] };
  const { secret } = await partner('POST', '/b2b/v2/webhook', hook);
  const vote = await openVote(partner, VOTERS);
  const copy = await baseBackup(postgres, 'recovery.signal');

  // After the backup, from the archive only.
  await partner('POST', '/b2b/v2/sync', employes('Bon'));
  const path = `/plateforme/v1/campagnes/${vote.id}/bulletins`;
  const votedBefore = vote.voters.splice(0, VOTED);
  for (const voter of votedBefore) await platform('POST', path, ballotOf(vote, voter));
  const extra = await admin('POST', `${client}/cles`, cleOf('Révoquée'));
  // No worker runs yet: the delivery and the email wait.
  const pending = (await sign(fleet, space, 1)).json.idUniqueAdhesion as string;
  const message = { sujet: 'Avis', corpsHtml: '<p>Avis</p>', destinataires: { idExternes: ['E-2', 'E-3'] } };
  const email = (await partner('POST', '/b2b/v2/courriel', message)).id as string;
  const linesAtT = (await cli(serviceUrlOf(postgres.url), 'verifier-journal')).output;

  const [{ moment }] = (await postgres.query<{ moment: Date }>('SELECT clock_timestamp() AS moment')) as [
    { moment: Date },
  ];
  await sleep(1_000);

  // After T.
  await partner('POST', '/b2b/v2/sync', employes('MAUVAIS'));
  const worker = new Mortal('worker', fleet.env);
  ends.push(() => worker.end().catch(() => undefined));
  const keyed = await sign(fleet, space, 4, { 'idempotency-key': 'apres-T' });
  const later = keyed.json.idUniqueAdhesion as string;
  const receipts: string[] = [];
  for (const voter of vote.voters.slice(0, LOST_VOTES))
    receipts.push((await platform('POST', path, ballotOf(vote, voter))).Recu as string);
  await admin('DELETE', `${client}/cles/${extra.id}`);
  const createdAfter = (await admin('POST', `${client}/cles`, cleOf('Nouvelle'))).cle as string;
  await admin('DELETE', `${client}/environnements/staging/employes/E-9`);
  await until('the cards are delivered', () =>
    [pending, later].every((card) => deliveriesOf(card).length > 0),
  );
  await until('the email is sent', async () =>
    (await statesOf(postgres, email)).every((one) => one === 'Envoye'),
  );
  const linesAfter = (await cli(serviceUrlOf(postgres.url), 'verifier-journal')).output;
  await worker.end();
  return {
    copy,
    story: {
      ...{
        space,
        secret,
        vote,
        votedBefore,
        pending,
        later,
        email,
        createdAfter,
        keyed,
        linesAtT,
        linesAfter,
      },
      moment: moment.toISOString(),
      receiptAfter: receipts[0]!,
      revoked: extra.cle,
      revokedId: extra.id,
      erased: 'E-9',
    },
  };
}

const cleOf = (nom: string): object => ({ nom, environnement: 'staging', role: 'partenaire' });

async function statesOf(postgres: OwnPostgres, email: string): Promise<string[]> {
  const text = 'SELECT etat FROM courriel_destinataire WHERE courriel_id = $1';
  return (await postgres.query<{ etat: string }>(text, [email])).map(({ etat }) => etat);
}

async function countOf(text: string, ...values: unknown[]): Promise<number> {
  return (await restored.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${text}`, values))[0]!
    .count;
}

const asked = async (key: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  after.send(await after.apis[0]!.url(), key, method, path, body);

beforeAll(async () => {
  const archive = mkdtempSync(join(tmpdir(), 'mandat-archive-'));
  ends.push(() => rmSync(archive, { recursive: true, force: true }));
  const postgres = await OwnPostgres.start({
    archive_mode: 'on',
    archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`,
  });
  ends.push(() => postgres.stop());
  const { uid, gid } = statSync(join(postgres.dataDir, 'cluster'));
  chownSync(archive, uid, gid);
  receiver = await Receiver.start();
  ends.push(() => receiver.stop());
  fleet = await Fleet.start(serviceUrlOf(postgres.url));
  const happened = await happen(postgres);
  story = happened.story;
  await fleet.stop();

  const [last] = await postgres.query<{ file: string }>('SELECT pg_walfile_name(pg_switch_wal()) AS file');
  await until('the log is archived', async () => {
    const [row] = await postgres.query<{ file: string }>(
      'SELECT last_archived_wal AS file FROM pg_stat_archiver',
    );
    return row!.file >= last!.file;
  });
  await postgres.kill();
  const begun = performance.now();
  restored = await OwnPostgres.on(happened.copy, {
    restore_command: `cp ${archive}/%f %p`,
    // PostgreSQL reads no Z here.
    recovery_target_time: story.moment.replace('Z', '+00'),
    recovery_target_action: 'promote',
  });
  ends.push(() => restored.stop());
  await until('the log is replayed', async () => {
    const [row] = await restored.query<{ isReplaying: boolean }>(
      'SELECT pg_is_in_recovery() AS "isReplaying"',
    );
    return !row!.isReplaying;
  });
  restoreMs = performance.now() - begun;
}, 240_000);

/** The checks of the table in docs/operations.md, before `apres-restauration` runs and after it, when processes run again. */
const ROWS: Record<string, { before?: () => Promise<void>; then?: () => Promise<void> }> = {
  'partners’ writes': {
    before: async () => {
      expect(await countOf(`employe WHERE nom = 'Bon'`)).toBe(EMPLOYES);
      expect(await countOf(`employe WHERE nom = 'MAUVAIS'`)).toBe(0);
    },
    then: async () => {
      // A full sync restores what came after T.
      const answer = await asked(story.space.partner, 'POST', '/b2b/v2/sync', employes('Encore'));
      expect(answer.status).toBe(200);
      expect(await countOf(`employe WHERE nom = 'Encore'`)).toBe(EMPLOYES);
    },
  },
  'Idempotency-Key': {
    then: async () => {
      const again = await sign(after, story.space, 4, { 'idempotency-key': 'apres-T' });
      expect([again.status, again.headers['idempotent-replayed']]).toEqual([201, undefined]);
      expect(again.json.idUniqueAdhesion).not.toBe(story.later);
    },
  },
  webhooks: {
    before: async () => {
      expect(await countOf('adhesion WHERE id_unique = $1', story.pending)).toBe(1);
      expect(await countOf('adhesion WHERE id_unique = $1', story.later)).toBe(0);
    },
    then: async () => {
      await until('the card is delivered again', () => deliveriesOf(story.pending).length > 1);
      expect(new Set(deliveriesOf(story.pending)).size).toBe(1);
      expect(deliveriesOf(story.later)).toHaveLength(1);
    },
  },
  emails: {
    // Without the command, a worker would send them again.
    before: async () => expect(await statesOf(restored, story.email)).toEqual(['EnAttente', 'EnAttente']),
    then: async () => {
      await sleep(2_000);
      expect(await statesOf(restored, story.email)).toEqual(['Incertain', 'Incertain']);
    },
  },
  keys: {
    before: async () =>
      expect(await countOf('cle WHERE id = $1 AND revoque_le IS NULL', story.revokedId)).toBe(1),
    then: async () => {
      expect((await asked(story.revoked, 'GET', '/b2b/v1/moi')).status).toBe(401);
      expect((await asked(story.createdAfter, 'GET', '/b2b/v1/moi')).status).toBe(401);
      expect((await asked(story.space.partner, 'GET', '/b2b/v1/moi')).status).toBe(200);
    },
  },
  'erased persons': {
    before: async () => expect(await countOf('employe WHERE id_externe = $1', story.erased)).toBe(1),
    then: async () => {
      const path = `/admin/v1/clients/${story.space.clientId}/environnements/staging/employes/${story.erased}`;
      expect((await asked(fleet.adminKey, 'GET', path)).status).toBe(404);
    },
  },
  votes: {
    before: async () => expect(await countOf('votant WHERE a_vote')).toBe(VOTED),
    then: async () => {
      const path = `/plateforme/v1/campagnes/${story.vote.id}`;
      const { platform } = story.space;
      expect((await asked(platform, 'GET', `${path}/recus/${story.receiptAfter}`)).status).toBe(404);
      const vote = (voter: string): Promise<Answer> =>
        asked(platform, 'POST', `${path}/bulletins`, ballotOf(story.vote, voter));
      expect((await vote(story.votedBefore[0]!)).status).toBe(409);
      expect((await vote(story.vote.voters[0]!)).status).toBe(201);
    },
  },
  'audit trail': {
    before: async () => {
      const url = serviceUrlOf(restored.url);
      const [atT, atTheEnd] = [fileOf(story.linesAtT), fileOf(story.linesAfter)];
      expect(await cli(url, 'verifier-journal', atT)).toMatchObject({ code: 0 });
      const put = await cli(url, 'verifier-journal', atTheEnd);
      expect(put.code).toBe(1);
      expect(put.output).toMatch(/the chain once reached entry \d+ and now ends at \d+/);
    },
    then: async () => {
      expect(await countOf(`journal WHERE action = 'journal.restaurer'`)).toBe(2);
      expect(await cli(serviceUrlOf(restored.url), 'verifier-journal')).toMatchObject({ code: 0 });
    },
  },
  secrets: {
    then: async () => {
      // The second delivery has the signature of a secret that only this key decrypts.
      await until('the card is delivered again', () => deliveriesOf(story.pending).length > 1);
      const again = receiver.received.filter(({ body }) => body.includes(story.pending)).at(-1)!;
      new Webhook(story.secret).verify(again.body, again.headers as Record<string, string>);
      const other = Buffer.alloc(32, 1).toString('base64');
      const child = await Child.spawn(
        'cli',
        { ...fleet.env, SECRETS_KEY: other, DATABASE_URL: serviceUrlOf(restored.url) },
        ['verifier-journal'],
      );
      expect(await child.exited).toBe(1);
    },
  },
  limits: { before: async () => expect(await countOf('rate_window')).toBe(0) },
};

it('docs/operations.md has a row for each of these checks, and each row has one', () => {
  const guide = readFileSync(join(__dirname, '../../docs/operations.md'), 'utf8');
  const table = /^\*\*Effects of restoring[^|]*((?:\|[^\n]*\n)+)/m.exec(guide)![1]!;
  const rows = table.split('\n').slice(2).filter(Boolean);
  const names = rows.map((row) => row.split('|')[1]!.trim().replace("'", '’'));
  expect(Object.keys(ROWS)).toEqual(names);
});

describe('before a process starts on the restored database', () => {
  it.each(Object.entries(ROWS).filter(([, { before }]) => before))(
    '%s are as of T',
    async (_name, { before }) => before!(),
  );

  it('apres-restauration does what the table asks', async () => {
    const { clientId: client } = story.space;
    const noted = [
      { revoquer: { client, cle: story.revokedId } },
      { effacer: { client, environnement: 'staging', idExterne: story.erased } },
    ];
    const file = fileOf(noted.map((one) => JSON.stringify(one)).join('\n'));
    const { code, output, errors } = await cli(
      serviceUrlOf(restored.url),
      ...['apres-restauration', story.moment, file],
    );
    expect([code, errors]).toEqual([0, '']);
    const lines = output
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([
      { todo: 'inform', client, moment: story.moment },
      { done: 'email', courriel: story.email, destinataires: 2 },
      { todo: 'vote', campagne: story.vote.id, votes: VOTED },
      { done: 'trail' },
      { done: 'trail' },
      { done: noted[0] },
      { done: noted[1] },
    ]);
  }, 60_000);
});

describe('after apres-restauration', () => {
  beforeAll(async () => {
    const { SECRETS_KEY, ADMIN_API_KEY } = fleet.env as Record<'SECRETS_KEY' | 'ADMIN_API_KEY', string>;
    const secrets = { SECRETS_KEY, ADMIN_API_KEY };
    after = await Fleet.start(serviceUrlOf(restored.url), { workers: 1, env: secrets });
    ends.push(() => after.stop());
  }, 60_000);

  it.each(
    Object.entries(ROWS)
      .filter(([, { then }]) => then)
      // Writes of one check must not change what another one reads.
      .sort(([one], [other]) => Number(one === 'partners’ writes') - Number(other === 'partners’ writes')),
  )('%s need nothing more', async (_name, { then }) => then!(), 60_000);

  afterAll(() => {
    report(FAULT, {
      trials: '1 restore',
      checked: `${Object.keys(ROWS).length} rows of the table in docs/operations.md, ${EMPLOYES} employees, ${VOTED} votes`,
      figures: `restored and replayed in ${restoreMs?.toFixed(0)} ms; ${LOST_VOTES} votes and one card after the moment are lost, as the table says`,
      control:
        'before apres-restauration, two emails would be sent again, the revoked key is valid and the erased person is stored',
    });
  });
});
