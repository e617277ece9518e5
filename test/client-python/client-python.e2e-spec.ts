import type { INestApplication } from '@nestjs/common';
import { TestApp } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { Relay } from '../client/support/relay';
import { Receiver, until } from '../webhooks/support/receiver';
import { register, scene, sign } from '../webhooks/support/signed';
import { describePython, python } from './support/python';

describePython('The Python client on the service', () => {
  let app: TestApp;
  let receiver: Receiver;
  let worker: INestApplication;
  let relays: Relay[];

  beforeAll(async () => {
    app = await TestApp.own('a worker runs');
    receiver = await Receiver.start();
    worker = await startWorker(app.config);
    relays = [await Relay.to(app.url), await Relay.to(app.url)];
    for (const relay of relays) relay.breaks = 1;
  });
  afterAll(async () => {
    await Promise.all(relays.map((relay) => relay.stop()));
    await worker.close();
    await receiver.stop();
    await app.stop();
  });

  it('passes its own tests, and the examples of its README run', async () => {
    const place = await scene(app);
    const { tenant, plateforme } = place;
    // The README reads this employee.
    await app.send(tenant, 'POST', '/b2b/v2/sync', {
      Employes: [{ IdExterne: 'E-1001', Prenom: 'Zoé', Nom: 'Roy' }],
    });
    const { secret } = await register(app, place, `${receiver.url}/python`);
    await sign(app, place);
    await until('the delivery', () => receiver.of('/python').length > 0);
    const { headers, body } = receiver.of('/python')[0]!;
    const service = {
      address: app.url,
      key: tenant.cle,
      emptyKey: (await app.tenant()).cle,
      limitedKey: (await app.tenant({ limiteParMinute: 1 })).cle,
      platformKey: plateforme,
      adminKey: app.adminKey,
      clientId: tenant.clientId,
      relays: relays.map(({ url }) => url),
      delivery: { headers, body, secret },
    };
    const { code, output } = await python(['-W', 'error', '-m', 'unittest', 'discover', '-v', 'tests'], {
      MANDAT_TEST: JSON.stringify(service),
    });
    if (code !== 0) throw new Error(output);
    expect(output).toMatch(/\nRan \d{2} tests/);
    expect(output).not.toContain('skipped');
    // The control: the same tests fail if the service has other keys.
    const other = {
      ...service,
      key: 'mdt_stg_other',
      delivery: { headers, body, secret: `whsec_${'A'.repeat(44)}` },
    };
    const failed = await python(['-m', 'unittest', 'discover', 'tests', '-p', 'test_service.py'], {
      MANDAT_TEST: JSON.stringify(other),
    });
    expect(failed).toEqual({ code: 1, output: expect.stringContaining('FAILED') });
  });
});
