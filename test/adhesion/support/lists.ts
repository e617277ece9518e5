import type { Answer, TestApp } from '../../setup/test-app';

type Caller = Parameters<TestApp['send']>[0];

/** The properties of a card that both versions show alike. */
export interface CardItem {
  idUniqueAdhesion: string;
  dateSignature: string;
  syndicatIdExterne: string;
  [property: string]: unknown;
}

export const idsOf = ({ json }: Pick<Answer<CardItem[]>, 'json'>): string[] =>
  json.map(({ idUniqueAdhesion }) => idUniqueAdhesion);

/** Newest signature first, then the greater id. */
export function newestFirst(one: CardItem, other: CardItem): number {
  const [a, b] = [one, other].map((card) => card.dateSignature + card.idUniqueAdhesion);
  return a! < b! ? 1 : -1;
}

/** Returns the path of the next page from its link; the header may have other links. */
export function nextOf(app: TestApp, answer: Answer): string | undefined {
  const link = answer.headers.get('link') ?? '';
  const [, url] = /<([^>]+)>; rel="next"/.exec(link) ?? [];
  // An unreadable link must not look like the end of the list.
  expect(url === undefined).toBe(!link.includes('next'));
  return url?.slice(app.config.publicUrl.length);
}

/** Returns the pages of a list from the first one on. */
export async function pagesOf(
  app: TestApp,
  caller: Caller,
  path: string,
  onPage?: (page: number) => Promise<unknown>,
): Promise<CardItem[][]> {
  const pages: CardItem[][] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const answer: Answer<CardItem[]> = await app.send(caller, 'GET', next);
    expect(answer.status).toBe(200);
    pages.push(answer.json);
    await onPage?.(pages.length);
    next = nextOf(app, answer);
  }
  return pages;
}

/**
 * Adds cards of E-1 and SYN-1 without the service, which would take minutes: three to a millisecond, in an order of
 * signature that is not that of their ids.
 */
export async function fillCards(app: TestApp, tenantId: string, count: number): Promise<void> {
  await app.database.query(
    `INSERT INTO adhesion (tenant_id, id_externe_employe, employe_id_unique, syndicat_id_externe, prenom, nom, courriel,
       date_signature, a_signature_manuscrite, valeurs_champ)
     SELECT $1, e.id_externe, e.id_unique, 'SYN-1', 'Zoé', 'Roy', 'zoe.roy@example.org',
       timestamptz '2026-01-01T00:00:00Z' + (n * 7919 % $2 / 3) * interval '1 millisecond', false, '[]'
     FROM generate_series(1, $2::int) n, employe e WHERE e.tenant_id = $1 AND e.id_externe = 'E-1'`,
    [tenantId, count],
  );
}

/** Returns the ids of all cards of a tenant in the expected order of its lists. */
export async function inOrder(app: TestApp, tenantId: string): Promise<string[]> {
  const { rows } = await app.database.query<{ id: string }>(
    `SELECT id_unique AS id FROM adhesion WHERE tenant_id = $1 ORDER BY date_signature DESC, id_unique DESC`,
    [tenantId],
  );
  return rows.map(({ id }) => id);
}
