import type { Answer, TestApp } from '../setup/test-app';

/** The lists of a V2 sync, as loosely typed as a partner's own code has them. */
export interface SyncV2 {
  Syndicats?: object[];
  Employes?: object[];
  ObjetsConsentement?: object[];
}

type Caller = Parameters<TestApp['send']>[0];

/** Sends a V2 sync and asserts that it has no errors, because the test needs all of its records. */
export async function synced(app: TestApp, caller: Caller, body: SyncV2): Promise<Answer> {
  const answer = await app.send(caller, 'POST', '/b2b/v2/sync', body);
  expect(answer.status).toBe(200);
  const counts = Object.values(answer.json as Record<string, { Erreurs: unknown[] }>);
  expect(counts.flatMap(({ Erreurs }) => Erreurs)).toEqual([]);
  return answer;
}

/** Sends a sync of V1 of which every record must be accepted. */
export async function syncedV1(app: TestApp, caller: Caller, body: object): Promise<Answer> {
  const answer = await app.send(caller, 'POST', '/b2b/v1/employe/sync', body);
  expect({ status: answer.status, errors: answer.json.errors }).toEqual({ status: 200, errors: [] });
  return answer;
}

/** The pages of a list from its first one on, as their `Link`s lead. */
export async function walk<T = Answer['json']>(app: TestApp, caller: Caller, path: string): Promise<T[][]> {
  const pages: T[][] = [];
  for (let next: string | undefined = path; next !== undefined;) {
    const answer: Answer = await app.send(caller, 'GET', next);
    expect(answer.status).toBe(200);
    pages.push(answer.json);
    const link = answer.headers.get('link');
    const [, url] = (link === null ? undefined : /^<([^>]+)>; rel="next"$/.exec(link)) ?? [];
    // A link that cannot be read must not pass for the end of the list.
    expect(url === undefined).toBe(link === null);
    next = url?.slice(app.config.publicUrl.length);
  }
  return pages;
}

/** Returns the parts of a response that do not depend on the request, to compare two responses. */
export function comparable({ status, json, headers }: Answer): object {
  return { status, ...json, instance: '', traceId: '', headers: [...headers.keys()] };
}

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));

export const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
export const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
