import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { Mortal } from '../http/mortal';
import { TestApp } from '../setup/test-app';
import { seeded } from '../setup/seeded';
import { until } from '../webhooks/support/receiver';
import { faultsOf, type Ledger } from '../messaging/support/judge';
import { MailServer } from '../messaging/support/mail-server';
import { addressOf, Post } from '../messaging/support/post';
import { WHOLE } from './support/effort';
import { report } from './support/report';

const WITHOUT_GATE = join(__dirname, '../messaging/support/without-gate.cjs');
const RECIPIENTS = WHOLE ? 3_000 : 500;
const KILLS = WHOLE ? 40 : 10;

let app: TestApp;
let server: MailServer;

beforeAll(async () => {
  app = await TestApp.start();
});
beforeEach(async () => {
  server = await MailServer.start();
});
afterEach(() => server.stop());
afterAll(() => app.stop());

/** Sends a letter while the worker that sends it is killed at random moments, and answers what is known in the end. */
async function trial(name: string, kills: number, more: Record<string, string> = {}): Promise<Ledger> {
  const seed = Number(process.env.KILLS_SEED ?? randomInt(2 ** 31));
  const random = seeded(seed);
  // Answers take their time, so that many are awaited when the worker dies.
  server.delayMs = () => random() * 60;
  const post = await Post.open(app);
  const ids = await post.employes(RECIPIENTS, name.replaceAll(' ', '-'));
  const { id } = await post.letter({ idExternes: ids });
  const worker = new Mortal('worker', {
    DATABASE_URL: app.config.databaseUrl,
    SECRETS_KEY: app.config.secretsKey.toString('base64'),
    SMTP_URL: `${server.url}?tls=off`,
    ...more,
  });
  let inDoubt = 0;
  while (worker.kills < kills) {
    await worker.url();
    const before = server.accepted.length;
    await until(
      'the worker sends again, or nobody is left',
      async () => server.accepted.length > before || (await post.etats(id)).enAttente === 0,
    );
    await sleep(random() * 150);
    await worker.kill();
    await worker.url();
    // Who is dead holds nothing: the time until that is noticed is not waited for.
    const { rowCount } = await app.database.query(
      `UPDATE courriel_destinataire SET echeance = now() WHERE courriel_id = $1 AND etat = 'EnCours' AND date < now() - interval '1 second'`,
      [id],
    );
    inDoubt += rowCount!;
    await app.database.query(
      `UPDATE courriel_destinataire SET echeance = now() WHERE courriel_id = $1 AND etat = 'EnAttente'`,
      [id],
    );
    await app.database.query(`UPDATE pgboss.job SET start_after = now() WHERE name = 'courriel'`);
  }
  const etats = await post.over(id, { hurry: true, timeoutMs: 150_000 });
  await worker.end();
  const rows = await post.destinataires(id);
  const ledger = {
    taken: server.counts(),
    etats: new Map(
      rows.map((row: { idExterne: string; etat: string }) => [addressOf(row.idExterne), row.etat]),
    ),
  };
  const lost = [...ledger.etats].filter(([to, etat]) => etat === 'Incertain' && !ledger.taken.has(to)).length;
  process.stderr.write(
    `${name}: KILLS_SEED=${seed}, ${kills} kills, ${RECIPIENTS} recipients, ${server.accepted.length} taken by the server, ` +
      `${server.begun - server.accepted.length} begun and not taken, ${JSON.stringify(etats)}, ${inDoubt} found in the ` +
      `hands of the dead, ${lost} in doubt and not taken; faults ${JSON.stringify(
        Object.fromEntries(Object.entries(faultsOf(ledger)).map(([what, who]) => [what, who.length])),
      )}\n`,
  );
  return ledger;
}

describe('The judge of letters', () => {
  const sound: Ledger = {
    taken: new Map([
      ['a', 1],
      ['b', 1],
    ]),
    etats: new Map([
      ['a', 'Envoye'],
      ['b', 'Incertain'],
      ['c', 'Incertain'],
      ['d', 'Refuse'],
      ['e', 'SansAdresse'],
    ]),
  };

  it('finds nothing where everybody was written to once, or is told to be in doubt', () => {
    expect(faultsOf(sound)).toEqual({});
  });

  it.each<[string, string, number, string]>([
    ['written to twice', 'a', 2, 'Envoye'],
    ['written to twice', 'b', 2, 'Incertain'],
    ['said to have it, and has not', 'c', 0, 'Envoye'],
    ['has it, and is said to have none', 'd', 1, 'Refuse'],
    ['left over', 'e', 0, 'EnCours'],
    ['left over', 'e', 0, 'EnAttente'],
  ])('finds who is %s', (what, who, count, etat) => {
    const ledger = {
      taken: new Map([...sound.taken, ...(count ? ([[who, count]] as const) : [])]),
      etats: new Map([...sound.etats, [who, etat]]),
    };
    expect(faultsOf(ledger)).toMatchObject({ [what]: [who] });
  });

  it('finds who was written to and is nobody’s recipient', () => {
    expect(faultsOf({ ...sound, taken: new Map([...sound.taken, ['x', 1]]) })).toEqual({
      'written to and nobody’s recipient': ['x'],
    });
  });
});

describe('Workers that are killed while they send', () => {
  jest.setTimeout(WHOLE ? 900_000 : 300_000);

  const FAULT = 'worker killed (SIGKILL) while it sends e-mail';

  it('write to nobody twice, and leave nobody out without saying so', async () => {
    const ledger = await trial('killed', KILLS);
    const faults = faultsOf(ledger);
    const inDoubt = [...ledger.etats.values()].filter((etat) => etat === 'Incertain').length;
    report(FAULT, {
      trials: `${KILLS} kills`,
      checked: `${RECIPIENTS} recipients`,
      losses: Object.values(faults).reduce((sum, who) => sum + who.length, 0),
      figures: `${inDoubt} are told as in doubt, and not written to again`,
    });
    expect(faults).toEqual({});
  });

  it('write to some twice where recipients are marked after the answer only: the judge sees it', async () => {
    const faults = faultsOf(
      await trial('without gate', KILLS, { NODE_OPTIONS: `--require ${WITHOUT_GATE}` }),
    );
    report(FAULT, {
      control: `recipients marked after the answer only: ${faults['written to twice']?.length ?? 0} written to twice`,
    });
    expect(faults['written to twice']).not.toBeUndefined();
  });
});
