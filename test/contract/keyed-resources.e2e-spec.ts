import { randomUUID } from 'node:crypto';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { comparable, times, walk } from '../membership/synced';
import { perFile, perTest } from '../setup/fixtures';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { KEYED } from './support/keyed';

const app = perFile(() => TestApp.start());
const tenant = perTest(() => app.tenant());

const IDENTIFIERS = [
  ...['a/b', '100%', 'a%2Fb', 'où?', '#1', 'deux  mots', '🙂👩', 'ü+ü', 'a;b=c&d', '"\\\'', '...'],
  ...['sync', '__proto__', '🙂'.repeat(255)],
];

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Returns how many of the statuses are these. */
const count = (answers: Answer[], ...statuses: number[]): number[] =>
  statuses.map((one) => answers.filter(({ status }) => status === one).length);

describe.each(KEYED)('$path', (resource) => {
  const { path, noun, key, puts } = resource;
  const isWritable = puts.length > 0;
  const notFound = `${noun}.NotFound`;

  const send = (method: string, end = '', body?: unknown, headers?: Record<string, string>) =>
    app.send(tenant, method, path + end, body, headers);
  const get = (end = '', headers?: Record<string, string>) => send('GET', end, undefined, headers);
  const stored = async (): Promise<string> => (await get()).text;
  const textOf = (item: Record<string, unknown>): unknown =>
    resource.text === 'choix' ? (item.choix as { libelle: string }[])[0]!.libelle : item[resource.text];
  const texts = (items: Record<string, unknown>[]): unknown[] => items.map(textOf);

  /** A record of a tenant as it is read, with the end of its path. */
  interface Made {
    readonly end: string;
    readonly id: string;
    readonly answer: Answer;
    readonly etag: string;
  }
  async function made(id = 'K-1', text = 'Premier', owner: TestTenant = tenant): Promise<Made> {
    let end = `/${encodeURIComponent(id)}`;
    if (resource.write) await resource.write(app, owner, id, text);
    else {
      const created = await app.send(owner, 'POST', path, resource.record(id, text));
      expect({ status: created.status, errors: created.json.errors }).toEqual({ status: 201 });
      end = created.headers.get('location')!.slice(path.length);
    }
    const answer = await app.send(owner, 'GET', path + end);
    expect(answer.status).toBe(200);
    return { end, id, answer, etag: answer.headers.get('etag')! };
  }

  type Put = (typeof puts)[number];
  const put = (how: Put, { end, id }: Pick<Made, 'end' | 'id'>, text: string, headers = {}, more = {}) => {
    const inPath = how === 'of the item' && key ? { [key]: undefined } : {};
    const body = { ...resource.record(id, text), ...inPath, ...more };
    return send('PUT', how === 'of the item' ? end : '', body, headers);
  };
  async function change(record: Made, text: string): Promise<void> {
    if (resource.write) await resource.write(app, tenant, record.id, text);
    else expect((await put(puts[0]!, record, text)).status).toBe(200);
  }

  beforeEach(() => resource.prepare?.(app, tenant));

  /** Opens another data space. */
  async function stranger(): Promise<TestTenant> {
    const other = await app.tenant();
    await resource.prepare?.(app, other);
    return other;
  }

  describe('GET of one', () => {
    it('304 without a body for If-None-Match with its ETag, strong, weak, in a list or *; 200 after a change', async () => {
      const record = await made();
      expect(record.etag).toMatch(/^"[^"]+"$/);
      // fetch adds `Cache-Control: no-cache` to such a request; nevertheless the response must be 304, not 200.
      for (const held of [record.etag, `W/${record.etag}`, `"x", ${record.etag}`, '*']) {
        const answer = await get(record.end, { 'If-None-Match': held });
        expect([answer.status, answer.text, answer.headers.get('etag')]).toEqual([304, '', record.etag]);
      }
      expect((await get(record.end, { 'If-None-Match': '"x"' })).status).toBe(200);
      await change(record, 'Second');
      const changed = await get(record.end, { 'If-None-Match': record.etag });
      expect([changed.status, textOf(changed.json)]).toEqual([200, 'Second']);
    });

    it('404 for an unknown record, the same for another tenant’s and for another case', async () => {
      const { end } = await made();
      const other = await stranger();
      const unknown = await app.send(other, 'GET', `${path}/${randomUUID()}`);
      expectProblem(unknown, 404, notFound);
      const foreign = await app.send(other, 'GET', path + end);
      expect(comparable(foreign)).toEqual(comparable(unknown));
      expectProblem(await get(key ? end.toLowerCase() : '/K-1'), 404, notFound);
    });

    it('is the item of the list', async () => {
      const { answer } = await made();
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(await stored()).toBe(`[${answer.text}]`);
    });

    it('400 for an identifier that cannot be one, and for an unknown parameter', async () => {
      const { end } = await made();
      expectFaults(await get(`${end}?limite=1`), { '?limite': 'unknown' });
      expectProblem(await get('/%E9'), 400, 'Requete.Invalide');
      const impossible = [`/${'x'.repeat(256)}`, '/%00', '/%20'];
      const parameter = key === 'nom' ? '{nom}' : '{idExterne}';
      if (key) for (const one of impossible) expectFaults(await get(one), { [parameter]: 'type' });
    });
  });

  describe('GET of all', () => {
    it('lists in the order of creation; pages have each item once, and the last one no link', async () => {
      for (const id of ['C', 'A', 'D', 'B', 'E']) await made(id, id);
      const whole = await get();
      expect(texts(whole.json)).toEqual(['C', 'A', 'D', 'B', 'E']);
      for (const limite of [1, 2, 5, 1000]) {
        const pages = await walk(app, tenant, `${path}?limite=${limite}`);
        expect(pages).toHaveLength(Math.ceil(5 / limite));
        expect(pages.flat()).toEqual(whole.json);
      }
    });

    it('creations and deletions between pages neither hide nor repeat another item', async () => {
      const records = [];
      for (const id of ['A', 'B', 'C', 'D', 'E', 'F']) records.push(await made(id, id));
      const first = await get('?limite=2');
      await made('G', 'G');
      // The item of the cursor, and one that follows.
      if (isWritable) for (const one of [1, 3]) await send('DELETE', records[one]!.end);
      const next = new URL(/<(.*)>/.exec(first.headers.get('link')!)![1]!);
      const pages = await walk(app, tenant, next.href.slice(app.config.publicUrl.length));
      const left = isWritable ? ['C', 'E', 'F', 'G'] : ['C', 'D', 'E', 'F', 'G'];
      expect(texts([...first.json, ...pages.flat()])).toEqual(['A', 'B', ...left]);
    });

    it('[] without records; other tenants’ never appear, and their cursors are refused', async () => {
      const other = await stranger();
      for (const id of ['A', 'B']) await made(id, id, other);
      const answer = await get();
      expect([answer.status, answer.text, answer.headers.get('link')]).toEqual([200, '[]', null]);
      const link = (await app.send(other, 'GET', `${path}?limite=1`)).headers.get('link')!;
      const cursor = new URL(/<(.*)>/.exec(link)![1]!).searchParams.get('curseur');
      expectFaults(await get(`?curseur=${cursor}`), { '?curseur': 'cursor' });
    });

    it('400 for parameters that are unknown, doubled, empty or out of range, and for a cursor that was not given', async () => {
      const faults: [query: string, expected: Record<string, string>][] = [
        ['inconnu=1', { '?inconnu': 'unknown' }],
        ['Limite=5', { '?Limite': 'unknown' }],
        ['limite=1&limite=2', { '?limite': 'duplicate' }],
        ['limite=', { '?limite': 'required' }],
        ['limite=0', { '?limite': 'range' }],
        ['limite=1001', { '?limite': 'range' }],
        ['limite=ten&x[y]=1', { '?limite': 'type', '?x[y]': 'unknown' }],
        ...['x', '1.x', `-999999999999999.${randomUUID()}`, `${Date.now()}.${randomUUID()}`].map(
          (text): [string, Record<string, string>] => [
            `limite=5&curseur=${Buffer.from(text).toString('base64url')}`,
            { '?curseur': 'cursor' },
          ],
        ),
      ];
      for (const [query, expected] of faults) expectFaults(await get(`?${query}`), expected);
    });
  });

  if (!isWritable) {
    it.each(['POST', 'PUT', 'DELETE'])('405 for %s', async (method) => {
      const { end } = await made();
      const answer = await send(method, end, method === 'DELETE' ? undefined : {});
      expectProblem(answer, 405, 'Requete.MethodeNonPermise');
    });
    return;
  }

  describe('POST', () => {
    it('201 with the item, its Location and the ETag of a read', async () => {
      const created = await send('POST', '', resource.record('K 1', 'Premier'));
      expect(created.status).toBe(201);
      expect(created.headers.get('content-type')).toBe('application/json; charset=utf-8');
      const end = created.headers.get('location')!.slice(path.length);
      expect(end).toBe(`/${key ? 'K%201' : created.json.id}`);
      const read = await get(end);
      const { secret, ...item } = created.json;
      expect([read.json, secret === undefined]).toEqual([item, !resource.hasSecret]);
      expect(created.headers.get('etag')).toBe(resource.hasSecret ? null : read.headers.get('etag'));
      if (!resource.hasSecret) expect(read.text).toBe(created.text);
    });

    it('201 trims texts, takes either case of a first letter and ignores read-only properties', async () => {
      const padded = (value: unknown): unknown => (typeof value === 'string' ? ` ${value} ` : value);
      const readOnly = ['id', 'idUnique', 'derniereMAJ', 'dateCreation'];
      const record = resource.record('K-1', 'Premier');
      const { json } = await send('POST', '', record);
      if (key) await send('DELETE', '/K-1');
      const given = readOnly.filter((name) => name in json).map((name) => [name, 4]);
      const sent = [...Object.entries(record), ...given].map(([name, value]) => [
        capital(name as string),
        padded(value),
      ]);
      const created = await send('POST', '', Object.fromEntries(sent));
      expect(created.status).toBe(201);
      const own = readOnly
        .filter((name) => name in json)
        .map((name) => [name, expect.stringMatching(/\w{4}-/)]);
      const secret = resource.hasSecret ? { secret: expect.any(String) } : {};
      expect(created.json).toEqual({ ...json, ...Object.fromEntries(own), ...secret });
    });

    if (key) {
      it('every path takes any identifier of visible characters', async () => {
        for (const id of IDENTIFIERS) {
          const record = await made(id);
          expect([record.answer.json[key], record.end]).toEqual([id, `/${encodeURIComponent(id)}`]);
          for (const how of puts) expect((await put(how, record, how)).json[key]).toBe(id);
          expect({ id, status: (await send('DELETE', record.end)).status }).toEqual({ id, status: 204 });
        }
      });

      it('409 for an identifier in use; it is case-sensitive, and each tenant has its own', async () => {
        const { answer } = await made();
        const again = await send('POST', '', resource.record('K-1', 'Second'));
        expectProblem(again, 409, `${noun}.${resource.taken}`);
        expect(await stored()).toBe(`[${answer.text}]`);
        await made('k-1');
        await made('K-1', 'Premier', await stranger());
      });

      it('twenty equal ones at once: one is 201, the others 409', async () => {
        const answers = await Promise.all(
          times(20, () => send('POST', '', resource.record('K-1', 'Premier'))),
        );
        expect(count(answers, 201, 409)).toEqual([1, 19]);
        expect(JSON.parse(await stored())).toHaveLength(1);
      });
    }
  });

  /** Bodies that no writing operation takes, with their faults. */
  const malformed = (): [body: unknown, faults: Record<string, string>][] => {
    const record = resource.record('K-1', 'Premier');
    const [property] = Object.keys(record) as [string];
    const upper = capital(property);
    const json = JSON.stringify(record);
    return [
      [
        { ...record, inconnu: 1, 'a/b~': 1 },
        { '/inconnu': 'unknown', '/a~1b~0': 'unknown' },
      ],
      [{ ...record, [upper]: record[property] }, { [`/${upper}`]: 'duplicate' }],
      [json.replace('{', '{"__proto__":{},'), { '/__proto__': 'unknown' }],
      [[record], { '': 'type' }],
      ['null', { '': 'type' }],
      [json.slice(0, -1), { '': 'json' }],
      [Buffer.from([0x7b, 0xff, 0x7d]), { '': 'encoding' }],
      [undefined, { '': 'type' }],
    ];
  };

  it.each(['POST', ...puts.map((how) => `PUT ${how}`)])(
    '%s: 400 for a body with unknown or doubled properties or of another form, 415 for another type',
    async (operation) => {
      const { end } = await made();
      const before = await stored();
      const method = operation.slice(0, 4).trim();
      const at = operation === 'PUT of the item' ? end : '';
      for (const [body, faults] of malformed()) expectFaults(await send(method, at, body), faults);
      const record = resource.record('K-2', 'Second');
      if (operation !== 'PUT of the item')
        expectFaults(await send(method, '?inconnu=1', record), { '?inconnu': 'unknown' });
      for (const type of ['application/x-www-form-urlencoded', 'application/json; charset=iso-8859-1']) {
        const answer = await send(method, at, JSON.stringify(record), { 'Content-Type': type });
        expectProblem(answer, 415, 'Requete.TypeNonSupporte');
      }
      expect(await stored()).toBe(before);
    },
  );

  describe.each(puts)('PUT %s', (how) => {
    it('200 with the changed item and its ETag; the identifiers and the creation stay', async () => {
      const record = await made();
      const replaced = await put(how, record, ' Second ');
      const read = await get(record.end);
      expect([replaced.status, replaced.text, replaced.headers.get('location')]).toEqual([
        200,
        read.text,
        null,
      ]);
      expect(replaced.headers.get('etag')).toBe(read.headers.get('etag'));
      expect(replaced.headers.get('etag')).not.toBe(record.etag);
      expect(textOf(replaced.json)).toBe('Second');
      const names = [key, 'id', 'idUnique', 'dateCreation'].filter((name) => name !== undefined);
      for (const name of names) expect(replaced.json[name]).toBe(record.answer.json[name]);
    });

    it('200 keeps derniereMAJ and the ETag if nothing changes, for the response of a read too', async () => {
      if (resource.alwaysChanges) return;
      const record = await made();
      for (const [text, more] of [['Premier'], [' Premier '], ['Premier', record.answer.json]]) {
        const answer = await put(how, record, text, {}, more);
        expect([answer.status, answer.text]).toEqual([200, record.answer.text]);
        expect(answer.headers.get('etag')).toBe(record.etag);
      }
    });

    it('200 ignores read-only properties', async () => {
      const record = await made();
      const { json } = record.answer;
      const readOnly = ['id', 'idUnique', 'dateCreation', 'derniereMAJ'].filter((name) => name in json);
      const more = Object.fromEntries(readOnly.map((name) => [name, 4]));
      const replaced = await put(how, record, 'Second', {}, more);
      expect([replaced.status, replaced.json.dateCreation]).toEqual([200, json.dateCreation]);
      expect([replaced.json.id, replaced.json.idUnique]).toEqual([json.id, json.idUnique]);
    });

    it('404 for an unknown record and another tenant’s, which stays; no record is made', async () => {
      const other = await stranger();
      const foreign = await made('K-1', 'Premier', other);
      const unknown = { id: 'K-0', end: `/${key ? 'K-0' : randomUUID()}` };
      for (const one of [unknown, foreign]) expectProblem(await put(how, one, 'Second'), 404, notFound);
      expect(await stored()).toBe('[]');
      expect((await app.send(other, 'GET', path + foreign.end)).text).toBe(foreign.answer.text);
    });

    it('412 for a stale or weak If-Match; 200 for the ETag, a list with it or *', async () => {
      const record = await made();
      const match = (text: string, etag: string) => put(how, record, text, { 'If-Match': etag });
      for (const stale of ['"stale"', `W/${record.etag}`])
        expectProblem(await match('A', stale), 412, 'Precondition.Echouee');
      expect((await get(record.end)).text).toBe(record.answer.text);
      const second = await match('B', `"x", ${record.etag}`);
      expect([second.status, textOf(second.json)]).toEqual([200, 'B']);
      expectProblem(await match('C', record.etag), 412, 'Precondition.Echouee');
      expect((await match('D', second.headers.get('etag')!)).status).toBe(200);
      expect(textOf((await match('E', '*')).json)).toBe('E');
    });

    it('twenty changes at once with one ETag: one is 200, the others 412; control: without it all are 200', async () => {
      const record = await made();
      const all = (headers?: Record<string, string>): Promise<Answer[]> =>
        Promise.all(times(20, (n) => put(how, record, `T-${n}`, headers)));
      const answers = await all({ 'If-Match': record.etag });
      expect(count(answers, 200, 412)).toEqual([1, 19]);
      const passed = answers.find(({ status }) => status === 200)!;
      expect((await get(record.end)).text).toBe(passed.text);
      const free = await all();
      expect(count(free, 200)).toEqual([20]);
      // One of them as a whole, and no mixture.
      expect(free.map(({ text }) => text)).toContain((await get(record.end)).text);
    });

    if (key && how === 'of the item') {
      it('the body may repeat the identifier; another one is 400', async () => {
        const record = await made();
        for (const more of [{ [key]: 'K-1' }, { [capital(key)]: ' K-1 ' }, { [key]: null }, { [key]: '' }])
          expect((await put(how, record, 'Second', {}, more)).status).toBe(200);
        for (const id of ['K-2', 'k-1'])
          expectFaults(await put(how, record, 'Autre', {}, { [key]: id }), { [`/${key}`]: 'path' });
        expect(texts(JSON.parse(await stored()))).toEqual(['Second']);
      });
    }
  });

  describe('DELETE', () => {
    it('204 deletes, then 404; the identifier is free again', async () => {
      const first = await made();
      const deleted = await send('DELETE', first.end);
      expect([deleted.status, deleted.text]).toEqual([204, '']);
      for (const method of ['DELETE', 'GET']) expectProblem(await send(method, first.end), 404, notFound);
      expect(await stored()).toBe('[]');
      expect((await made()).answer.json.idUnique ?? 'another').not.toBe(first.answer.json.idUnique);
    });

    it('404 for another tenant’s, 412 for a stale If-Match, 400 for an unknown parameter: it stays', async () => {
      const { end, etag, answer } = await made();
      expectProblem(await app.send(await stranger(), 'DELETE', path + end), 404, notFound);
      const match = (one: string) => send('DELETE', end, undefined, { 'If-Match': one });
      for (const stale of ['"stale"', `W/${etag}`])
        expectProblem(await match(stale), 412, 'Precondition.Echouee');
      expectFaults(await send('DELETE', `${end}?force=true`), { '?force': 'unknown' });
      expect((await get(end)).text).toBe(answer.text);
      expect((await match(etag)).status).toBe(204);
    });

    it('twenty deletions at once: one is 204, the others 404', async () => {
      const { end } = await made();
      expect(count(await Promise.all(times(20, () => send('DELETE', end))), 204, 404)).toEqual([1, 19]);
    });
  });
});
