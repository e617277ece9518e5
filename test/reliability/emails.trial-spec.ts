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
  app = await TestApp.own('a worker runs');
});
beforeEach(async () => {
  server = await MailServer.start();
});
afterEach(() => server.stop());
afterAll(() => app.stop());

/** Sends an email while its worker is killed at random moments, and returns the final counts. */
async function trial(name: string, kills: number, more: Record<string, string> = {}): Promise<Ledger> {
  const seed = Number(process.env.KILLS_SEED ?? randomInt(2 ** 31));
  const random = seeded(seed);
  // Responses are delayed, because the worker must die while it waits for many.
  server.delayMs = () => random() * 60;
  const post = await Post.open(app);
  const ids = await post.employes(RECIPIENTS, name.replaceAll(' ', '-'));
  const { id } = await post.email({ idExternes: ids });
  const worker = new Mortal('worker', {
    DATABASE_URL: app.config.databaseUrl,
    SECRETS_KEY: app.config.secretsKey.text(),
    SMTP_URL: `${server.url}?tls=off`,
    ...more,
  });
  let inDoubt = 0;
  while (worker.kills < kills) {
    await worker.url();
    const before = server.accepted.length;
    await until(
      'the worker sends again, or no recipient is left',
      async () => server.accepted.length > before || (await post.etats(id)).enAttente === 0,
    );
    await sleep(random() * 150);
    await worker.kill();
    await worker.url();
    // A dead worker holds no recipients: skips the time until its lease ends.
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
    `${name}: KILLS_SEED=${seed}, ${kills} kills, ${RECIPIENTS} recipients, ${server.accepted.length} accepted by the server, ` +
      `${server.begun - server.accepted.length} begun and not accepted, ${JSON.stringify(etats)}, ${inDoubt} leased by ` +
      `killed workers, ${lost} in doubt and not accepted; faults ${JSON.stringify(
        Object.fromEntries(Object.entries(faultsOf(ledger)).map(([what, who]) => [what, who.length])),
      )}\n`,
  );
  return ledger;
}

describe('The check of recipients', () => {
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

  it('reports no fault if each recipient got one email or is in doubt', () => {
    expect(faultsOf(sound)).toEqual({});
  });

  it.each<[string, string, number, string]>([
    ['emailed twice', 'a', 2, 'Envoye'],
    ['emailed twice', 'b', 2, 'Incertain'],
    ['reported sent, not accepted', 'c', 0, 'Envoye'],
    ['accepted, reported unsent', 'd', 1, 'Refuse'],
    ['unfinished', 'e', 0, 'EnCours'],
    ['unfinished', 'e', 0, 'EnAttente'],
  ])('reports a recipient: %s', (what, who, count, etat) => {
    const ledger = {
      taken: new Map([...sound.taken, ...(count ? ([[who, count]] as const) : [])]),
      etats: new Map([...sound.etats, [who, etat]]),
    };
    expect(faultsOf(ledger)).toMatchObject({ [what]: [who] });
  });

  it('reports an address that is not a recipient', () => {
    expect(faultsOf({ ...sound, taken: new Map([...sound.taken, ['x', 1]]) })).toEqual({
      'emailed, not a recipient': ['x'],
    });
  });
});

describe('Workers killed while they send', () => {
  jest.setTimeout(WHOLE ? 900_000 : 300_000);

  const FAULT = 'worker killed (SIGKILL) while it sends e-mail';

  it('send no email twice, and report every recipient in doubt', async () => {
    const ledger = await trial('killed', KILLS);
    const faults = faultsOf(ledger);
    const inDoubt = [...ledger.etats.values()].filter((etat) => etat === 'Incertain').length;
    report(FAULT, {
      trials: `${KILLS} kills`,
      checked: `${RECIPIENTS} recipients`,
      losses: Object.values(faults).reduce((sum, who) => sum + who.length, 0),
      figures: `${inDoubt} in doubt, and not emailed again`,
    });
    expect(faults).toEqual({});
  });

  it('negative control: marking recipients only after the response sends some emails twice', async () => {
    const faults = faultsOf(
      await trial('without gate', KILLS, { NODE_OPTIONS: `--require ${WITHOUT_GATE}` }),
    );
    report(FAULT, {
      control: `recipients marked only after the response: ${faults['emailed twice']?.length ?? 0} emailed twice`,
    });
    expect(faults['emailed twice']).not.toBeUndefined();
  });
});
