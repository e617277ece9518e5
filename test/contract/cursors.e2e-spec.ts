import { TestApp } from '../setup/test-app';
import { perFile } from '../setup/fixtures';
import { surfacesOf } from './support/documents';
import { CALLS } from './support/registry';
import type { Route } from './support/router';
import { Rows } from './support/rows';
import { openSpaces, type Space, type Spaces } from './support/spaces';
import { samplersOf } from './support/walk';

const REFUSED = { code: 'Requete.Invalide', errors: [{ pointer: '?curseur', code: 'cursor' }] };

/** A list of the caller: its address, its parameters, and a cursor of it. */
interface List {
  readonly route: Route;
  readonly path: string;
  readonly parameters: string[];
  readonly key: string;
  readonly cursor: string;
  readonly foreign: string;
}

jest.setTimeout(600_000);

describe('a cursor belongs to its list, its data space and its filters', () => {
  const app = perFile(() => TestApp.own('changes the schema'));
  let spaces: Spaces;
  let lists: List[];

  async function nextOf(key: string, path: string): Promise<string> {
    const link = (await app.send(key, 'GET', `${path}?limite=1`)).headers.get('link') ?? '';
    const [, next] = /<([^>]*)>; rel="next"/.exec(link) ?? [];
    return next ? new URL(next).searchParams.get('curseur')! : '';
  }

  beforeAll(async () => {
    spaces = await openSpaces(app, await Rows.of(app.database));
    const samplers = await samplersOf(app);
    const operations = (await surfacesOf(app)).flatMap((surface) => surface.operations);
    lists = [];
    for (const [route, sampler] of samplers) {
      const operation = operations.find(({ name }) => name === route.name);
      const parameters = (operation?.parameters ?? []).flatMap((one) =>
        one.in === 'query' ? [one.name] : [],
      );
      if (!parameters.includes('curseur')) continue;
      const urlOf = (space: Space): URL => {
        const paths = sampler(space.identifiers, spaces.own.identifiers).map(({ path }) => path);
        return new URL(paths.find((path) => /[?&]curseur=/.test(path)) ?? paths[0]!, 'http://mandat.test');
      };
      const cursorOf = (space: Space): string => urlOf(space).searchParams.get('curseur') ?? '';
      const role = route.requirement!.role;
      const key = role === 'admin' ? app.adminKey : spaces.own.keys[role];
      const path = urlOf(spaces.own).pathname;
      const own = (await nextOf(key, path)) || cursorOf(spaces.own);
      // Samples share the cursor of two lists, of which one has a single page.
      const cursor = lists.some((list) => list.cursor === own) ? '' : own;
      lists.push({ route, path, parameters, key, cursor, foreign: cursorOf(spaces.other) });
    }
  });

  const get = ({ key, path }: List, query: string) => app.send(key, 'GET', `${path}?${query}`);

  it('every list takes its own cursor, with any limite', async () => {
    expect(lists.length).toBeGreaterThan(20);
    const single = lists.filter(({ cursor }) => !cursor).map(({ route }) => route.name);
    expect(single.filter((name) => !CALLS.get(name)?.hasOnePage)).toEqual([]);
    for (const list of lists.filter(({ cursor }) => cursor)) {
      for (const query of [`curseur=${list.cursor}`, `limite=7&curseur=${list.cursor}`]) {
        const { status } = await get(list, query);
        expect({ list: list.route.name, status }).toEqual({ list: list.route.name, status: 200 });
      }
    }
  });

  it('every list refuses the cursor of every other list', async () => {
    for (const list of lists) {
      for (const other of lists) {
        if (!other.cursor || other.path === list.path) continue;
        const { json } = await get(list, `limite=1&curseur=${other.cursor}`);
        expect({ list: list.route.name, of: other.route.name, json }).toMatchObject({ json: REFUSED });
      }
    }
  });

  it('every list refuses the cursor of another data space', async () => {
    for (const list of lists.filter(({ foreign }) => foreign)) {
      const { json } = await get(list, `limite=1&curseur=${list.foreign}`);
      expect({ list: list.route.name, json }).toMatchObject({ json: REFUSED });
    }
  });

  it('every list refuses its cursor with another filter', async () => {
    const walked = new Set<string>();
    for (const list of lists.filter(({ cursor }) => cursor)) {
      for (const name of list.parameters.filter((one) => !['limite', 'curseur'].includes(one))) {
        const answers = [];
        for (const value of ['true', '2026-01-01', '00000000-0000-4000-8000-000000000000', 'x']) {
          answers.push((await get(list, `${name}=${value}&curseur=${list.cursor}`)).json);
        }
        // A value of another type is refused as such.
        const ofCursor = answers.filter((json) => json?.errors?.[0]?.pointer === '?curseur');
        const taken = answers.filter((json) => Array.isArray(json) || !json?.code);
        expect({ list: list.route.name, name, taken }).toEqual({ list: list.route.name, name, taken: [] });
        if (ofCursor.length > 0) walked.add(list.route.name);
      }
    }
    expect(walked.size).toBeGreaterThan(8);
  });

  it('a page of filtered rows links to the next one of the same filter, however it is encoded', async () => {
    const tenant = await app.tenant();
    for (const number of [1, 2, 3])
      await app.send(tenant, 'POST', '/b2b/v1/campagnes', {
        titre: `Élection ${number}`,
        ouvertureDuVoteUtc: '2030-01-01T00:00:00Z',
        fermetureDuVoteUtc: '2030-01-02T00:00:00Z',
      });
    const first = await app.send(tenant, 'GET', '/b2b/v1/campagnes?limite=1&titre=%C3%89lection');
    const next = new URL(/<(.*)>/.exec(first.headers.get('link')!)![1]!);
    const cursor = next.searchParams.get('curseur');
    for (const titre of ['%C3%89lection', 'E%CC%81lection', '%20%C3%89lection'])
      expect(
        (await app.send(tenant, 'GET', `/b2b/v1/campagnes?titre=${titre}&curseur=${cursor}`)).json,
      ).toHaveLength(2);
  });

  it('a feed takes a cursor of a release before, which had no mark; a list does not', async () => {
    const bare = Buffer.from('1700000000000.0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c31').toString('base64url');
    const feed = await app.send(spaces.own.keys.partenaire, 'GET', `/b2b/v2/evenement?curseur=${bare}`);
    expect(feed.status).toBe(200);
    const list = await app.send(spaces.own.keys.partenaire, 'GET', `/b2b/v1/employe?curseur=${bare}`);
    expect(list.json).toMatchObject(REFUSED);
  });
});
