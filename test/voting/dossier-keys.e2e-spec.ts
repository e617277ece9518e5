import { compactVerify, createLocalJWKSet, flattenedVerify, type JSONWebKeySet } from 'jose';
import { randomBytes } from 'node:crypto';
import { DossierKeys } from '../../libs/voting/src/application/dossier-keys';
import { TestApp } from '../setup/test-app';
import { Campaigns } from './support/campaigns';

const JWKS = '/.well-known/jwks.json';
const PAYLOAD = Buffer.from('{"campagneId":"…"}');

describe('the keys that sign counts', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await TestApp.own('changes the application');
  });
  afterAll(() => app.stop());

  const listed = async (of = app): Promise<JSONWebKeySet> => (await of.send(undefined, 'GET', JWKS)).json;

  it('are public, without a private part', async () => {
    const answer = await app.send(undefined, 'GET', JWKS);
    expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      200,
      expect.stringMatching(/^application\/jwk-set\+json/),
      'public, max-age=60',
    ]);
    const names = ['alg', 'crv', 'kid', 'kty', 'use', 'x'];
    expect(answer.json.keys.map((key: object) => Object.keys(key).sort())).toEqual([names]);
  });

  it('sign so that an independent library verifies it by the public list', async () => {
    const keys = app.app.get(DossierKeys);
    await keys.ready();
    const set = createLocalJWKSet(await listed());
    const { payload } = await compactVerify(keys.jws(PAYLOAD), set);
    expect(Buffer.from(payload).equals(PAYLOAD)).toBe(true);
    const [header, middle, signature] = (await keys.detachedJws(PAYLOAD)).split('.');
    expect(middle).toBe('');
    const whole = { protected: header!, signature: signature! };
    await flattenedVerify({ ...whole, payload: PAYLOAD.toString('base64url') }, set);
    const other = Buffer.from('{"campagneId":"…!"}').toString('base64url');
    await expect(flattenedVerify({ ...whole, payload: other }, set)).rejects.toThrow();
  });

  it('stay listed when another one replaces them, and are listed by every process', async () => {
    const [before] = (await listed()).keys;
    const { databaseUrl } = app.config;
    const second = await TestApp.start({
      databaseUrl,
      dossierSigningKey: randomBytes(32).toString('base64'),
    });
    try {
      const kids = (await listed(second)).keys.map(({ kid }) => kid);
      expect(kids).toHaveLength(2);
      expect(kids).toContain(before!.kid);
    } finally {
      await second.stop();
    }
  });

  it('are required before a campaign is published, and for nothing else', async () => {
    const without = await TestApp.start({ dossierSigningKey: undefined });
    try {
      const campaigns = new Campaigns(without, await without.tenant());
      const id = await campaigns.draft();
      await campaigns.question(id);
      await campaigns.votant(id);
      const refused = await campaigns.send('POST', `/${id}/publier`);
      expect([refused.status, refused.json.code]).toEqual([503, 'Service.Indisponible']);
      expect(refused.json.detail).toContain('DOSSIER_SIGNING_KEY');
      expect((await campaigns.sent('GET', `/${id}`)).json.etat).toBe('Brouillon');
      expect((await listed(without)).keys).toEqual([]);
    } finally {
      await without.stop();
    }
  });

  it('are required to start in production once a campaign is published', async () => {
    const { databaseUrl, secretsKey } = app.config;
    const start = (): Promise<TestApp> =>
      TestApp.start({ databaseUrl, secretsKey, production: true, dossierSigningKey: undefined });
    await (await start()).stop();
    const campaigns = new Campaigns(app, await app.tenant());
    const id = await campaigns.draft();
    await campaigns.question(id);
    await campaigns.votant(id);
    await campaigns.sent('POST', `/${id}/publier`);
    const refusal = /^DOSSIER_SIGNING_KEY is not set, and a campaign is published/;
    await expect(start()).rejects.toThrow(refusal);
    // The count of a sealed box is signed with its bundle.
    const seal =
      'UPDATE campagne SET urne_fermee_par = pg_current_xact_id(), urne_scellee = true, dossier_du = $2 WHERE id_unique = $1';
    await app.database.query(seal, [id, true]);
    await expect(start()).rejects.toThrow(refusal);
    await app.database.query(seal, [id, false]);
    await (await start()).stop();
    // That of an encrypted vote, once its guardians have decrypted the sums.
    const waits = 'UPDATE campagne SET chiffree = $2 WHERE id_unique = $1';
    await app.database.query(waits, [id, true]);
    await expect(start()).rejects.toThrow(refusal);
    await app.database.query(waits, [id, false]);
    await (await start()).stop();
  });

  it('other keys than Ed25519 stop the start; the message does not show them', async () => {
    await expect(TestApp.start({ dossierSigningKey: 'c2VjcmV0' })).rejects.toThrow(
      /^DOSSIER_SIGNING_KEY must be an Ed25519 private key/,
    );
  });
});
