import type { INestApplication } from '@nestjs/common';
import { verifyWebhook } from '@mandat/client';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { PurgeService } from '../../apps/worker/src/purge.service';
import { Config } from '../../libs/platform/src/ops/config';
import { CertificationRunner } from '../../libs/webhooks/src';
import { SCENARIOS } from '../../libs/webhooks/src/domain/certification.types';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { GUID, INSTANT, times } from '../membership/synced';
import { perTest } from '../setup/fixtures';
import { Desk } from '../command-line/support/mandat';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import {
  certification,
  certify,
  closeWorkers,
  namesOf,
  PartnerReceiver,
  prove,
  SLOW_MS,
  verdict,
} from './support/certified';
import { Receiver, until } from './support/receiver';
import { type Endpoint, PATH, Space } from './support/space';

/** Requests of a certification that is not interrupted. */
const REQUESTS = 27;

let app: TestApp;
let receiver: Receiver;
const space = perTest(() => Space.open(app));
const workers: INestApplication[] = [];
let path: string;
let paths = 0;

beforeAll(async () => {
  app = await TestApp.own('a worker runs');
  receiver = await Receiver.start();
});
beforeEach(() => {
  path = `/${++paths}`;
});
afterEach(() => closeWorkers(workers));
afterAll(async () => {
  await receiver.stop();
  await app.stop();
});

async function work(config = app.config): Promise<INestApplication> {
  const worker = await startWorker(config, { roundMs: 100 });
  worker.get(CertificationRunner).slowMs = SLOW_MS;
  workers.push(worker);
  return worker;
}

const endpoint = (body: object = {}): Promise<Endpoint> =>
  space.endpoint({ url: receiver.url + path, ...body });

/** Certifies an endpoint, and sends what its receiver has processed. */
async function certified(made: Endpoint, partner: Pick<PartnerReceiver, 'traites'>) {
  expect((await certify(space, made)).status).toBe(202);
  const { id } = await verdict(space, made);
  const { status, json } = await prove(space, made, id, partner.traites);
  expect(status).toBe(200);
  return json;
}

describe('A certification', () => {
  it('a receiver without a fault passes every scenario and both levels', async () => {
    const made = await endpoint();
    const partner = PartnerReceiver.at(receiver, path, made.secret);
    const begun = await certify(space, made);
    expect([begun.status, begun.headers.get('location')]).toEqual([202, `${PATH}/${made.id}/certification`]);
    expect(begun.json).toMatchObject({
      ...{ id: expect.stringMatching(GUID), verdict: null, raison: null, dateFin: null },
      niveaux: { transport: null, traitement: null },
    });
    expect(namesOf(begun.json, null)).toEqual([...SCENARIOS]);
    expect(await certification(space, made)).toEqual(begun.json);

    await work();
    const done = await verdict(space, made);
    expect(namesOf(done, 'Reussi')).toEqual([...SCENARIOS]);
    expect(done).toMatchObject({ verdict: 'Reussi', dateFin: expect.stringMatching(INSTANT), raison: null });
    expect(done.niveaux).toEqual({ transport: 'Reussi', traitement: null });
    expect(receiver.of(path)).toHaveLength(REQUESTS);

    const proved = await prove(space, made, done.id, partner.traites);
    expect(proved.json.niveaux).toEqual({ transport: 'Reussi', traitement: 'Reussi' });
    expect([proved.json.verdict, namesOf(proved.json, 'Reussi')]).toEqual(['Reussi', [...SCENARIOS]]);
    expect(await certification(space, made)).toEqual(proved.json);
    expect(proved.json.scenarios.every((one: { conseil: unknown }) => one.conseil === null)).toBe(true);
  });

  it('is neither in the log of deliveries nor in the feed, and disables no endpoint', async () => {
    const made = await endpoint();
    receiver.behaviours.set(path, (_received, response) => void response.writeHead(410).end());
    const events = await space.eventIds();
    await work();
    await certify(space, made);
    expect((await verdict(space, made)).niveaux.transport).toBe('Echoue');
    expect([await space.log(made.id), await space.eventIds()]).toEqual([[], events]);
    expect((await space.send('GET', `${PATH}/${made.id}`)).json.actif).toBe(true);
  });

  it.each(SCENARIOS)('a receiver with one fault fails exactly its scenario: %s', async (fault) => {
    const made = await endpoint();
    const partner = PartnerReceiver.at(receiver, path, made.secret, fault);
    await work();
    const done = await certified(made, partner);
    expect(namesOf(done, 'Echoue')).toEqual([fault]);
    expect(namesOf(done, 'Reussi')).toEqual(SCENARIOS.filter((nom) => nom !== fault));
    const { conseil, observe } = done.scenarios.find(({ nom }: { nom: string }) => nom === fault);
    expect([done.verdict, conseil, observe]).toEqual(['Echoue', expect.any(String), expect.any(String)]);
  });

  it('a receiver that verifies nothing fails all scenarios that it should reject', async () => {
    const made = await endpoint();
    const traites: string[] = [];
    const seen = new Set<string>();
    receiver.behaviours.set(path, ({ headers, body }, response) => {
      const id = String(headers['webhook-id']);
      if (!seen.has(id)) traites.push(JSON.parse(body).data.defi);
      seen.add(id);
      response.writeHead(204).end();
    });
    await work();
    const done = await certified(made, { traites });
    expect(namesOf(done, 'Echoue')).toEqual([
      ...['corpsAltere', 'horodatagePasse', 'horodatageFutur', 'mauvaisSecret', 'enTeteManquant'],
    ]);
    const altered = done.scenarios.find(({ nom }: { nom: string }) => nom === 'corpsAltere');
    expect(altered.observe).toMatch(/^HTTP 204 after \d+ ms; processed$/);
  });

  it('an endpoint with a key pair passes with the client package, also during a rotation', async () => {
    const { clePublique: old, id } = (await endpoint({ signature: 'v1a' })) as Endpoint & {
      clePublique: string;
    };
    const { json } = await space.send('POST', `${PATH}/${id}/secret/rotation`);
    const traites: string[] = [];
    const seen = new Set<string>();
    receiver.behaviours.set(path, ({ headers, body }, response) => {
      try {
        for (const key of [old, json.clePublique]) verifyWebhook(headers, body, key);
        const event = verifyWebhook(headers, body, old);
        if (!seen.has(event.id)) traites.push((event.data as { defi: string }).defi);
        seen.add(event.id);
        response.writeHead(204).end();
      } catch {
        response.writeHead(401).end();
      }
    });
    await work();
    const done = await certified({ id, secret: '' }, { traites });
    expect([done.verdict, done.niveaux]).toEqual(['Reussi', { transport: 'Reussi', traitement: 'Reussi' }]);
  });

  it('the example receiver passes', async () => {
    const free = await Receiver.start();
    const port = Number(new URL(free.url).port);
    await free.stop();
    const made = await endpoint({ url: `http://127.0.0.1:${port}/` });
    const example = spawn(
      process.execPath,
      [join(__dirname, '../../dist/examples/receiver.js'), made.secret],
      {
        env: { ...process.env, RECEIVER_PORT: String(port) },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    try {
      await Promise.race([
        once(example.stdout, 'data'),
        once(example, 'exit').then(() => Promise.reject(new Error('exit'))),
      ]);
      await work();
      await certify(space, made);
      const done = await verdict(space, made);
      expect([namesOf(done, 'Echoue'), done.verdict]).toEqual([[], 'Reussi']);
    } finally {
      example.kill();
      await once(example, 'exit');
    }
  });
});

describe('A certification ends early', () => {
  it('when nothing answers: one request', async () => {
    const made = await endpoint();
    receiver.behaviours.set(path, (_received, _response, socket) => void socket.destroy());
    await work();
    await certify(space, made);
    const done = await verdict(space, made);
    expect([done.verdict, done.niveaux.transport]).toEqual(['Echoue', 'Echoue']);
    expect(done.raison).toMatch(/^The endpoint does not answer/);
    expect([namesOf(done, 'Echoue'), namesOf(done, null).length]).toEqual([['valide'], 12]);
    expect(receiver.of(path)).toHaveLength(1);
  });

  it('at an address that deliveries may not reach, without a request', async () => {
    const made = await endpoint();
    await work(new Config({ ...app.config, webhookAllowInsecure: false }));
    await certify(space, made);
    const done = await verdict(space, made);
    expect(done.scenarios[0]!.observe).toBe('Not sent: the address must begin with https://.');
    expect(receiver.of(path)).toEqual([]);
    // The control: the same endpoint gets requests where insecure addresses are allowed.
    await closeWorkers(workers);
    await work();
    await certify(space, made);
    await verdict(space, made);
    expect(receiver.of(path).length).toBeGreaterThan(1);
  });

  it.each<[string, string, RegExp]>([
    ['the endpoint was deleted', 'DELETE FROM webhook WHERE tenant_id = $1', /was deleted/],
    ['the endpoint is not active', 'UPDATE webhook SET actif = false WHERE tenant_id = $1', /not active/],
    [
      'it did not end within an hour',
      `UPDATE certification SET date_creation = now() - interval '61 minutes' WHERE tenant_id = $1`,
      /within an hour/,
    ],
    [
      'its requests are used up',
      'UPDATE certification SET requetes = 60 WHERE tenant_id = $1',
      /no requests left/,
    ],
  ])('once %s', async (_what, sql, raison) => {
    const made = await endpoint();
    await certify(space, made);
    await space.rows(sql);
    await work();
    const ended = async () =>
      (
        await space.rows<{ raison: string | null }>(
          'SELECT raison FROM certification WHERE tenant_id = $1 AND date_fin IS NOT NULL',
        )
      )[0];
    await until('it has ended', async () => !!(await ended()));
    expect((await ended())!.raison).toMatch(raison);
    expect(receiver.of(path)).toEqual([]);
  });
});

describe('A certification is of the endpoint at its beginning', () => {
  /** Begins a certification, and changes the endpoint while the second scenario waits for its answer. */
  async function changedMeanwhile(made: Endpoint, change: () => Promise<{ status: number }>) {
    const partner = new PartnerReceiver(made.secret);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    receiver.behaviours.set(path, (received, response) => {
      const turn = receiver.of(path).length === 2 ? held : Promise.resolve();
      void turn.then(() => partner['take'](received, response));
    });
    await certify(space, made);
    await work();
    await until('the second scenario is sent', () => receiver.of(path).length === 2);
    expect((await change()).status).toBe(200);
    const changed = await certification(space, made);
    return { changed, release };
  }

  it('another address ends it, and the new address gets no request of it', async () => {
    const made = await endpoint();
    const other = `/${++paths}`;
    const change = () => space.replace(made, { url: receiver.url + other });
    const { changed, release } = await changedMeanwhile(made, change);
    expect([changed.verdict, changed.raison]).toEqual([
      'Echoue',
      expect.stringMatching(/^The address of the endpoint was changed\./),
    ]);
    expect(namesOf(changed, 'Reussi')).toEqual(['valide']);
    PartnerReceiver.at(receiver, other, made.secret);
    expect((await certify(space, made)).status).toBe(202);
    release();
    const next = await verdict(space, made);
    expect([next.verdict, namesOf(next, 'Reussi').length]).toEqual(['Reussi', 13]);
    expect(receiver.of(other)).toHaveLength(REQUESTS);
    const ids = receiver.of(other).map(({ body }) => JSON.parse(body).data.certificationId);
    expect(new Set(ids)).toEqual(new Set([next.id]));
    const ended = await space.rows<{ raison: string; observations: object[] }>(
      'SELECT raison, observations FROM certification WHERE tenant_id = $1 AND id_unique = $2',
      changed.id,
    );
    expect(ended).toEqual([{ raison: changed.raison, observations: [expect.anything()] }]);
  });

  it('another key ends it', async () => {
    const made = await endpoint();
    const rotate = () => space.send('POST', `${PATH}/${made.id}/secret/rotation`);
    const { changed, release } = await changedMeanwhile(made, rotate);
    expect([changed.verdict, changed.raison]).toEqual([
      'Echoue',
      expect.stringMatching(/^The key of the endpoint was changed\./),
    ]);
    release();
    expect((await certify(space, made)).status).toBe(202);
  });

  it('other types or another description do not', async () => {
    const made = await endpoint();
    const { changed, release } = await changedMeanwhile(made, () =>
      space.replace(made, {
        ...{ url: receiver.url + path, description: 'Paie' },
        types: ['adhesion.signee'],
      }),
    );
    expect([changed.verdict, changed.raison]).toEqual([null, null]);
    release();
    const done = await verdict(space, made);
    expect([done.verdict, namesOf(done, 'Reussi').length]).toEqual(['Reussi', 13]);
    expect(receiver.of(path)).toHaveLength(REQUESTS);
  });
});

describe('A process that dies or stops', () => {
  const left = (id: string, deaths: number) =>
    app.database.query(
      `INSERT INTO travail_en_cours (espace, travail, id, processus, jusqua, morts)
       VALUES ($1, 'certification', $2, 'dead', now() - interval '1 minute', $3)`,
      [space.tenantId, id, deaths],
    );

  it('leaves a certification that another one goes on with, at the scenario without a result', async () => {
    const made = await endpoint();
    const partner = PartnerReceiver.at(receiver, path, made.secret);
    const { json } = await certify(space, made);
    const observation = { nom: 'valide', reussi: true, observe: 'HTTP 204 after 1 ms' };
    await space.rows(
      'UPDATE certification SET requetes = 1, observations = $2 WHERE tenant_id = $1',
      JSON.stringify([observation]),
    );
    await left(json.id, 0);
    await work();
    const done = await verdict(space, made);
    expect([done.verdict, namesOf(done, 'Reussi').length]).toEqual(['Reussi', 13]);
    expect(receiver.of(path)).toHaveLength(REQUESTS - 1);
    // The first event was not sent to this receiver.
    const proved = await prove(space, made, done.id, partner.traites);
    expect(namesOf(proved.json, 'Echoue')).toEqual(['valide']);
  });

  it('twice ends it as failed', async () => {
    const made = await endpoint();
    const { json } = await certify(space, made);
    await left(json.id, 1);
    await work();
    const done = await verdict(space, made);
    expect([done.verdict, done.raison]).toEqual(['Echoue', expect.stringMatching(/interrupted twice/)]);
    expect(receiver.of(path)).toEqual([]);
    expect((await certify(space, made)).status).toBe(202);
  });

  it('in the middle of a scenario: another one repeats it, and no more than 60 requests are sent', async () => {
    const made = await endpoint();
    let isHeld = true;
    const partner = new PartnerReceiver(made.secret);
    receiver.behaviours.set(path, (received, response) => {
      // The second scenario hangs.
      if (isHeld && receiver.of(path).length > 1) return;
      void partner['take'](received, response);
    });
    await certify(space, made);
    const first = await work();
    await until('the second scenario is sent', () => receiver.of(path).length === 2);
    await Promise.all([first.close(), closeWorkers(workers)]);
    expect((await certification(space, made)).scenarios[1]!.resultat).toBeNull();
    isHeld = false;
    await work();
    const done = await verdict(space, made);
    expect([done.verdict, namesOf(done, 'Reussi').length]).toEqual(['Reussi', 13]);
    const [row] = await space.rows<{ requetes: number }>(
      'SELECT requetes FROM certification WHERE tenant_id = $1',
    );
    expect(row!.requetes).toBe(REQUESTS + 2);
    expect(receiver.of(path)).toHaveLength(REQUESTS + 1);
    expect((await prove(space, made, done.id, partner.traites)).json.verdict).toBe('Reussi');
  });
});

describe('POST /b2b/v2/webhook/:id/certification', () => {
  it('409 Webhook.CertificationEnCours while one runs; of ten at once one is made', async () => {
    const [made, other] = [await endpoint(), await endpoint()];
    const answers = await Promise.all(times(10, () => certify(space, made)));
    const refused = answers.filter(({ status }) => status !== 202);
    expect(refused).toHaveLength(9);
    for (const answer of refused) expectProblem(answer, 409, 'Webhook.CertificationEnCours');
    expect((await certify(space, other)).status).toBe(202);
  });

  it('429 Debit.Depasse after ten in 24 hours of the data space, whichever endpoints had them', async () => {
    const endpoints = [await endpoint(), await endpoint()];
    for (let n = 0; n < 10; n++) {
      expect((await certify(space, endpoints[n % 2]!)).status).toBe(202);
      await space.rows('UPDATE certification SET date_fin = now() WHERE tenant_id = $1');
    }
    expect((await space.send('DELETE', `${PATH}/${endpoints[0]!.id}`)).status).toBe(204);
    const refused = await certify(space, await endpoint());
    expectProblem(refused, 429, 'Debit.Depasse');
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).toBeGreaterThan(86_000);
    expect(seconds).toBeLessThanOrEqual(86_400);
    const other = await Space.open(app);
    expect((await certify(other, await other.endpoint())).status).toBe(202);
    await space.rows(
      `UPDATE certification SET date_creation = now() - interval '25 hours' WHERE tenant_id = $1 AND webhook_id = $2`,
      endpoints[1]!.id,
    );
    expect((await certify(space, endpoints[1]!)).status).toBe(202);
  });

  it('409 Webhook.Inactif, 404 Webhook.NotFound, 403 without the module', async () => {
    const made = await endpoint({ actif: false });
    expectProblem(await certify(space, made), 409, 'Webhook.Inactif');
    expectProblem(await certify(space, { id: randomUUID() }), 404, 'Webhook.NotFound');
    const cards = await endpoint({ types: ['adhesion.signee'] });
    const restricted = await space.keyFor(['vote']);
    for (const [method, rest, body] of [
      ['POST', '', undefined],
      ['GET', '', undefined],
      ['POST', `/${randomUUID()}/constats`, { traites: [] }],
    ] as const)
      expectProblem(
        await space.send(method, `${PATH}/${cards.id}/certification${rest}`, body, {}, restricted),
        403,
        'Module.NonActif',
      );
  });
});

describe('GET /b2b/v2/webhook/:id/certification and constats', () => {
  it('404 before the first one, and for another tenant', async () => {
    const made = await endpoint();
    const read = (of: Space) => of.send('GET', `${PATH}/${made.id}/certification`);
    expectProblem(await read(space), 404, 'Certification.NotFound');
    const { json } = await certify(space, made);
    const other = await Space.open(app);
    expectProblem(await read(other), 404, 'Webhook.NotFound');
    expectProblem(await certify(other, made), 404, 'Webhook.NotFound');
    expectProblem(await prove(other, made, json.id, []), 404, 'Webhook.NotFound');
    // Through an endpoint of its own.
    expectProblem(await prove(other, await other.endpoint(), json.id, []), 404, 'Certification.NotFound');
    expectProblem(await prove(space, await endpoint(), json.id, []), 404, 'Certification.NotFound');
    expectProblem(await prove(space, made, randomUUID(), []), 404, 'Certification.NotFound');
  });

  it('400 for a proof of another certification, and for more than there can be', async () => {
    const made = await endpoint();
    const partner = PartnerReceiver.at(receiver, path, made.secret);
    await work();
    await certify(space, made);
    const { id } = await verdict(space, made);
    const [first] = partner.traites;
    expectFaults(await prove(space, made, id, [first, 'inconnu']), { '/traites/1': 'unknown' });
    expectFaults(
      await prove(
        space,
        made,
        id,
        times(101, () => first),
      ),
      { '/traites': 'length' },
    );
    expectFaults(await prove(space, made, id, null), { '/traites': 'required' });
    expect((await certification(space, made)).niveaux.traitement).toBeNull();

    await certify(space, made);
    const again = await verdict(space, made);
    expect(again.id).not.toBe(id);
    expectFaults(await prove(space, made, again.id, [first]), { '/traites/0': 'unknown' });
    // The earlier certification can still be proved, and the last one is read.
    expect((await prove(space, made, id, [first])).json.id).toBe(id);
    expect((await certification(space, made)).id).toBe(again.id);
  });

  it('a list replaces the one before; a missing or repeated event fails it', async () => {
    const made = await endpoint();
    const partner = PartnerReceiver.at(receiver, path, made.secret);
    await work();
    await certify(space, made);
    const { id } = await verdict(space, made);
    const lacking = await prove(space, made, id, partner.traites.slice(1));
    expect([lacking.json.verdict, lacking.json.niveaux]).toEqual([
      'Echoue',
      { transport: 'Reussi', traitement: 'Echoue' },
    ]);
    expect(lacking.json.scenarios[0].observe).toMatch(/; not processed: 1 of 1$/);
    expect(namesOf(lacking.json, 'Echoue')).toEqual(['valide']);
    const twice = await prove(space, made, id, [...partner.traites, partner.traites[0]]);
    expect(twice.json.scenarios[0].observe).toMatch(/; processed more than once$/);
    expect((await prove(space, made, id, partner.traites)).json.verdict).toBe('Reussi');
  });
});

describe('The purge', () => {
  it('removes certifications after 30 days, whether they have ended or not', async () => {
    const made = await endpoint({ actif: true });
    for (const age of ['31 days', '29 days']) {
      await certify(space, made);
      await space.rows(
        `UPDATE certification SET date_fin = now(), date_creation = now() - $2::interval
         WHERE tenant_id = $1 AND date_fin IS NULL`,
        age,
      );
    }
    const worker = await work();
    await worker.get(PurgeService).purge();
    const left = await space.rows<{ age: number }>(
      'SELECT extract(day FROM now() - date_creation)::int AS age FROM certification WHERE tenant_id = $1',
    );
    expect(left).toEqual([{ age: 29 }]);
  });
});

describe('mandat certifier', () => {
  it('shows a receiver that passes, and what a faulty one does wrong', async () => {
    await work();
    const desk = new Desk({ MANDAT_URL: app.url, MANDAT_API_KEY: space.tenant.cle });
    const made = await endpoint();
    PartnerReceiver.at(receiver, path, made.secret);
    const passed = await desk.mandat('certifier', made.id);
    expect([passed.code, passed.stderr]).toEqual([0, '']);
    expect(passed.stdout).toMatch(
      /^✓ valide\n(✓ \w+\n){12}\nThe answers are right\.[^]*\nThe receiver passes\.\n$/,
    );
    PartnerReceiver.at(receiver, path, made.secret, 'mauvaisSecret');
    const failed = await desk.mandat('certifier', made.id);
    expect(failed.code).toBe(1);
    expect(failed.stdout).toMatch(/✗ mauvaisSecret\n {4}expected: .+\n {4}observed: .+\n {4}.+\n/);
    expect(failed.stdout.match(/✗/g)).toHaveLength(1);
    const none = await desk.mandat('certifier', randomUUID());
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('Webhook.NotFound')]);
    desk.stop();
  }, 60_000);
});
