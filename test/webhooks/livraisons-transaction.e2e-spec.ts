import type { INestApplication } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { refusing } from '../adhesion/support/data-space';
import { expectProblem } from '../http/expect-problem';
import { type Answer, TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { Gate } from './support/gate';
import { Receiver, until } from './support/receiver';
import { sign } from './support/signed';
import { clearQueue, NOWHERE, PATH, Space } from './support/space';

const CARD = {
  ...{ employeIdExterne: 'E-1', syndicatIdExterne: 'S-1', prenom: 'Zoé', nom: 'Roy' },
  courriel: 'zoe@example.org',
};

let app: TestApp;
let receiver: Receiver;
let space: Space;
let worker: INestApplication | undefined;
let gate: Gate | undefined;

beforeAll(async () => {
  app = await TestApp.own('a worker runs');
  receiver = await Receiver.start();
});
afterAll(async () => {
  await receiver.stop();
  await app.stop();
});
beforeEach(async () => {
  await clearQueue(app);
  space = await Space.open(app);
});
afterEach(async () => {
  await gate?.remove();
  gate = undefined;
  await worker?.close();
  worker = undefined;
});

const send = (headers: Record<string, string> = {}): Promise<Answer> =>
  space.send('POST', '/plateforme/v1/adhesions', CARD, headers, { cle: space.plateforme });
/** SQL condition of a gate: the rows of this tenant. */
const mine = () => `NEW.tenant_id = '${space.tenantId}'`;
const remove = ({ id }: { id: string }) => space.send('DELETE', `${PATH}/${id}`);

/** Counts the cards, events, deliveries and jobs of the tenant. */
async function counts(): Promise<Record<string, number>> {
  const [row] = await space.rows<Record<string, number>>(
    `SELECT (SELECT count(*)::int FROM adhesion WHERE tenant_id = $1) AS adhesion,
       (SELECT count(*)::int FROM evenement WHERE tenant_id = $1 AND type = 'adhesion.signee') AS evenement,
       (SELECT count(*)::int FROM livraison WHERE tenant_id = $1) AS livraison,
       (SELECT count(*)::int FROM pgboss.job WHERE data->>'tenantId' = $1::text) AS job`,
  );
  return row!;
}
const NOTHING = { adhesion: 0, evenement: 0, livraison: 0, job: 0 };
const ALL = { adhesion: 1, evenement: 1, livraison: 2, job: 2 };

describe('A card, its event, the deliveries and their jobs are one transaction', () => {
  beforeEach(async () => {
    for (let n = 0; n < 2; n++) await space.endpoint({ types: ['adhesion.signee'] });
  });

  it('all of them exist after a signing', async () => {
    expect((await send()).status).toBe(201);
    expect(await counts()).toEqual(ALL);
  });

  it.each([
    ['the event', 'evenement'],
    ['the deliveries', 'livraison'],
    ['their jobs', 'pgboss.job_common'],
    ['the answer under its Idempotency-Key, which comes last', 'idempotency_record'],
  ])('none of them exists if %s cannot be written', async (_what, table) => {
    const key = { 'Idempotency-Key': randomUUID() };
    const answer = await refusing(app, table, () => send(key));
    expectProblem(answer, 500, 'Service.ErreurInterne');
    expect(await counts()).toEqual(NOTHING);
    expect((await send(key)).status).toBe(201);
    expect(await counts()).toEqual(ALL);
  });

  it('none of them exists if the commit itself fails', async () => {
    await app.database.query(`
      CREATE FUNCTION refuse_commit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$;
      CREATE CONSTRAINT TRIGGER refuse_commit AFTER INSERT ON livraison DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION refuse_commit()`);
    try {
      expectProblem(await send(), 500, 'Service.ErreurInterne');
    } finally {
      await app.database.query('DROP FUNCTION refuse_commit CASCADE');
    }
    expect(await counts()).toEqual(NOTHING);
  });

  it('none of them is visible, or sent, before the commit', async () => {
    const path = `/${randomUUID()}`;
    await space.endpoint({ url: receiver.url + path, types: ['adhesion.signee'] });
    gate = await Gate.close(app, 'INSERT', 'livraison', mine());
    worker = await startWorker(app.config);
    const signing = send();
    await gate.waiting();
    // The negative control: an event that another tenant has committed meanwhile is delivered.
    const [other, control] = [await Space.open(app), `/${randomUUID()}`];
    await other.endpoint({ url: receiver.url + control });
    await other.sync();
    await other.drained();
    expect([receiver.of(control).length, receiver.of(path).length]).toEqual([1, 0]);
    expect(await counts()).toEqual(NOTHING);
    await gate.open();
    expect((await signing).status).toBe(201);
    await until('it is delivered', () => receiver.of(path).length === 1);
  });
});

describe('The endpoints that get an event', () => {
  it('active endpoints of this tenant that subscribe to its type', async () => {
    const types = ['adhesion.signee'];
    const heard = [
      await space.endpoint({ types }),
      await space.endpoint({ types: ['sync.terminee', ...types] }),
    ];
    await space.endpoint({ types, actif: false });
    await space.endpoint({ types: ['adhesion.supprimee', 'sync.terminee'] });
    await (await Space.open(app)).endpoint({ types });
    await sign(app, space);
    const { rows } = await app.database.query<{ id: string }>(
      `SELECT webhook_id AS id FROM livraison l JOIN evenement e ON e.id_unique = l.evenement_id
       WHERE e.type = 'adhesion.signee' AND l.tenant_id = $1`,
      [space.tenantId],
    );
    expect(rows.map(({ id }) => id).sort()).toEqual(heard.map(({ id }) => id).sort());
  });

  it('an endpoint gets no deliveries for events of its pause, also after its activation', async () => {
    const made = await space.endpoint({ actif: false });
    await space.sync();
    await space.replace(made, { actif: true });
    expect(await counts()).toEqual(NOTHING);
    await space.sync();
    expect(await counts()).toEqual({ ...NOTHING, livraison: 1, job: 1 });
  });

  it('a delivery that becomes due while its endpoint is paused is cancelled without a request', async () => {
    const path = `/${randomUUID()}`;
    const made = await space.endpoint({ url: receiver.url + path });
    await space.sync();
    await space.replace(made, { url: receiver.url + path, actif: false });
    worker = await startWorker(app.config);
    await space.drained();
    const [item] = await space.log(made.id);
    expect(item).toMatchObject({ etat: 'Annulee', tentatives: [], prochaineTentative: null });
    expect(receiver.of(path)).toEqual([]);
    // It stays cancelled when the endpoint is active again; later events are sent.
    await space.replace(made, { url: receiver.url + path });
    await space.sync();
    await space.drained();
    expect((await space.log(made.id)).map(({ etat }) => etat)).toEqual(['Reussie', 'Annulee']);
    expect(receiver.of(path)).toHaveLength(1);
  });
});

describe('An endpoint that is deleted', () => {
  it('during an open signing, both succeed: the card stays, its delivery is deleted with the endpoint', async () => {
    const [gone, kept] = [
      await space.endpoint({ types: ['adhesion.signee'] }),
      await space.endpoint({ types: ['adhesion.signee'] }),
    ];
    gate = await Gate.close(app, 'INSERT', 'livraison', mine());
    const signing = send();
    await gate.waiting(1);
    const deletion = remove(gone);
    // The deletion waits for the signing, which has inserted a delivery for the endpoint.
    await gate.waiting(2);
    await gate.open();
    expect([(await signing).status, (await deletion).status]).toEqual([201, 204]);
    expect(await counts()).toEqual({ ...ALL, livraison: 1 });
    const left = await space.rows('SELECT webhook_id AS id FROM livraison WHERE tenant_id = $1');
    expect(left).toEqual([{ id: kept.id }]);
  });

  it('before a signing begins, both succeed, and the endpoint gets no delivery', async () => {
    const gone = await space.endpoint({ types: ['adhesion.signee'] });
    await space.endpoint({ types: ['adhesion.signee'] });
    gate = await Gate.close(app, 'DELETE', 'webhook');
    const deletion = remove(gone);
    await gate.waiting(1);
    const signing = send();
    await gate.waiting(2);
    await gate.open();
    expect([(await deletion).status, (await signing).status]).toEqual([204, 201]);
    expect(await counts()).toEqual({ adhesion: 1, evenement: 1, livraison: 1, job: 1 });
  });

  it('a change of an endpoint does not wait for an open signing', async () => {
    const made = await space.endpoint({ types: ['adhesion.signee'] });
    gate = await Gate.close(app, 'INSERT', 'livraison', mine());
    const signing = send();
    await gate.waiting();
    await space.replace(made, { description: 'autre' });
    expect((await space.send('POST', `${PATH}/${made.id}/secret/rotation`)).status).toBe(200);
    await gate.open();
    expect((await signing).status).toBe(201);
  });

  it('with waiting deliveries: their jobs find no delivery, and no request is sent', async () => {
    const [path, other] = [`/${randomUUID()}`, `/${randomUUID()}`];
    const gone = await space.endpoint({ url: receiver.url + path });
    await space.endpoint({ url: receiver.url + other });
    for (let n = 0; n < 5; n++) await space.sync();
    expect((await remove(gone)).status).toBe(204);
    expect(await space.jobs()).toHaveLength(10);
    worker = await startWorker(app.config);
    await space.drained();
    expect([receiver.of(path).length, receiver.of(other).length]).toEqual([0, 5]);
  });

  it('during the record of its first failure, both succeed, and the worker goes on', async () => {
    const [path, other] = [`/${randomUUID()}`, `/${randomUUID()}`];
    receiver.behaviours.set(path, (_received, response) => void response.writeHead(500).end());
    const gone = await space.endpoint({ url: receiver.url + path });
    await space.sync();
    // The worker has locked the delivery and needs the endpoint; the deletion has locked the endpoint and needs the
    // delivery.
    gate = await Gate.close(app, 'UPDATE', 'livraison', mine());
    worker = await startWorker(app.config);
    await gate.waiting(1);
    const deletion = remove(gone);
    await gate.waiting(2);
    await gate.open();
    expect((await deletion).status).toBe(204);
    await gate.remove();
    gate = undefined;
    await space.endpoint({ url: receiver.url + other });
    await space.sync();
    await space.drained();
    expect([await space.count('livraison'), receiver.of(other).length]).toEqual([1, 1]);
  });

  it('twenty deletions during signings each get the same response as alone', async () => {
    for (let round = 0; round < 20; round++) {
      const gone = await space.endpoint({ url: NOWHERE, types: ['adhesion.signee'] });
      const work = [() => send(), () => remove(gone), () => send()];
      const statuses = await Promise.all((round % 2 ? work.reverse() : work).map((one) => one()));
      expect(statuses.map(({ status }) => status)).toEqual([201, 204, 201]);
    }
    expect(await counts()).toMatchObject({ adhesion: 40, evenement: 40, livraison: 0 });
  });
});
