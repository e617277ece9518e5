import { randomUUID } from 'node:crypto';
import { KeyRing } from '../../libs/platform/src/ops/key-ring';
import { SecretBox } from '../../libs/platform/src/ops/secret-box';
import { unchanged } from '../setup/digests';
import { tablesWith } from '../setup/tables-with';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { INSTANT, times } from '../membership/synced';
import { TestApp } from '../setup/test-app';
import { logged } from '../setup/logged';
import { type Endpoint, NOWHERE, PATH, Space } from './support/space';
import { perFile, perTest } from '../setup/fixtures';

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
const BODY = { url: NOWHERE, types: ['sync.terminee'] };
const DAY_MS = 86_400_000;

const app = perFile(() => TestApp.own('sees all tenants'));
const space = perTest(() => Space.open(app));
let box: SecretBox;

beforeAll(async () => {
  box = new SecretBox(app.config.secretsKey);
});

const rotate = ({ id }: { id: string }, headers?: Record<string, string>) =>
  space.send('POST', `${PATH}/${id}/secret/rotation`, undefined, headers);

interface Sealed {
  secret: Buffer;
  secret_precedent: Buffer | null;
  secret_precedent_jusqua: Date | null;
  secrets_anciens: Buffer[];
}
const sealedOf = async ({ id }: { id: string }): Promise<Sealed> =>
  (
    await space.rows<Sealed>(
      `SELECT secret, secret_precedent, secret_precedent_jusqua, secrets_anciens FROM webhook
       WHERE tenant_id = $1 AND id_unique = $2`,
      id,
    )
  )[0]!;

const open = (sealed: Buffer, { id }: { id: string }, tenantId = space.tenantId): string =>
  box.open(sealed, `webhook ${tenantId} ${id}`).toString();

/** Returns all readable forms of a secret in a row: as text, as bytes of the text, and as the bytes that it encodes. */
function formsOf(secret: string): string[] {
  const base64 = secret.slice('whsec_'.length);
  return [
    secret,
    base64,
    Buffer.from(secret).toString('hex'),
    Buffer.from(base64).toString('hex'),
    Buffer.from(base64, 'base64').toString('hex'),
  ];
}

describe('A secret at rest', () => {
  it('is readable in no table: not a new, rotated or previous one, nor one of a request with an Idempotency-Key', async () => {
    const key = randomUUID();
    const one = (await space.send('POST', PATH, BODY, { 'Idempotency-Key': key })).json as Endpoint;
    const two = (await rotate(one, { 'Idempotency-Key': `${key} 2` })).json as Endpoint;
    expect([one.secret, two.secret]).toEqual([expect.stringMatching(SECRET), expect.stringMatching(SECRET)]);
    for (const { secret } of [one, two]) expect(await tablesWith(app.database, formsOf(secret))).toEqual([]);
    // Negative controls: the search finds stored texts and bytes.
    expect(await tablesWith(app.database, [one.id])).toEqual(
      expect.arrayContaining(['public.webhook', 'public.journal']),
    );
    const { secret } = await sealedOf(one);
    expect(await tablesWith(app.database, [secret.toString('hex')])).toEqual(['public.webhook']);
    await space.rows(
      'UPDATE webhook SET secret_precedent = $2 WHERE tenant_id = $1',
      Buffer.from(one.secret.slice(6), 'base64'),
    );
    expect(await tablesWith(app.database, formsOf(one.secret))).toEqual(['public.webhook']);
  });

  it('a private key is readable in no table or response; its public key is in both', async () => {
    const { json: made } = await space.send('POST', PATH, { ...BODY, signature: 'v1a' });
    const { json: rotated } = await rotate(made);
    expect([made.secret, rotated.secret]).toEqual([null, null]);
    const row = await sealedOf(made);
    for (const [sealed, { clePublique }] of [
      [row.secret, rotated],
      [row.secret_precedent!, made],
    ] as const) {
      const [, half, publicHalf] = /^whsk_(.{43})(.{45})$/.exec(open(sealed, made)) ?? [];
      const bytes = Buffer.from(`${half}${publicHalf}`, 'base64');
      expect(clePublique).toBe(`whpk_${bytes.subarray(32).toString('base64')}`);
      const key = bytes.subarray(0, 32);
      expect(
        await tablesWith(app.database, [key.toString('base64'), key.toString('hex'), `whsk_${half}`]),
      ).toEqual([]);
    }
    // The control: the present public key is shown.
    expect(await tablesWith(app.database, [rotated.clePublique])).toEqual(['public.webhook']);
    const read = await space.send('GET', `${PATH}/${made.id}`);
    expect([read.json.signature, read.json.clePublique]).toEqual(['v1a', rotated.clePublique]);
    expect(read.text).not.toContain('whsk_');
  });

  it('opens with the key of the service, for its endpoint and tenant only, and not after a changed bit', async () => {
    const [one, two] = [await space.endpoint(), await space.endpoint()];
    const { secret } = await sealedOf(one);
    expect(open(secret, one)).toBe(one.secret);
    expect(() => open(secret, two)).toThrow();
    expect(() => open(secret, one, randomUUID())).toThrow();
    for (const at of [0, 12, 28, secret.length - 1]) {
      const altered = Buffer.from(secret);
      altered[at]! ^= 1;
      expect(() => open(altered, one)).toThrow();
    }
    expect(() =>
      new SecretBox(KeyRing.of(Buffer.alloc(32))).open(secret, `webhook ${space.tenantId} ${one.id}`),
    ).toThrow();
  });

  it('is not in the log of the service, at any level', async () => {
    const lines = await logged(async () => {
      const loud = await TestApp.start({ logLevel: 'trace', databaseUrl: app.config.databaseUrl });
      const created = await loud.send(space.tenant, 'POST', PATH, BODY);
      await loud.send(space.tenant, 'POST', `${PATH}/${created.json.id}/secret/rotation`);
      expect(created.status).toBe(201);
      await loud.stop();
    });
    const log = lines.join('');
    // The negative control: the log contains the requests.
    expect(log).toContain('/secret/rotation');
    expect(log).not.toContain('whsec_');
  });
});

describe('POST /b2b/v2/webhook/:id/secret/rotation', () => {
  it('200 with a new secret and the end of the old one’s use: 24 hours later', async () => {
    const made = await space.endpoint({ description: 'Paie', actif: false });
    const before = Date.now();
    const answer = await rotate(made);
    const { secret, ancienSecretJusqua, derniereMAJ } = answer.json;
    const read = await space.send('GET', `${PATH}/${made.id}`);
    expect([answer.status, answer.text]).toEqual([
      200,
      JSON.stringify({ ...read.json, secret, ancienSecretJusqua }),
    ]);
    expect([secret, ancienSecretJusqua]).toEqual([
      expect.stringMatching(SECRET),
      expect.stringMatching(INSTANT),
    ]);
    expect(secret).not.toBe(made.secret);
    expect(Date.parse(ancienSecretJusqua)).toBeGreaterThanOrEqual(before + DAY_MS);
    expect(Date.parse(ancienSecretJusqua)).toBeLessThanOrEqual(Date.now() + DAY_MS);
    expect(derniereMAJ > read.json.dateCreation).toBe(true);
    const row = await sealedOf(made);
    expect(open(row.secret, made)).toBe(secret);
    expect(open(row.secret_precedent!, made)).toBe(made.secret);
    expect(row.secret_precedent_jusqua!.toISOString()).toBe(ancienSecretJusqua);
    expect(read.text).not.toContain('whsec_');
  });

  it('a second rotation keeps the first secret', async () => {
    const made = await space.endpoint();
    const second = (await rotate(made)).json.secret;
    const third = (await rotate(made)).json.secret;
    const row = await sealedOf(made);
    const kept = [row.secret, row.secret_precedent!, ...row.secrets_anciens];
    expect(kept.map((one) => open(one, made))).toEqual([third, second, made.secret]);
  });

  it('ten rotations at once: five are made and their secrets kept; 409 for the others until a secret has ended', async () => {
    const made = await space.endpoint();
    const answers = await Promise.all(times(10, () => rotate(made)));
    const done = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(done).toHaveLength(5);
    for (const answer of refused) expectProblem(answer, 409, 'Webhook.RotationsTropNombreuses');
    const row = await sealedOf(made);
    const kept = [row.secret, row.secret_precedent!, ...row.secrets_anciens].map((one) => open(one, made));
    const secrets = [made.secret, ...done.map(({ json }) => json.secret as string)];
    expect(kept.toSorted()).toEqual(secrets.toSorted());
    expect(kept.at(-1)).toBe(made.secret);
    await space.rows(
      `UPDATE webhook SET secrets_anciens_jusqua[4] = now() - interval '1 second' WHERE tenant_id = $1`,
    );
    expect((await rotate(made)).status).toBe(200);
  });

  it('400 for an unknown property of the body or the query', async () => {
    const made = await space.endpoint();
    const before = await sealedOf(made);
    expectFaults(await space.send('POST', `${PATH}/${made.id}/secret/rotation?secret=x`), {
      '?secret': 'unknown',
    });
    expect(await sealedOf(made)).toEqual(before);
  });
});

describe('Idempotency-Key', () => {
  it('409 Idempotence.NonRepetable for a repeated creation, without the secret and a second endpoint', async () => {
    const key = { 'Idempotency-Key': randomUUID() };
    const first = await space.send('POST', PATH, BODY, key);
    expect([first.status, first.json.secret]).toEqual([201, expect.stringMatching(SECRET)]);
    const again = await space.send('POST', PATH, BODY, key);
    expectProblem(again, 409, 'Idempotence.NonRepetable');
    expect(again.text).not.toContain('whsec_');
    // The instruction in the detail works: find the endpoint, and rotate its secret.
    const [{ id }] = (await space.send('GET', PATH)).json;
    expect(id).toBe(first.json.id);
    expect((await rotate({ id })).json.secret).toMatch(SECRET);
    expectProblem(
      await space.send('POST', PATH, { ...BODY, actif: false }, key),
      422,
      'Idempotence.CleReutilisee',
    );
    expect([await space.count('webhook'), (await space.journal()).length]).toEqual([1, 2]);
  });

  it('409 Idempotence.NonRepetable for a repeated rotation, and no second rotation', async () => {
    const made = await space.endpoint();
    const key = { 'Idempotency-Key': randomUUID() };
    const first = await rotate(made, key);
    const again = await rotate(made, key);
    expectProblem(again, 409, 'Idempotence.NonRepetable');
    expect(again.text).not.toContain('whsec_');
    const row = await sealedOf(made);
    expect([open(row.secret, made), open(row.secret_precedent!, made)]).toEqual([
      first.json.secret,
      made.secret,
    ]);
    // Without an Idempotency-Key the same request rotates again.
    expect((await rotate(made)).json.secret).not.toBe(first.json.secret);
  });

  it('repeated test, renvoyer and recuperer start once each', async () => {
    const { id } = await space.endpoint();
    const key = () => ({ 'Idempotency-Key': randomUUID() });
    const twice = async (path: string, body?: object) => {
      const headers = key();
      const first = await space.send('POST', `${PATH}/${id}${path}`, body, headers);
      const again = await space.send('POST', `${PATH}/${id}${path}`, body, headers);
      expect([first.status, again.status, again.text]).toEqual([202, 202, first.text]);
      return first.json;
    };
    const { id: livraisonId } = await twice('/test');
    expect(await space.jobs()).toHaveLength(1);
    await twice(`/livraisons/${livraisonId}/renvoyer`);
    // The job before has gone.
    expect((await space.jobs()).map(({ tour }) => tour)).toEqual([1]);
    await twice('/recuperer', { depuis: '2020-01-01' });
    expect([await space.count('livraison'), (await space.jobs()).length]).toEqual([2, 2]);
  });
});

describe('The audit trail', () => {
  it('has the key and request of each registration, change, rotation, test, replay, resend and deletion', async () => {
    const ids = times(7, () => randomUUID());
    const send = (at: number, method: string, path: string, body?: unknown) =>
      space.send(method, path, body, { 'X-Request-Id': ids[at]! });
    const { id } = (await send(0, 'POST', PATH, BODY)).json;
    await send(1, 'PUT', `${PATH}/${id}`, BODY);
    await send(2, 'POST', `${PATH}/${id}/secret/rotation`);
    await send(3, 'POST', `${PATH}/${id}/recuperer`, { depuis: '2020-01-01' });
    const { id: livraison } = (await send(4, 'POST', `${PATH}/${id}/test`)).json;
    expect((await send(5, 'POST', `${PATH}/${id}/livraisons/${livraison}/renvoyer`)).status).toBe(202);
    await send(6, 'DELETE', `${PATH}/${id}`);
    const actions = ['creer', 'modifier', 'rotation', 'recuperer', 'tester', 'renvoyer', 'supprimer'];
    expect(await space.journal()).toEqual(
      actions.map((action, at) => ({
        cle_id: space.tenant.cleId,
        action: `webhook.${action}`,
        objet_id: action === 'renvoyer' ? livraison : id,
        requete_id: ids[at],
      })),
    );
  });

  it('has no entry for reads and rejected requests', async () => {
    const { id } = await space.endpoint();
    await unchanged(app, async () => {
      for (const path of ['', `/${id}`, `/${id}/livraisons`]) await space.send('GET', PATH + path);
      await space.send('PUT', `${PATH}/${id}`, BODY, { 'If-Match': '"stale"' });
      await space.send('DELETE', `${PATH}/${id}`, undefined, { 'If-Match': '"stale"' });
      await space.send('PUT', `${PATH}/${id}`, { ...BODY, url: 'ftp://example.org' });
      await space.send('POST', `${PATH}/${id}/recuperer`, { depuis: 'hier' });
    });
  });
});
