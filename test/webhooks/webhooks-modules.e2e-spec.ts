import type { INestApplication } from '@nestjs/common';
import { changed, digests } from '../setup/digests';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { type Answer, TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { Receiver } from './support/receiver';
import { clearQueue, NOWHERE, PATH, Space } from './support/space';
import { sign } from './support/signed';
import { perFile, perTest } from '../setup/fixtures';

const CARDS = ['adhesion.signee', 'adhesion.supprimee', 'conciliation.demandee'];

const app = perFile(() => TestApp.own('a worker runs'));
const space = perTest(() => Space.open(app));
/** A key of the same tenant without the module of cards. */
let restricted: { cle: string };

beforeEach(async () => {
  restricted = await space.keyFor(['vote']);
});

/** Returns all rows of the service and the number of jobs. */
const everything = async (): Promise<ReadonlyMap<string, string>> => {
  const { rows } = await app.database.query<{ digest: string }>(
    `SELECT coalesce(string_agg(md5(j::text), '' ORDER BY id), '') AS digest FROM pgboss.job j`,
  );
  return new Map([...(await digests(app)), ['pgboss.job', rows[0]!.digest]]);
};

/** The calls that manage an endpoint. */
const callsOn = (id: string, livraisonId: string, body: object) =>
  [
    ['PUT', `/${id}`, body],
    ['POST', `/${id}/secret/rotation`, undefined],
    ['POST', `/${id}/test`, undefined],
    ['POST', `/${id}/livraisons/${livraisonId}/renvoyer`, undefined],
    ['POST', `/${id}/recuperer`, { depuis: '2020-01-01' }],
    ['DELETE', `/${id}`, undefined],
  ] as const;

describe('A key without the module of cards', () => {
  const harmless = { url: NOWHERE, types: ['sync.terminee'] };

  it.each([...CARDS.map((type) => [[type]]), [['sync.terminee', 'adhesion.signee']]])(
    '403 Module.NonActif when it registers an endpoint for %j',
    async (types) => {
      const before = await everything();
      // The address is also invalid: a key without access to the type gets the 403 first.
      for (const url of [NOWHERE, 'ftp://example.org']) {
        const answer = await space.send('POST', PATH, { url, types }, {}, restricted);
        expectProblem(answer, 403, 'Module.NonActif', 'Use a key with this module');
        expect(answer.json.module).toBe('carteMembre');
      }
      expect(changed(before, await everything())).toEqual([]);
      // The negative control: the same body with another key of the same tenant.
      expect((await space.send('POST', PATH, { url: NOWHERE, types })).status).toBe(201);
    },
  );

  it.each(CARDS)('403 for all operations on an endpoint for %s, and no row is written', async (type) => {
    const { id } = await space.endpoint({ types: ['sync.terminee', type] });
    const livraisonId = (await space.send('POST', `${PATH}/${id}/test`)).json.id as string;
    const before = await everything();
    for (const [method, path, body] of callsOn(id, livraisonId, harmless)) {
      const answer = await space.send(method, PATH + path, body, {}, restricted);
      expectProblem(answer, 403, 'Module.NonActif');
      expect([answer.json.module, answer.headers.get('location')]).toEqual(['carteMembre', null]);
    }
    expect(changed(before, await everything())).toEqual([]);
  });

  it('403 when it adds a type of that module to its own endpoint', async () => {
    const { id } = await space.endpoint();
    const before = await everything();
    const body = { url: NOWHERE, types: ['sync.terminee', 'adhesion.signee'] };
    const answer = await space.send('PUT', `${PATH}/${id}`, body, {}, restricted);
    expectProblem(answer, 403, 'Module.NonActif');
    expect(changed(before, await everything())).toEqual([]);
  });

  it('403 when it resends an earlier card by an endpoint that does not subscribe to cards any more', async () => {
    const { id } = await space.endpoint({ types: ['adhesion.signee'] });
    await sign(app, space);
    const [{ id: livraisonId }] = await space.log(id);
    // From now on the key may manage the endpoint, including its address.
    await space.replace({ id }, {});
    const mine = { url: 'http://elsewhere.test', types: ['sync.terminee'] };
    expect((await space.send('PUT', `${PATH}/${id}`, mine, {}, restricted)).status).toBe(200);
    const path = `${PATH}/${id}/livraisons/${livraisonId}/renvoyer`;
    expectProblem(await space.send('POST', path, undefined, {}, restricted), 403, 'Module.NonActif');
    expect(await space.jobs()).toHaveLength(1);
    // A key with access to cards gets the 409 with its instruction, and then may resend the card.
    expectProblem(await space.send('POST', path), 409, 'Webhook.TypeNonAbonne');
    await space.replace({ id }, { types: ['adhesion.signee'] });
    expect((await space.send('POST', path)).status).toBe(202);
  });

  it('2xx for all operations on an endpoint whose types belong to no module', async () => {
    const made = await space.send('POST', PATH, harmless, {}, restricted);
    expect(made.status).toBe(201);
    await space.sync();
    const [{ id: livraisonId }] = await space.log(made.json.id);
    const answers = [];
    for (const [method, path, body] of callsOn(made.json.id, livraisonId, harmless))
      answers.push((await space.send(method, PATH + path, body, {}, restricted)).status);
    expect(answers).toEqual([200, 200, 202, 202, 202, 204]);
  });

  it('403 for other keys too, after the client has lost the module', async () => {
    const { id } = await space.endpoint({ types: ['adhesion.signee'] });
    const path = `/admin/v1/clients/${space.tenant.clientId}`;
    const client = (await app.send(app.adminKey, 'GET', path)).json;
    const { nom, drapeaux } = client;
    expect((await app.send(app.adminKey, 'PUT', path, { nom, drapeaux, modules: ['vote'] })).status).toBe(
      200,
    );
    // Keys are cached for up to five seconds after a change.
    let last = await space.send('POST', `${PATH}/${id}/test`);
    for (let attempt = 0; last.status !== 403 && attempt < 150; attempt++) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      last = await space.send('POST', `${PATH}/${id}/test`);
    }
    expectProblem(last, 403, 'Module.NonActif');
  });
});

describe('Webhooks read by a key without the module of cards', () => {
  const read = (path: string, caller: { cle: string } = restricted): Promise<Answer> =>
    space.send('GET', PATH + path, undefined, {}, caller);
  const typesOf = ({ json }: Answer): string[] => json.map(({ type }: { type: string }) => type);

  function expectClosed(answer: Answer): void {
    expectProblem(answer, 403, 'Module.NonActif');
    expect(answer.json.module).toBe('carteMembre');
  }

  it.each([...CARDS.map((type) => [[type]]), [['sync.terminee', 'adhesion.signee']]])(
    '403 for an endpoint for %j: no address, types, deliveries or responses are visible',
    async (types) => {
      await clearQueue(app);
      const receiver = await Receiver.start();
      receiver.behaviours.set('/jeton-7', (_received, response) => response.end('Zoé Tremblay'));
      let worker: INestApplication | undefined;
      try {
        const { id } = await space.endpoint({ url: `${receiver.url}/jeton-7`, types });
        const { id: livraisonId } = (await space.send('POST', `${PATH}/${id}/test`)).json;
        worker = await startWorker(app.config);
        await space.drained();
        const paths = [`/${id}`, `/${id}/livraisons`, `/${id}/livraisons?limite=1`];
        for (const path of [...paths, `/${id}/livraisons/${livraisonId}`]) {
          const answer = await read(path);
          for (const part of ['Zoé Tremblay', 'jeton-7', 'webhook.test'])
            expect(answer.text).not.toContain(part);
          expectClosed(answer);
        }
        for (const query of ['', '?limite=10']) expect((await read(query)).text).toBe('[]');
        // The negative control: a key with all modules reads all of it.
        const whole = { cle: space.tenant.cle };
        expect((await read('', whole)).text).toContain('jeton-7');
        expect((await read(`/${id}`, whole)).text).toContain('jeton-7');
        expect((await read(`/${id}/livraisons`, whole)).text).toContain('Zoé Tremblay');
        expect((await read(`/${id}/livraisons/${livraisonId}`, whole)).text).toContain('Zoé Tremblay');
      } finally {
        await worker?.close();
        await receiver.stop();
      }
    },
  );

  it('lists the endpoints of its own types, whole and by pages', async () => {
    const mine = [];
    for (const types of [
      ['sync.terminee'],
      ['adhesion.signee'],
      ['campagne.ouverte', 'sync.terminee'],
      CARDS,
    ]) {
      const { id } = await space.endpoint({ types });
      if (!CARDS.includes(types[0]!)) mine.push(id);
    }
    const idsOf = ({ json }: Answer) => json.map(({ id }: { id: string }) => id);
    expect(idsOf(await read(''))).toEqual(mine);
    const first = await read('?limite=1');
    const next = /curseur=([^&>]+)/.exec(first.headers.get('link')!)![1];
    const second = await read(`?limite=1&curseur=${next}`);
    expect([...idsOf(first), ...idsOf(second), second.headers.get('link')]).toEqual([...mine, null]);
    for (const id of mine) expect((await read(`/${id}`)).status).toBe(200);
    expect(idsOf(await read('', space.tenant))).toHaveLength(4);
  });

  it('omits deliveries of cards by an endpoint that does not subscribe to cards any more', async () => {
    const { id } = await space.endpoint({ types: ['adhesion.signee', 'sync.terminee'] });
    await space.sync();
    await sign(app, space);
    await space.sync();
    await sign(app, space);
    await space.replace({ id }, { types: ['sync.terminee'] });
    const log = await space.log(id);
    expect(log.map(({ type }) => type)).toEqual([
      'adhesion.signee',
      'sync.terminee',
      'adhesion.signee',
      'sync.terminee',
    ]);
    const path = `/${id}/livraisons`;
    expect(typesOf(await read(path))).toEqual(['sync.terminee', 'sync.terminee']);
    const first = await read(`${path}?limite=1`);
    const next = /curseur=([^&>]+)/.exec(first.headers.get('link')!)![1];
    const second = await read(`${path}?limite=1&curseur=${next}`);
    expect([...first.json, ...second.json].map((item) => item.id)).toEqual([log[1]!.id, log[3]!.id]);
    expect(second.headers.get('link')).toBeNull();
    expectClosed(await read(`${path}/${log[0]!.id}`));
    expect((await read(`${path}/${log[1]!.id}`)).status).toBe(200);
  });

  it('404 as before for an unknown endpoint and for another tenant’s', async () => {
    const other = await Space.open(app);
    const { id } = await other.endpoint({ types: ['adhesion.signee'] });
    for (const none of [id, 'W-1']) {
      for (const path of [`/${none}`, `/${none}/livraisons`, `/${none}/livraisons/${id}`])
        expectProblem(await read(path), 404, 'Webhook.NotFound');
    }
    const made = await space.endpoint();
    expectProblem(await read(`/${made.id}/livraisons/${made.id}`), 404, 'Livraison.NotFound');
  });
});

describe('An endpoint that is not active', () => {
  it('409 Webhook.Inactif for test, renvoyer and recuperer, and no row is written', async () => {
    const { id } = await space.endpoint({ types: ['adhesion.signee'] });
    await sign(app, space);
    const [{ id: livraisonId }] = await space.log(id);
    await space.replace({ id }, { types: ['adhesion.signee'], actif: false });
    const before = await everything();
    for (const [method, path, body] of callsOn(id, livraisonId, {}).slice(2, 5)) {
      const answer = await space.send(method, PATH + path, body);
      expectProblem(answer, 409, 'Webhook.Inactif');
      expect(answer.headers.get('location')).toBeNull();
    }
    expect(changed(before, await everything())).toEqual([]);
    expect(await space.jobs()).toHaveLength(1);
    // The negative control: once it is active again, the same calls pass and write.
    await space.replace({ id }, { types: ['adhesion.signee'] });
    for (const [method, path, body] of callsOn(id, livraisonId, {}).slice(2, 5))
      expect((await space.send(method, PATH + path, body)).status).toBe(202);
    // The job of the resent delivery replaced the one before; recuperer finds the delivery waiting.
    expect((await space.jobs()).map(({ tour }) => tour)).toEqual([0, 1]);
  });

  it('2xx for a new secret, other types and the deletion', async () => {
    const { id } = await space.endpoint({ actif: false });
    expect((await space.send('POST', `${PATH}/${id}/secret/rotation`)).status).toBe(200);
    await space.replace({ id }, { types: ['adhesion.signee'], actif: false });
    expect((await space.send('DELETE', `${PATH}/${id}`)).status).toBe(204);
  });

  it('404 Livraison.NotFound comes before 409, and 400 before both', async () => {
    const { id } = await space.endpoint({ actif: false });
    const resend = (livraisonId: string) =>
      space.send('POST', `${PATH}/${id}/livraisons/${livraisonId}/renvoyer`);
    for (const none of ['L-1', id]) expectProblem(await resend(none), 404, 'Livraison.NotFound');
    for (const [body, faults] of [
      [{}, { '/depuis': 'required' }],
      [{ depuis: null }, { '/depuis': 'required' }],
      [{ depuis: 'hier' }, { '/depuis': 'date' }],
      [{ depuis: 1_772_460_309 }, { '/depuis': 'date' }],
      [{ depuis: '2026-02-30' }, { '/depuis': 'date' }],
      [{ depuis: '2026-01-01', jusqua: '2026-01-02' }, { '/jusqua': 'unknown' }],
    ] as const)
      expectFaults(await space.send('POST', `${PATH}/${id}/recuperer`, body), faults);
    expect(await space.count('livraison')).toBe(0);
  });
});
