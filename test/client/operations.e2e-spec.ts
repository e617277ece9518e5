import {
  administration,
  eachItem,
  eachPage,
  idempotencyKey,
  partenaire,
  plateforme,
  type Partenaire,
  ProblemError,
  type Wait,
} from '@mandat/client';
import { RateLimiterService } from '../../libs/clients/src/application/rate-limiter.service';
import { seedEvents, Space } from '../webhooks/support/space';
import { TestApp, type TestTenant } from '../setup/test-app';
import { Relay } from './support/relay';

const SIZE = 357;

let app: TestApp;
let tenant: TestTenant;
let mandat: Partenaire;
let waits: Wait[];

beforeAll(async () => {
  app = await TestApp.own('sees all tenants');
});
afterAll(() => app.stop());
beforeEach(async () => {
  tenant = await app.tenant();
  waits = [];
  mandat = connect();
});

function connect(options: Partial<Parameters<typeof partenaire>[0]> = {}): Partenaire {
  return partenaire({
    address: app.url,
    key: tenant.cle,
    onWait: (wait) => void waits.push(wait),
    ...options,
  });
}

async function refusalOf(call: Promise<unknown>): Promise<ProblemError> {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ProblemError);
  return error as ProblemError;
}

const ids = Array.from({ length: SIZE }, (_, at) => `E-${String(at).padStart(4, '0')}`);

/** Syncs employees; the last one is rejected. */
async function sync(): Promise<void> {
  const employes = ids.map((idExterne) => ({ idExterne, prenom: 'Zoé', nom: 'Roy' }));
  const { data } = await mandat.syncV1.sync({
    body: { employes: [...employes, { idExterne: 'BAD', prenom: 'Zoé', nom: 'Roy', courriel: 'no' }] },
    headers: idempotencyKey(),
  });
  expect(data).toEqual({
    created: SIZE,
    updated: 0,
    errors: [{ idExterne: 'BAD', message: 'invalid e-mail' }],
  });
}

describe('A list', () => {
  it('is read page by page with nothing lost or doubled', async () => {
    await sync();
    const read: string[] = [];
    for await (const { idExterne } of eachItem((page) => mandat.employes.list({ query: page }), {
      limite: 50,
    }))
      read.push(idExterne);
    expect(read).toEqual(ids);

    const sizes: number[] = [];
    for await (const { items } of eachPage((page) => mandat.employesV2.list({ query: page })))
      sizes.push(items.length);
    expect(sizes).toEqual([100, 100, 100, 57]);
  });

  it('keeps its filters from page to page', async () => {
    await sync();
    const since = (await mandat.employes.get({ path: { idExterne: ids.at(-1)! } })).data.derniereMAJ;
    await mandat.employes.replace({ body: { idExterne: 'E-0003', prenom: 'Léo', nom: 'Roy' } });
    await mandat.employes.replace({ body: { idExterne: 'E-0001', prenom: 'Léo', nom: 'Roy' } });
    const changed: string[] = [];
    const modifieDepuis = new Date(Date.parse(since) + 1).toISOString();
    for await (const { idExterne } of eachItem(
      (page) => mandat.employes.list({ query: { ...page, modifieDepuis } }),
      { limite: 1 },
    ))
      changed.push(idExterne);
    expect(changed.sort()).toEqual(['E-0001', 'E-0003']);
  });

  it('an empty list has no page', async () => {
    const pages = eachPage((page) => mandat.syndicats.list({ query: page }));
    expect(await pages.next()).toEqual({ done: true, value: undefined });
  });

  it('a list that grows at its end continues from the last cursor', async () => {
    const space = await Space.open(app);
    await seedEvents(space, 7);
    const { cle } = space.tenant;
    let kept: string | undefined;
    const follow = async (): Promise<string[]> => {
      const found: string[] = [];
      const list = eachPage((page) => connect({ key: cle }).evenements.list({ query: page }), {
        limite: 3,
        ...(kept ? { curseur: kept } : {}),
      });
      for await (const { items, curseur } of list) {
        found.push(...items.map(({ id }) => id));
        kept = curseur;
      }
      return found;
    };
    const first = await follow();
    expect(first.sort()).toEqual((await space.eventIds()).sort());
    expect(first).toHaveLength(8);
    expect(await follow()).toEqual([]);
    await space.sync();
    const [added] = await follow();
    expect(await space.eventIds()).toContain(added);
    expect(first).not.toContain(added);
  });
});

describe('A refusal', () => {
  it('is an error with the exact code, on every surface', async () => {
    const error = await refusalOf(mandat.employes.get({ path: { idExterne: 'INCONNU' } }));
    expect(error).toMatchObject({ status: 404, code: 'Employe.NotFound', errors: [] });
    expect(error.type).toBe('http://mandat.test/docs/erreurs#Employe.NotFound');
    expect(error.requestId).toMatch(/^\S{8,}$/);
    expect(error.traceId).toMatch(/^[0-9a-f]{32}$/);

    const platform = plateforme({ address: app.url, key: (await app.platformOf(tenant)).cle });
    const unknown = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f21';
    expect((await refusalOf(platform.signing.get({ path: { id: unknown } }))).code).toBe('Adhesion.NotFound');
    const admin = administration({ address: app.url, key: app.adminKey });
    expect((await refusalOf(admin.clients.get({ path: { clientId: unknown } }))).code).toBe(
      'Client.NotFound',
    );
    expect((await admin.clients.get({ path: { clientId: tenant.clientId } })).data.id).toBe(tenant.clientId);
    expect((await refusalOf(connect({ key: 'mdt_stg_no' }).moi.get())).code).toBe('Cle.Invalide');
  });

  it('names every fault of the request', async () => {
    const body = { idExterne: '', prenom: 'Zoé', nom: 'Roy', courriel: 'no' };
    const error = await refusalOf(mandat.employes.create({ body }));
    expect(error.code).toBe('Requete.Invalide');
    expect(error.errors.map(({ pointer }) => pointer).sort()).toEqual(['/courriel', '/idExterne']);
  });

  it('also represents 304 and 412', async () => {
    const { response } = await mandat.employes.create({
      body: { idExterne: 'E', prenom: 'Zoé', nom: 'Roy' },
    });
    const etag = response.headers.get('etag')!;
    const path = { idExterne: 'E' };
    const unchanged = await refusalOf(mandat.employes.get({ path, headers: { 'If-None-Match': etag } }));
    expect(unchanged).toMatchObject({ status: 304, code: undefined });
    const stale = await refusalOf(mandat.employes.delete({ path, headers: { 'If-Match': '"stale"' } }));
    expect(stale.code).toBe('Precondition.Echouee');
    expect((await mandat.employes.delete({ path, headers: { 'If-Match': etag } })).response.status).toBe(204);
  });
});

describe('A POST under a key', () => {
  const body = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' };

  it('a repetition returns the first response', async () => {
    const headers = idempotencyKey('import of 2030-03-01');
    const first = await mandat.employes.create({ body, headers });
    const again = await mandat.employes.create({ body, headers });
    expect(again.response.headers.get('idempotent-replayed')).toBe('true');
    expect(again.data).toEqual(first.data);
    const other = await refusalOf(mandat.employes.create({ body: { ...body, nom: 'Tremblay' }, headers }));
    expect(other.code).toBe('Idempotence.CleReutilisee');
    // The control: without the key it would be done twice.
    expect((await refusalOf(mandat.employes.create({ body }))).code).toBe('Employe.IdExterneDejaUtilise');
  });

  it('is repeated after a broken connection, and has one effect', async () => {
    const relay = await Relay.to(app.url);
    try {
      const through = connect({ address: relay.url });
      relay.breaks = 1;
      const titre = 'Entente';
      const draft = {
        titre,
        ouvertureDuVoteUtc: '2030-03-01T13:00:00Z',
        fermetureDuVoteUtc: '2030-03-08T22:00:00Z',
      };
      const { data: id, response } = await through.campagnes.create({
        body: draft,
        headers: idempotencyKey(),
      });
      expect(response.headers.get('idempotent-replayed')).toBe('true');
      expect(waits).toMatchObject([{ attempt: 1, status: undefined }]);
      const { data: campagnes } = await mandat.campagnes.list();
      expect(campagnes.map((campagne) => [campagne.id, campagne.titre])).toEqual([[id, titre]]);

      // The control: without a key the call throws, although the work was done.
      relay.breaks = 1;
      const call = through.campagnes.create({ body: { ...draft, titre: 'Grève' } });
      await expect(call).rejects.toMatchObject({ name: 'ConnectionError', repeatable: false });
      expect((await mandat.campagnes.list()).data).toHaveLength(2);
    } finally {
      await relay.stop();
    }
  });
});

describe('The limit of a key', () => {
  it('the client waits for Retry-After, and the repeated call succeeds', async () => {
    tenant = await app.tenant({ limiteParMinute: 3 });
    const limiter = app.app.get(RateLimiterService);
    const slept: number[] = [];
    mandat = connect({
      sleep: async (seconds) => {
        slept.push(seconds);
        // The key's minute is over, as if the clock had moved on.
        limiter['windows'].delete(tenant.cleId);
        await app.database.query('DELETE FROM rate_window WHERE cle_id = $1', [tenant.cleId]);
      },
    });
    for (let call = 0; call < 8; call++) await mandat.moi.get();
    expect(slept.length).toBeGreaterThanOrEqual(2);
    for (const seconds of slept) {
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(60);
    }
    expect(waits).toEqual(slept.map((seconds) => ({ seconds, attempt: 1, status: 429 })));
  });

  it('a wait above the maximum is an error', async () => {
    tenant = await app.tenant({ limiteParMinute: 1 });
    mandat = connect({ maxWaitSeconds: 0 });
    const calls = await Promise.allSettled(Array.from({ length: 4 }, () => mandat.moi.get()));
    const reasons = calls.flatMap((call) =>
      call.status === 'rejected' ? [call.reason as ProblemError] : [],
    );
    expect(reasons.length).toBeGreaterThanOrEqual(2);
    for (const { code } of reasons) expect(code).toBe('Debit.Depasse');
    expect(waits).toEqual([]);
  });
});
