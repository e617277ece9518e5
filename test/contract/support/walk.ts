import { IS_WHOLE } from '../../setup/depth';
import type { Answer, TestApp } from '../../setup/test-app';
import { surfacesOf, textParameters } from './documents';
import type { RunningApp } from './extended-app';
import { type Route, routesOf } from './router';
import { Rows, rowsOf, same, type Snapshot, stringsIn, textsOf } from './rows';
import type { Sample, Samples } from './calls';
import { CALLS } from './registry';
import { type Identifiers, openSpaces, type Space, type Spaces } from './spaces';

/** A breach of the isolation of tenants by a route. */
export interface Breach {
  readonly route: string;
  /**
   * `shows`: the response contains a text that only another tenant has. `changes`: another tenant's row was written.
   * `differs`: the response to another tenant's identifier differs from that to an unknown one. `fails`: a 5xx, which
   * means that nothing was tested.
   */
  readonly kind: 'shows' | 'changes' | 'differs' | 'fails';
  readonly detail: string;
}

/** Sends identifiers of two other tenants to every route of the router, and checks responses and rows. */
export class Walk {
  /** Rows of the other tenants, and those of their texts that the caller does not have. */
  private readonly held = new Map<Space, { rows: Snapshot; texts: string[] }>();

  private constructor(
    private readonly app: TestApp,
    readonly rows: Rows,
    readonly spaces: Spaces,
    private readonly intact: Snapshot,
    private readonly samples: ReadonlyMap<Route, Samples>,
  ) {
    const own = textsOf(rowsOf(spaces.own, intact));
    for (const stranger of [spaces.other, spaces.sibling]) {
      const rows = rowsOf(stranger, intact);
      this.held.set(stranger, { rows, texts: [...textsOf(rows)].filter((text) => !own.has(text)) });
    }
  }

  static async prepare(app: TestApp): Promise<Walk> {
    const samples = await samplersOf(app);
    const rows = await Rows.of(app.database);
    const spaces = await openSpaces(app, rows);
    const intact = await rows.read();
    for (const space of [spaces.own, spaces.other, spaces.sibling]) {
      const held = rowsOf(space, intact);
      const empty = rows.tenantTables.filter((table) => held.get(table)?.length === 0);
      if (empty.length > 0)
        throw new Error(`No row in ${empty.join(', ')}: make one in fill() of support/spaces.ts.`);
    }
    return new Walk(app, rows, spaces, intact, samples);
  }

  /**
   * Returns every breach, in the order of the router. At full depth each request is sent with the identifiers of both
   * other tenants, by default with those of one and the other alternately.
   *
   * @param every 1 sends every request; 3 sends the first request of each route and then every third
   * @param until `a breach` stops at the first breach of a route that writes, for walks in which leaks are expected:
   * most of its further requests would be retried until they fail
   */
  async run({
    every = 1,
    until = 'the end',
  }: { every?: number; until?: 'the end' | 'a breach' } = {}): Promise<Breach[]> {
    const breaches: Breach[] = [];
    let requests = 0;
    for (const [route, sampler] of this.samples) {
      const { own, other, sibling, nobody } = this.spaces;
      // An administrator acts for the whole client, so its other environment is not foreign.
      const strangers = route.requirement?.role === 'admin' ? [other] : [other, sibling];
      const unknown = sampler(nobody, own.identifiers);
      const before = breaches.length;
      for (const [index, sample] of unknown.entries()) {
        if (index % every > 0) continue;
        if (until === 'a breach' && route.method !== 'GET' && breaches.length > before) break;
        const expected = await this.send(route, sample);
        if (expected.status >= 500)
          breaches.push({ route: route.name, kind: 'fails', detail: expected.text });
        await this.rows.restore(this.intact, await this.rows.read());
        const asked = IS_WHOLE ? strangers : [strangers[requests++ % strangers.length]!];
        for (const stranger of asked) {
          const foreign = sampler(stranger.identifiers, own.identifiers)[index]!;
          const answer = await this.send(route, foreign);
          const now = await this.rows.read();
          breaches.push(...this.breachesOf(route, stranger, foreign, answer, now));
          const [one, two] = [
            this.comparable(answer, stranger.identifiers),
            this.comparable(expected, nobody),
          ];
          // A request without identifiers is the same for both, and its response may contain counts or times.
          if (!same(foreign, sample) && !same(one, two)) {
            const detail = `${JSON.stringify(foreign)}: ${JSON.stringify(one)} but ${JSON.stringify(two)}`;
            breaches.push({ route: route.name, kind: 'differs', detail });
          }
          await this.rows.restore(this.intact, now);
        }
      }
    }
    return breaches;
  }

  private send(route: Route, { path, body, headers }: Sample): Promise<Answer> {
    const role = route.requirement?.role;
    const key =
      role === undefined ? undefined : role === 'admin' ? this.app.adminKey : this.spaces.own.keys[role];
    return this.app.send(key, route.method, path, body, headers);
  }

  private breachesOf(route: Route, stranger: Space, sent: Sample, answer: Answer, now: Snapshot): Breach[] {
    const breaches: Breach[] = [];
    const before = this.held.get(stranger)!;
    const changed = new Map([...now].filter(([table, rows]) => rows !== this.intact.get(table)));
    for (const [table, rows] of rowsOf(stranger, changed)) {
      if (!same(rows, before.rows.get(table)))
        breaches.push({ route: route.name, kind: 'changes', detail: table });
    }
    if (CALLS.get(route.name)?.showsAllTenants) return breaches;
    const received = withoutEcho(answer, sent);
    for (const text of before.texts) {
      if (!received.includes(text)) continue;
      breaches.push({ route: route.name, kind: 'shows', detail: `${JSON.stringify(sent)}: ${text}` });
    }
    return breaches;
  }

  /** Returns the comparable parts of a response: without generated values and the requested identifiers. */
  private comparable(answer: Answer, asked: Identifiers): unknown {
    const whole = answer.json as Record<string, unknown> | undefined;
    const isRecord = typeof whole === 'object' && whole !== null && !Array.isArray(whole);
    const body = isRecord ? JSON.stringify({ ...whole, instance: null, traceId: null }) : answer.text;
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      headers: [...answer.headers.keys()].sort(),
      body: body
        .replaceAll(asked.mark, '<asked>')
        .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, '<guid>')
        .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<date>')
        .replaceAll(/"(cle|prefixe)":"mdt_\w+"/g, '"$1":"<key>"')
        .replaceAll(/"empreinteGraineDepartage":"[0-9a-f]{64}"/g, '"empreinteGraineDepartage":"<digest>"')
        // The digest of a plan covers identifiers that the caller sent.
        .replaceAll(/"empreinte":"[0-9a-f]{64}"/g, '"empreinte":"<digest>"')
        .replaceAll(/"secret":"whsec_[\w+/=]+"/g, '"secret":"<secret>"'),
    };
  }
}

/** Returns the response without the texts that the caller sent. */
function withoutEcho(answer: Answer, { path, body, headers }: Sample): string {
  // Short texts occur everywhere.
  const said = [...path.split(/[/?&=]/), ...stringsIn([body, headers])].filter((text) => text.length >= 6);
  const longestFirst = said.sort((one, other) => other.length - one.length);
  const received = answer.text + JSON.stringify([...answer.headers]);
  return longestFirst.reduce((rest, text) => rest.replaceAll(text, ''), received);
}

/** Returns the requests for each route. @throws if a route takes identifiers and has no samples */
export async function samplersOf(app: RunningApp): Promise<Map<Route, Samples>> {
  const operations = (await surfacesOf(app)).flatMap((surface) => surface.operations);
  const missing: string[] = [];
  const samplers = new Map<Route, Samples>();
  for (const route of routesOf(app.app)) {
    const operation = operations.find(({ name }) => name === route.name);
    const takesIdentifiers =
      route.method !== 'GET' ||
      /[:*{]/.test(route.path) ||
      (operation && textParameters(operation).length > 0);
    const declared = CALLS.get(route.name)?.foreign;
    if (!declared && takesIdentifiers) missing.push(route.name);
    const sampler = declared ?? (() => [{ path: route.path }]);
    samplers.set(route, route.method === 'POST' ? withIdempotencyKey(sampler) : sampler);
  }
  if (missing.length > 0) {
    throw new Error(
      `Routes that take identifiers without a sample: ${missing.join(', ')}. ` +
        'Add to calls.ts of its context under test/ a request for each place where the route takes one ' +
        '(path, query, body, headers), and to Identifiers in spaces.ts what it needs.',
    );
  }
  return samplers;
}

/** Repeats the first request with the Idempotency-Key of the other tenant. */
function withIdempotencyKey(sampler: Samples): Samples {
  return (asked, own) => {
    const samples = sampler(asked, own);
    const [{ headers, ...first }] = samples as [Sample];
    return [...samples, { ...first, headers: { ...headers, 'Idempotency-Key': asked.idempotencyKey } }];
  };
}
