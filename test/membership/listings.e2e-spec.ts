import { expectFaults } from '../http/expect-problem';
import { type Answer, TestApp } from '../setup/test-app';
import { perFile, perTest } from '../setup/fixtures';

const app = perFile(() => TestApp.start({ publicUrl: 'https://api.mandat.test/racine' }));
const tenant = perTest(() => app.tenant());

const list = (path: string) => app.send(tenant, 'GET', `/b2b/v1${path}`);
const identifiers = (answer: Answer): string[] =>
  answer.json.map((item: { idExterne: string }) => item.idExterne);

const write = (method: string, table: string, idExterne: string) =>
  app.send(tenant, method, `/b2b/v1/${table}`, {
    idExterne,
    nom: 'Neuf',
    ...(table === 'employe' ? { prenom: 'Neuf' } : {}),
  });

/** Inserts `count` rows, three to a millisecond, in an order of creation that is not that of their identifiers. */
async function fill(table: 'employe' | 'employeur', count: number): Promise<void> {
  await app.database.query(
    `INSERT INTO ${table} (tenant_id, id_externe, nom, ${table === 'employe' ? 'prenom,' : ''} date_creation, derniere_maj)
     SELECT $1, 'X-' || n, 'Nom ' || n, ${table === 'employe' ? `'Prénom ' || n,` : ''} at, at FROM (
       SELECT n, timestamptz '2026-01-01T00:00:00Z' + (n * 7919 % $2 / 3) * interval '1 millisecond' AS at FROM generate_series(1, $2::int) n
     ) s`,
    [tenant.tenantId, count],
  );
}

async function inOrder(table: string): Promise<string[]> {
  const text = `SELECT id_externe FROM ${table} WHERE tenant_id = $1 ORDER BY date_creation, id_unique`;
  const { rows } = await app.database.query<{ id_externe: string }>(text, [tenant.tenantId]);
  return rows.map((row) => row.id_externe);
}

/** Returns the path of the next page from its absolute link. */
function nextOf(answer: Answer): string | undefined {
  const link = answer.headers.get('link');
  if (link === null) return undefined;
  const [, url] = /^<([^>]+)>; rel="next"$/.exec(link) ?? [];
  expect(url).toMatch(/^https:\/\/api\.mandat\.test\/racine\/b2b\/v1\/employe/);
  return url!.replace('https://api.mandat.test/racine/b2b/v1', '');
}

async function walk(path: string, onPage?: (page: number) => Promise<unknown>): Promise<string[][]> {
  const pages: string[][] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const answer = await list(next);
    expect(answer.status).toBe(200);
    pages.push(identifiers(answer));
    await onPage?.(pages.length);
    next = nextOf(answer);
  }
  return pages;
}

describe.each(['employe', 'employeur'] as const)('GET /b2b/v1/%s', (table) => {
  it.each([
    [100, 25],
    [1000, 3],
  ])(
    'pages of %d contain 2,500 items exactly once, in the order of their creation',
    async (limite, count) => {
      await fill(table, 2500);
      const pages = await walk(`/${table}?limite=${limite}`);
      expect(pages).toHaveLength(count);
      expect(pages.flat()).toEqual(await inOrder(table));
    },
  );

  it('the next link keeps the other parameters, and the alias of the request', async () => {
    await fill(table, 5);
    const answer = await list(`/${table}?modifieDepuis=2026-01-01T00:00:00%2B00:00&limite=2`);
    const next = new URL(answer.headers.get('link')!.slice(1).split('>')[0]!);
    expect(next.searchParams.get('limite')).toBe('2');
    expect(next.searchParams.get('modifieDepuis')).toBe('2026-01-01T00:00:00+00:00');
    expect(await list(nextOf(answer)!)).toMatchObject({ status: 200, json: { length: 2 } });
    if (table === 'employeur') return;
    const alias = await app.send(tenant, 'GET', '/api/b2b/employes?limite=2');
    expect(alias.headers.get('link')).toContain('<https://api.mandat.test/racine/api/b2b/employes?');
  });

  it('without limite, 12,345 items are streamed, complete, well-formed, in the order of their creation', async () => {
    await fill(table, 12_345);
    const answer = await list(`/${table}`);
    expect([answer.status, answer.headers.get('transfer-encoding')]).toEqual([200, 'chunked']);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(identifiers(answer)).toEqual(await inOrder(table));
  });

  it.each([1_499, 1_500, 1_501, 6_000])('without limite, %d items are complete', async (count) => {
    await fill(table, count);
    expect(identifiers(await list(`/${table}`))).toEqual(await inOrder(table));
  });

  it('modifieDepuis is inclusive to the millisecond and finds changes', async () => {
    await fill(table, 9);
    const since = (instant: string) => list(`/${table}?modifieDepuis=${instant}`);
    expect(identifiers(await since('2026-01-01T00:00:00.001Z'))).toHaveLength(6);
    expect(identifiers(await since('2026-01-01T00:00:00.002Z'))).toHaveLength(3);
    expect(identifiers(await since('2025-12-31T19:00:00.002-05:00'))).toHaveLength(3);
    // An unescaped + of an offset arrives as a space.
    expect(identifiers(await since('2026-01-01T02:00:00.002+02:00'))).toHaveLength(3);
    expect(identifiers(await since('2026-01-01'))).toHaveLength(9);
    const changed = await write('PUT', table, 'X-5');
    const later = await since(changed.json.derniereMAJ);
    expect(later.json).toEqual([changed.json]);
  });

  it('400 for unknown, duplicate, empty or out-of-range parameters', async () => {
    const faults: [string, Record<string, string>][] = [
      ['modifiedepuis=2026-01-01', { '?modifiedepuis': 'unknown' }],
      ['Limite=5', { '?Limite': 'unknown' }],
      ['limite=5&limite=6', { '?limite': 'duplicate' }],
      ['limite=', { '?limite': 'required' }],
      ['limite=0', { '?limite': 'range' }],
      ['limite=1001', { '?limite': 'range' }],
      ['limite=ten&x[y]=1', { '?limite': 'type', '?x[y]': 'unknown' }],
      ['modifieDepuis=', { '?modifieDepuis': 'required' }],
      ['modifieDepuis=2026-01-01T00:00:00', { '?modifieDepuis': 'date' }],
      ['modifieDepuis=2026-02-30T00:00:00Z', { '?modifieDepuis': 'date' }],
      ['modifieDepuis=01/02/2026', { '?modifieDepuis': 'date' }],
    ];
    for (const [query, expected] of faults) expectFaults(await list(`/${table}?${query}`), expected);
  });
});
