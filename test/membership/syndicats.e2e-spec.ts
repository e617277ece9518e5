import { type Answer, TestApp } from '../setup/test-app';
import { GUID, INSTANT, synced, syncedV1, times, walk } from './synced';
import { perFile, perTest } from '../setup/fixtures';

const app = perFile(() => TestApp.start());
const tenant = perTest(() => app.tenant());

const PATH = '/b2b/v2/syndicat';
const get = (path = '', headers?: Record<string, string>, caller = tenant) =>
  app.send(caller, 'GET', PATH + path, undefined, headers);
const employeur = (IdentifiantExterne: string, Nom = `Usine ${IdentifiantExterne}`) => ({
  IdentifiantExterne,
  Nom,
});
const syndicat = (IdentifiantExterne: string, ...employeurs: string[]) => ({
  IdentifiantExterne,
  Nom: `Syndicat ${IdentifiantExterne}`,
  Employeurs: employeurs.map((id) => employeur(id)),
});
const write = (...Syndicats: object[]) => synced(app, tenant, { Syndicats });
const identifiers = ({ json }: Answer): string[] =>
  json.map((item: { identifiantExterne: string }) => item.identifiantExterne);
/** Sorted: the employers of one request are in no order that a test should know. */
const employeursOf = async (id: string): Promise<string[]> =>
  identifiers({ json: (await get(`/${id}`)).json.employeurs } as Answer).sort();

describe('GET /b2b/v2/syndicat/:idExterne', () => {
  it('answers every field in its order, with the employers in that of their creation, as compact JSON', async () => {
    await syncedV1(app, tenant, { employeurs: [{ idExterne: 'EMP-9', nom: 'Aciérie' }] });
    // One at a time: those of one request are created at the same time.
    await write(syndicat('SYN-1', 'EMP-2'));
    for (const [id, nom] of [
      ['EMP-1', 'Usine EMP-1'],
      ['EMP-9', 'Aciérie'],
      ['EMP-0', 'Forge "4"'],
    ] as const) {
      await write({ ...syndicat('SYN-1'), Employeurs: [employeur(id, nom)] });
    }
    const answer = await get('/SYN-1');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    const { idUnique, derniereMAJ, dateCreation } = answer.json;
    expect(idUnique).toMatch(GUID);
    expect([derniereMAJ, dateCreation]).toEqual([
      expect.stringMatching(INSTANT),
      expect.stringMatching(INSTANT),
    ]);
    expect(answer.text).toBe(
      JSON.stringify({
        identifiantExterne: 'SYN-1',
        nom: 'Syndicat SYN-1',
        employeurs: [
          { identifiantExterne: 'EMP-9', nom: 'Aciérie' },
          { identifiantExterne: 'EMP-2', nom: 'Usine EMP-2' },
          { identifiantExterne: 'EMP-1', nom: 'Usine EMP-1' },
          { identifiantExterne: 'EMP-0', nom: 'Forge "4"' },
        ],
        idUnique,
        derniereMAJ,
        dateCreation,
      }),
    );
    expect((await get()).text).toBe(`[${answer.text}]`);
    expect((await app.send(tenant, 'GET', `/api${PATH}/SYN-1`)).text).toBe(answer.text);
  });

  it('a union without employers has an empty list; an employer may be in several unions', async () => {
    await write(syndicat('SYN-1', 'EMP-1'), syndicat('SYN-2'), syndicat('SYN-3', 'EMP-1', 'EMP-2'));
    expect(await employeursOf('SYN-1')).toEqual(['EMP-1']);
    expect(await employeursOf('SYN-2')).toEqual([]);
    expect(await employeursOf('SYN-3')).toEqual(['EMP-1', 'EMP-2']);
  });

  it('an employer that is left out stays; one that is deleted goes', async () => {
    await write(syndicat('SYN-1', 'EMP-1', 'EMP-2'));
    await write(syndicat('SYN-1', 'EMP-3'));
    expect(await employeursOf('SYN-1')).toEqual(['EMP-1', 'EMP-2', 'EMP-3']);
    expect((await app.send(tenant, 'DELETE', '/b2b/v1/employeur/EMP-2')).status).toBe(204);
    expect(await employeursOf('SYN-1')).toEqual(['EMP-1', 'EMP-3']);
  });

  it('shows the employer’s current name, also after a V1 write', async () => {
    await write(syndicat('SYN-1', 'EMP-1'));
    await app.send(tenant, 'PUT', '/b2b/v1/employeur', { idExterne: 'EMP-1', nom: 'Forge' });
    expect((await get('/SYN-1')).json.employeurs).toEqual([{ identifiantExterne: 'EMP-1', nom: 'Forge' }]);
  });

  it('derniereMAJ moves with the name and with a new employer, and not with the same again', async () => {
    await write(syndicat('SYN-1', 'EMP-1'));
    const aged = async (): Promise<string> => {
      await app.database.query(
        `UPDATE syndicat SET derniere_maj = derniere_maj - interval '1 minute' WHERE tenant_id = $1`,
        [tenant.tenantId],
      );
      return (await get('/SYN-1')).json.derniereMAJ;
    };
    const before = await aged();
    await write(syndicat('SYN-1', 'EMP-1'));
    expect((await get('/SYN-1')).json.derniereMAJ).toBe(before);
    await write(syndicat('SYN-1', 'EMP-2'));
    expect((await get('/SYN-1')).json.derniereMAJ > before).toBe(true);
    const again = await aged();
    await write({ IdentifiantExterne: 'SYN-1', Nom: 'Autre' });
    const { nom, derniereMAJ } = (await get('/SYN-1')).json;
    expect([nom, derniereMAJ > again]).toEqual(['Autre', true]);
  });

  it('304 without a body for If-None-Match with its ETag, 200 once an employer has come or has another name', async () => {
    await write(syndicat('SYN-1', 'EMP-1'));
    const etag = (await get('/SYN-1')).headers.get('etag')!;
    expect(etag).toMatch(/^"[^"]+"$/);
    for (const held of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const answer = await get('/SYN-1', { 'If-None-Match': held });
      expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([304, '', etag]);
    }
    expect((await get('/SYN-1', { 'If-None-Match': '"x"' })).status).toBe(200);
    await app.send(tenant, 'PUT', '/b2b/v1/employeur', { idExterne: 'EMP-1', nom: 'Forge' });
    const renamed = await get('/SYN-1', { 'If-None-Match': etag });
    expect(renamed.status).toBe(200);
    await write(syndicat('SYN-1', 'EMP-2'));
    expect((await get('/SYN-1', { 'If-None-Match': renamed.headers.get('etag')! })).status).toBe(200);
  });
});

describe('GET /b2b/v2/syndicat', () => {
  it('lists the unions in the order of their creation; pages walk them exactly once', async () => {
    for (const batch of ['B', 'C', 'A']) {
      await write(...times(10, (n) => syndicat(`${batch}-${n}`, `EMP-${n}`, `EMP-${batch}`)));
    }
    const whole = await get();
    expect(
      identifiers(whole)
        .map((id) => id.charAt(0))
        .join(''),
    ).toBe('B'.repeat(10) + 'C'.repeat(10) + 'A'.repeat(10));
    const place = ({ dateCreation, idUnique }: Record<string, string>) => `${dateCreation} ${idUnique}`;
    expect(whole.json.map(place)).toEqual(whole.json.map(place).sort());
    for (const limite of [1, 7, 30, 1000]) {
      const pages = await walk(app, tenant, `${PATH}?limite=${limite}`);
      expect(pages).toHaveLength(Math.ceil(30 / limite));
      expect(pages.flat()).toEqual(whole.json);
    }
  });

  it('without limite, 6,000 unions are streamed complete', async () => {
    await write(...times(6_000, (n) => syndicat(`SYN-${n}`, `EMP-${n % 10}`)));
    const answer = await get();
    expect(answer.headers.get('transfer-encoding')).toBe('chunked');
    expect(new Set(identifiers(answer)).size).toBe(6_000);
    expect(answer.json).toHaveLength(6_000);
  });
});
