import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { unchanged } from '../setup/digests';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { comparable, GUID, INSTANT, times } from '../membership/synced';
import { TestApp } from '../setup/test-app';
import { NOWHERE, PATH, Space } from './support/space';
import { perFile, perTest } from '../setup/fixtures';

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
const BODY = {
  url: 'https://hooks.example.org/mandat?clé=1',
  types: ['sync.terminee', 'adhesion.signee'],
  actif: false,
  description: 'Paie',
  signature: 'v1',
};
const SECRET_ONLY = { clePublique: null };
const NEVER_DISABLED = { desactiveLe: null, raisonDesactivation: null };

const app = perFile(() => TestApp.start());
const space = perTest(() => Space.open(app));

const send = (method: string, path = '', body?: unknown, headers?: Record<string, string>) =>
  space.send(method, PATH + path, body, headers);
const post = (body: unknown, headers?: Record<string, string>) => send('POST', '', body, headers);
/** Returns the item without its secret, as a read shows it. */
function withoutSecret(item: object): object {
  return Object.fromEntries(Object.entries(item).filter(([name]) => name !== 'secret'));
}

describe('POST /b2b/v2/webhook', () => {
  it('201 with the item as compact JSON, its secret and Location', async () => {
    const answer = await post(BODY);
    const { id, dateCreation, derniereMAJ, secret } = answer.json;
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `${PATH}/${id}`]);
    expect([id, dateCreation, derniereMAJ, secret]).toEqual([
      expect.stringMatching(GUID),
      expect.stringMatching(INSTANT),
      dateCreation,
      expect.stringMatching(SECRET),
    ]);
    expect(answer.text).toBe(
      JSON.stringify({ id, ...BODY, ...SECRET_ONLY, ...NEVER_DISABLED, dateCreation, derniereMAJ, secret }),
    );
    expect(await space.count('webhook')).toBe(1);
  });

  it('the secret is in no other response: not of GET, the list, PUT or its replays', async () => {
    const { json } = await post(BODY);
    const read = await send('GET', `/${json.id}`);
    expect(read.text).toBe(JSON.stringify(withoutSecret(json)));
    expect((await send('GET')).text).toBe(`[${read.text}]`);
    expect((await space.send('GET', `/api${PATH}/${json.id}`)).text).toBe(read.text);
    const put = await send('PUT', `/${json.id}`, { ...BODY, actif: true });
    expect(Object.keys(put.json)).toEqual(Object.keys(read.json));
    for (const answer of [read, put, await send('GET', `/${json.id}/livraisons`)]) {
      expect(answer.text).not.toContain('whsec_');
      expect(answer.text).not.toContain(json.secret.slice(6));
    }
  });

  it('201 active and without description if those are absent or null; no two secrets are equal', async () => {
    const made = [];
    for (const more of [{}, { actif: null, description: null }, { actif: true, description: '  ' }]) {
      made.push((await post({ url: NOWHERE, types: ['sync.terminee'], ...more })).json);
    }
    for (const item of made) expect(item).toMatchObject({ actif: true, ...NEVER_DISABLED });
    expect(made.slice(0, 2).map(({ description }) => description)).toEqual([null, null]);
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(3);
    expect(new Set(made.map(({ id }) => id)).size).toBe(3);
  });

  it('201 trims texts, takes either case of a first letter and ignores the read-only properties of a read', async () => {
    const { json } = await post({
      ...{ Url: ` ${NOWHERE} `, Types: ['sync.terminee'], Actif: false, Description: ' Paie ' },
      ...{ id: randomUUID(), DesactiveLe: '2026-01-01T00:00:00Z', raisonDesactivation: 'x' },
      ...{ dateCreation: '2020-01-01T00:00:00Z', derniereMAJ: 7 },
    });
    expect(json).toEqual({
      ...{ id: expect.any(String), url: NOWHERE, types: ['sync.terminee'], actif: false },
      ...{
        description: 'Paie',
        signature: 'v1',
        ...SECRET_ONLY,
        ...NEVER_DISABLED,
        secret: expect.stringMatching(SECRET),
      },
      ...{ dateCreation: json.derniereMAJ, derniereMAJ: expect.stringMatching(INSTANT) },
    });
    expect(Date.parse(json.dateCreation)).toBeGreaterThan(Date.parse('2026-01-01'));
  });

  it('201 for all types of the catalogue; a test goes to the tested endpoint only, once', async () => {
    const catalogue = (await space.send('GET', '/b2b/v2/type-evenement')).json as { type: string }[];
    const types = catalogue.map(({ type }) => type);
    expect(types).toContain('webhook.test');
    const made = await Promise.all([1, 2].map(() => post({ ...BODY, types, actif: true })));
    expect(made.map(({ status, json }) => [status, json.types])).toEqual([
      [201, types],
      [201, types],
    ]);
    expect((await send('POST', `/${made[0]!.json.id}/test`)).status).toBe(202);
    expect(await space.count('livraison')).toBe(1);
  });

  it('201 for two endpoints at one address, and for texts of any kind', async () => {
    for (const description of ['🙂👩‍🏭', '"\'\\', '__proto__', "'; DROP TABLE webhook; --", 'é'.repeat(255)]) {
      const { json } = await post({ ...BODY, description });
      expect((await send('GET', `/${json.id}`)).json.description).toBe(description);
    }
    expect(await space.count('webhook')).toBe(5);
  });

  it.each<[string, unknown, Record<string, string>]>([
    [
      'a secret of the caller’s own',
      { ...BODY, secret: `whsec_${'A'.repeat(43)}=` },
      { '/secret': 'unknown' },
    ],
    ['an unknown signature', { ...BODY, signature: 'v2' }, { '/signature': 'choice' }],
    ['no types', { ...BODY, types: [] }, { '/types': 'minLength' }],
    ['an unknown type', { ...BODY, types: ['sync.terminee', 'adhesion'] }, { '/types': 'choice' }],
    ['a type in capitals', { ...BODY, types: ['Sync.Terminee'] }, { '/types': 'choice' }],
    ['a type of JavaScript’s own', { ...BODY, types: ['constructor'] }, { '/types': 'choice' }],
    ['a type twice', { ...BODY, types: ['sync.terminee', 'sync.terminee'] }, { '/types': 'duplicate' }],
    ['types that are no texts', { ...BODY, types: [null, 1, {}] }, { '/types': 'choice' }],
  ])('400 for %s, and nothing is written', async (_what, body, faults) => {
    await unchanged(app, async () => {
      expectFaults(await post(body), faults);
    });
  });

  it('50 endpoints at most, active or not: 409 Webhook.TropNombreux, until one is deleted', async () => {
    const made = [];
    for (let n = 0; n < 50; n++) made.push(await space.endpoint({ actif: n % 2 === 0 }));
    expectProblem(await post(BODY), 409, 'Webhook.TropNombreux');
    expect(await space.count('webhook')).toBe(50);
    // The limit of another tenant is independent.
    await (await Space.open(app)).endpoint();
    expect((await send('DELETE', `/${made[0]!.id}`)).status).toBe(204);
    expect((await post(BODY)).status).toBe(201);
    expectProblem(await post(BODY), 409, 'Webhook.TropNombreux');
  });

  it('60 requests at once: exactly 50 succeed, with 50 secrets', async () => {
    const answers = await Promise.all(times(60, () => post(BODY)));
    const passed = answers.filter(({ status }) => status === 201);
    expect(passed).toHaveLength(50);
    for (const answer of answers.filter((one) => !passed.includes(one)))
      expectProblem(answer, 409, 'Webhook.TropNombreux');
    expect(new Set(passed.map(({ json }) => json.secret)).size).toBe(50);
    const listed: { id: string }[] = (await send('GET')).json;
    expect(listed.map(({ id }) => id).sort()).toEqual(passed.map(({ json }) => json.id as string).sort());
  });
});

describe('GET /b2b/v2/webhook', () => {
  it('404 Webhook.NotFound, the same for an unknown id, an invalid GUID and another tenant’s endpoint', async () => {
    const other = (await (await Space.open(app)).endpoint()).id;
    for (const [method, rest, body] of [
      ['GET', '', undefined],
      ['PUT', '', BODY],
      ['DELETE', '', undefined],
      ['POST', '/secret/rotation', undefined],
      ['POST', '/test', undefined],
      ['GET', '/livraisons', undefined],
      ['POST', `/livraisons/${randomUUID()}/renvoyer`, undefined],
      ['POST', '/recuperer', { depuis: '2026-01-01' }],
    ] as const) {
      await unchanged(app, async () => {
        const answers = [];
        for (const id of [randomUUID(), 'W-1', other])
          answers.push(await send(method, `/${id}${rest}`, body));
        for (const answer of answers) {
          expectProblem(answer, 404, 'Webhook.NotFound');
          expect({ method, rest, ...comparable(answer) }).toEqual({
            method,
            rest,
            ...comparable(answers[0]!),
          });
        }
      });
    }
  });
});

describe('PUT /b2b/v2/webhook/:id', () => {
  it('200 replaces every writable property and keeps the id, the creation and the secret', async () => {
    const { id, ...made } = (await post(BODY)).json;
    const sealed = () => space.rows('SELECT secret, secret_precedent FROM webhook WHERE tenant_id = $1');
    const before = await sealed();
    await sleep(2);
    const answer = await send('PUT', `/${id}`, { url: NOWHERE, types: ['adhesion.supprimee'] });
    expect([answer.status, answer.json]).toEqual([
      200,
      {
        ...{ id, url: NOWHERE, types: ['adhesion.supprimee'], actif: true, description: null },
        ...{ signature: 'v1', ...SECRET_ONLY },
        ...{
          ...NEVER_DISABLED,
          dateCreation: made.dateCreation,
          derniereMAJ: expect.stringMatching(INSTANT),
        },
      },
    ]);
    expect(answer.json.derniereMAJ > made.derniereMAJ).toBe(true);
    const read = await send('GET', `/${id}`);
    expect([read.text, read.headers.get('etag')]).toEqual([answer.text, answer.headers.get('etag')]);
    expect(await sealed()).toEqual(before);
  });

  it('200 for the response of a read, with its read-only properties; 400 for a secret', async () => {
    const { id } = (await post(BODY)).json;
    const read = await send('GET', `/${id}`);
    const again = await send('PUT', `/${id}`, read.json);
    expect(again.json).toEqual({ ...read.json, derniereMAJ: expect.stringMatching(INSTANT) });
    expectFaults(await send('PUT', `/${id}`, { ...read.json, secret: 'x' }), { '/secret': 'unknown' });
    expectFaults(await send('PUT', `/${id}`, { types: [] }), { '/url': 'required' });
    expectFaults(await send('PUT', `/${id}`, { ...BODY, types: [] }), { '/types': 'minLength' });
  });

  it('actif true restarts a disabled endpoint without its past failures; actif false leaves it disabled', async () => {
    const { id } = await space.endpoint();
    const at = '2026-02-03T04:05:06.789Z';
    await space.rows(
      `UPDATE webhook SET actif = false, desactive_le = $2, raison_desactivation = 'Gone.', echec_depuis = $2, dernier_echec = $2
       WHERE tenant_id = $1`,
      at,
    );
    const disabled = { actif: false, desactiveLe: at, raisonDesactivation: 'Gone.' };
    expect((await send('GET', `/${id}`)).json).toMatchObject(disabled);
    expect((await space.replace({ id }, { actif: false })).json).toMatchObject(disabled);
    expect((await space.replace({ id }, {})).json).toMatchObject({ actif: true, ...NEVER_DISABLED });
    const state = 'SELECT actif, desactive_le, echec_depuis FROM webhook WHERE tenant_id = $1';
    expect(await space.rows(state)).toEqual([{ actif: true, desactive_le: null, echec_depuis: null }]);
  });

  it('failures of an endpoint that was always active are kept', async () => {
    const { id } = await space.endpoint();
    await space.rows('UPDATE webhook SET echec_depuis = now(), dernier_echec = now() WHERE tenant_id = $1');
    await space.replace({ id }, { description: 'x' });
    expect(await space.rows('SELECT FROM webhook WHERE tenant_id = $1 AND echec_depuis IS NULL')).toEqual([]);
  });
});

describe('DELETE /b2b/v2/webhook/:id', () => {
  it('204 deletes it and its log only; the events stay', async () => {
    const [gone, kept] = [await space.endpoint(), await space.endpoint()];
    await space.sync();
    await send('POST', `/${gone.id}/test`);
    const events = await space.eventIds();
    expect([await space.log(gone.id), await space.log(kept.id)].map(({ length }) => length)).toEqual([2, 1]);
    const deleted = await send('DELETE', `/${gone.id}`);
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/livraisons'],
    ] as const)
      expectProblem(await send(method, `/${gone.id}${rest}`), 404, 'Webhook.NotFound');
    const left = await space.rows('SELECT webhook_id AS id FROM livraison WHERE tenant_id = $1');
    expect(left).toEqual([{ id: kept.id }]);
    expect(await space.eventIds()).toEqual(events);
    expect((await send('GET')).json).toHaveLength(1);
  });
});
