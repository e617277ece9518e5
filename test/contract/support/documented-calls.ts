import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { demonstrationKeys } from '../../../apps/cli/src/demonstration';
import { ClientsService } from '../../../libs/clients/src';
import type { Role } from '../../../libs/access/src/caller';
import { Config, PRINCIPAL } from '../../../libs/platform/src/ops/config';
import { NO_TENANT } from '../../../libs/platform/src/database/scope';
import { TachesService } from '../../../libs/sync/src';
import { TEST_ACTOR } from '../../setup/actor';
import { type Answer, TestApp, type TenantOptions } from '../../setup/test-app';
import { holdCards } from '../../adhesion/support/held';
import { holdCles, holdMoves, LIMITED_CLE } from '../../clients/support/held';
import { holdEssai } from '../../essai/held';
import { holdPlans } from '../../sync/held';
import { holdCourriels } from '../../messaging/support/held';
import { holdWebhooks } from '../../webhooks/support/held';
import type { Call } from './calls';
import {
  type Document,
  exampleOf,
  type Operation,
  operationsOf,
  type Placed,
  type Schema,
  Validators,
} from './openapi-faults';
import { CALLS } from './registry';

/** Whether a header may be absent. The last page of a list has no next one. Only a task that has succeeded has effects. */
function mayLack(header: string, { json }: Answer): boolean {
  return (
    header === 'Link' ||
    (header === 'Mandat-Effets' &&
      (['nouveauxIdentifiants', 'plan', 'horloge'].includes(json.type) ||
        ['EnAttente', 'EnCours', 'Echouee'].includes(json.etat)))
  );
}

/** Returns every difference between a response and its operation in the document. */
export function answerFaults(validators: Validators, operation: Operation, answer: Answer): string[] {
  const documented = operation.responses[answer.status];
  if (!documented) return [`status ${answer.status} is not documented: ${answer.text.slice(0, 200)}`];
  const faults = Object.keys(documented.headers ?? {})
    .filter((name) => !answer.headers.has(name) && !mayLack(name, answer))
    .map((name) => `no header ${name}`);
  if (answer.headers.has('Content-Language') && !documented.headers?.['Content-Language'])
    faults.push('Content-Language is not documented');
  if (!documented.content)
    return answer.text === '' ? faults : [...faults, 'a body where none is documented'];
  const type = answer.headers.get('content-type')?.split(';')[0] ?? '';
  const media = documented.content[type];
  if (!media) return [...faults, `content type ${type} is not documented`];
  // Files.
  if (type !== 'application/json' && !type.endsWith('+json')) return faults;
  faults.push(...validators.faultsOf(media.schema!, answer.json));
  const { code } = answer.json as { code?: string };
  if (answer.status >= 400 && !documented.description?.includes(`\`${code}\``)) {
    faults.push(`${answer.status} is not documented with ${code}`);
  }
  return faults;
}

/** Returns how the document excludes a body that the service accepted. */
export function acceptedFaults(
  validators: Validators,
  { requestBody }: Operation,
  { body }: Call,
  { status, json }: Answer,
): string[] {
  if (status >= 300 || typeof body !== 'object') return [];
  // Rejected records of a list were not accepted.
  if (/"(?:errors|Erreurs)":\[\{/.test(JSON.stringify(json ?? null))) return [];
  return validators
    .faultsOf(requestBody!.content['application/json']!.schema!, body)
    .map((fault) => `accepted, but as documented ${fault}`);
}

/** Codes that no request of this folder causes, of all operations or of one; the tests of the process and of HTTP do. */
const UNPROVOKED = [
  'Requete.Interrompue',
  'Service.ErreurInterne',
  'Service.Indisponible',
  'EspaceDonnees.EnDeplacement',
  // test/sync/freins.e2e-spec.ts and plans.e2e-spec.ts do.
  'Sync.FreinDeclenche',
  'Plan.TropNombreux',
  // test/personne/fusions.e2e-spec.ts does.
  'Employe.FusionDeuxVotes',
  'POST /b2b/v2/employe/:idExterne/fusion: Votant.PoidsIdentifiants',
  'POST /b2b/v2/employe/:idExterne/fusion: Campagne.ModificationNonPermise',
  // test/voting/encrypted-votes.e2e-spec.ts does.
  'POST /b2b/v1/campagnes/:id/votants/upsert: Campagne.TropVolumineuse',
  'POST /b2b/v1/campagnes/:id/liste-electorale: Campagne.TropVolumineuse',
  'POST /b2b/v1/campagnes/:id/liste-electorale/ecarts/appliquer: Campagne.TropVolumineuse',
  // test/webhooks/certification.e2e-spec.ts does.
  'POST /b2b/v2/webhook/:id/certification: Debit.Depasse',
  // test/essai/horloge.e2e-spec.ts does.
  'Essai.AvanceEnCours',
  'POST /b2b/v2/essai/horloge/avancer: Debit.Depasse',
  // test/essai/pannes.e2e-spec.ts does.
  'Essai.PannesTropNombreuses',
];

/** Reads the task that the 202 response of another operation announces. */
const READS_TASK = 'GET /b2b/v2/tache/:id';

/** Result of the calls of one operation. */
export interface Calls {
  readonly name: string;
  /** Responses that differ from the document, with their request. */
  readonly faults: string[];
  /** Documented statuses and codes that no call got. */
  readonly missing: string[];
  /** Status of the call with the documented examples. */
  readonly withExamples: { readonly status: number; readonly documented: readonly number[] };
}

/** A document with the validators of its schemas. */
interface Shown {
  readonly document: Document;
  readonly validators: Validators;
}

interface Called {
  readonly statuses: Set<number>;
  readonly codes: Set<string>;
  readonly faults: string[];
  example?: number;
}

/** Makes the demonstration tenant with all that the examples of the documents name, also what no start of the product makes. */
export async function completeDemonstration(app: TestApp): Promise<{
  readonly keys: Record<Role, string>;
  readonly tenantId: string;
  /** Further keys, by the name that calls use for them. */
  readonly others: ReadonlyMap<string, string>;
}> {
  const dataDir = mkdtempSync(join(tmpdir(), 'mandat-demonstration-'));
  const demonstration = await demonstrationKeys(new Config({ ...app.config, dataDir }));
  rmSync(dataDir, { recursive: true });
  const keys = { ...demonstration, admin: app.adminKey };
  const { rows } = await app.database.query<{ tenantId: string }>(
    `SELECT tenant_id AS "tenantId" FROM cle WHERE prefixe = left($1, length(prefixe)) LIMIT 1`,
    [keys.partenaire],
  );
  const { tenantId } = rows[0]!;
  await holdCards(app, tenantId, keys);
  await holdCles(app);
  await holdMoves(app, tenantId);
  await holdPlans(app, tenantId);
  const others = new Map([
    ...(await holdWebhooks(app, tenantId)),
    ...(await holdCourriels(app, tenantId)),
    ...(await holdEssai(app)),
  ]);
  return { keys, tenantId, others };
}

/**
 * Calls every operation of the documents on the demonstration tenant, with its examples and with requests that cause
 * each documented error.
 */
export class DocumentedCalls {
  private readonly called = new Map<Placed, Called>();
  private placed: readonly (Shown & { one: Placed })[] = [];
  private readonly refusedKeys = new Map<string, string>();
  /** Properties that responses showed as null, and with a value. */
  private readonly nulls = new Set<string>();
  private readonly values = new Set<string>();

  private constructor(
    private readonly app: TestApp,
    private readonly limited: TestApp,
    private readonly keys: Record<Role, string>,
    private readonly limitedKeys: Record<Role, string>,
    /** A key of a suspended client. */
    private readonly suspendedKey: string,
    private readonly tenantId: string,
    /** Further keys, by the name that calls use for them. */
    private readonly others: ReadonlyMap<string, string>,
    private readonly documents: readonly Document[],
  ) {}

  static async prepare(app: TestApp, documents: readonly Document[]): Promise<DocumentedCalls> {
    const { keys, tenantId, others } = await completeDemonstration(app);
    const { databaseUrl } = app.config;
    // It does not reach the other cells of the application, which thus have no size.
    const cells = new Map([[PRINCIPAL, databaseUrl]]);
    const limited = await TestApp.start({ databaseUrl, cells, rateLimitPerMinute: 1 });
    const admin = await limited.app.get(ClientsService).issueAdminCle('Limited', LIMITED_CLE);
    const limitedKeys = {
      partenaire: (await limited.tenant()).cle,
      plateforme: (await limited.tenant({ role: 'plateforme' })).cle,
      admin: admin.cle,
    };
    const suspended = await app.tenant();
    await app.app.get(ClientsService).suspend(TEST_ACTOR, suspended.clientId, 'Essai');
    return new DocumentedCalls(
      ...([app, limited, keys, limitedKeys, suspended.cle, tenantId, others, documents] as const),
    );
  }

  async stop(): Promise<void> {
    await this.limited.stop();
  }

  /**
   * Creations run first, deletions last, and the reads once more at the end. Administration runs after the other
   * surfaces because it gives the client a request limit, which can reject requests of the same minute.
   */
  async run(): Promise<Calls[]> {
    const placed = this.documents.flatMap((document) => {
      const validators = new Validators(document);
      return operationsOf(document).map((one) => ({ one, document, validators }));
    });
    this.placed = placed;
    const of = (method: string) => placed.filter(({ one }) => one.method === method);
    for (const { one, document, validators } of of('POST')) await this.callExample(one, document, validators);
    for (const { one, document, validators } of placed) await this.callRefused(one, document, validators);
    for (const surface of this.documents) {
      for (const method of ['GET', 'PUT', 'DELETE', 'GET']) {
        for (const { one, document, validators } of of(method)) {
          if (document === surface) await this.callExample(one, document, validators);
        }
      }
    }
    return placed.map(({ one }) => this.resultOf(one));
  }

  /** Nullable properties of responses that were never null, or never had a value. */
  unseen(): string[] {
    const faults: string[] = [];
    for (const document of this.documents) {
      const answered = new Set<string>();
      for (const { operation } of operationsOf(document)) {
        for (const { content } of Object.values(operation.responses)) {
          const schema = content?.['application/json']?.schema;
          if (schema) for (const name of propertiesOf(schema, document)) answered.add(name);
        }
      }
      for (const name of answered) {
        const [owner, property] = name.split('.') as [string, string];
        const { nullable } = document.components.schemas[owner]!.properties![property]!;
        if (!this.values.has(name)) faults.push(`${name} never had a value`);
        if (nullable && !this.nulls.has(name)) faults.push(`${name} was never null`);
      }
    }
    return faults;
  }

  private resultOf(placed: Placed): Calls {
    const { statuses, codes, faults, example } = this.called.get(placed)!;
    const { responses } = placed.operation;
    const provoked = (placed.operation['x-codes'] ?? []).filter(
      (code) => ![code, `${placed.name}: ${code}`].some((one) => UNPROVOKED.includes(one)),
    );
    const plain = Object.keys(responses)
      .map(Number)
      .filter((status) => status < 400);
    const missing = [
      ...plain.filter((status) => !statuses.has(status)).map(String),
      ...provoked.filter((code) => !codes.has(code)),
    ];
    const documented = plain.filter((status) => status < 300 && (status !== 202 || status === plain[0]));
    return { name: placed.name, faults, missing, withExamples: { status: example!, documented } };
  }

  /** Sends the request that "Execute" of Swagger UI sends. */
  private async callExample(placed: Placed, document: Document, validators: Validators): Promise<void> {
    const answer = await this.call(placed, document, validators, this.example(placed, document));
    this.calledOf(placed).example = answer.status;
  }

  private async callRefused(placed: Placed, document: Document, validators: Validators): Promise<void> {
    const { operation, method, name, path: pattern } = placed;
    const example = this.example(placed, document);
    const send = (call: Partial<Call>): Promise<Answer> =>
      this.call(placed, document, validators, { ...example, ...call });
    const role = operation['x-requires']!.role;

    await send({ key: undefined });
    await send({ key: this.keys[role === 'admin' ? 'partenaire' : 'admin'] });
    if (role !== 'admin') await send({ key: this.suspendedKey });
    if (operation['x-requires']!.module && role !== 'admin') {
      await send({ key: await this.keyOf({ role, modules: [] }) });
    }
    if (operation['x-requires']!.environnement && role !== 'admin') {
      await send({ key: await this.keyOf({ role, environnement: 'production' }) });
    }
    await send({ path: `${example.path.split('?')[0]}?inconnu=1` });
    for (const [part] of pattern.matchAll(/\{\w+\}/g)) {
      await send({ path: this.pathOf(placed, { [part.slice(1, -1)]: 'INCONNU' }) });
    }
    for (const header of ['If-Match', 'If-None-Match']) {
      if (operation.parameters?.some((parameter) => parameter.name === header))
        await send({ headers: { [header]: header === 'If-Match' ? '"stale"' : '*' } });
    }
    const { path, calls } = CALLS.get(name)?.more ?? {};
    if (path) await send({ path });
    for (const call of calls ?? []) await send(call);
    if (operation.requestBody) await this.callWithBodies(placed, validators, document, example);
    else if (method === 'POST') {
      await send({ body: { inconnu: 1 } });
      await send({ body: 'nom', headers: { 'Content-Type': 'text/plain' } });
      this.note(placed, validators, example, await this.sendTooMuch(placed, example));
    }
    if (method === 'POST') await this.callTwice(placed, send, example, role);
    const limited = this.limitedKeys[role];
    for (let attempt = 0; attempt < 5; attempt++) {
      const answer = await send({ key: limited });
      if (answer.status === 429) break;
    }
  }

  /** A key of a tenant that only refused calls use, made at its first use. */
  private async keyOf(options: TenantOptions): Promise<string> {
    const name = JSON.stringify(options);
    const key = this.refusedKeys.get(name) ?? (await this.app.tenant(options)).cle;
    this.refusedKeys.set(name, key);
    return key;
  }

  /** Runs a task as the worker does, and reads it before and after. */
  private async endTask(accepted: Answer): Promise<void> {
    const { one, document, validators } = this.placed.find((reading) => reading.one.name === READS_TASK)!;
    const path = accepted.headers.get('location')!;
    const read = () =>
      this.call(one, document, validators, { key: this.keys[one.operation['x-requires']!.role], path });
    await read();
    const tacheId = (accepted.json as { id: string }).id;
    await this.app.app.get(TachesService).perform({ tenantId: this.tenantId, tacheId, actor: TEST_ACTOR });
    await read();
  }

  private async callWithBodies(
    placed: Placed,
    validators: Validators,
    document: Document,
    example: Call,
  ): Promise<void> {
    const send = (call: Partial<Call>): Promise<Answer> =>
      this.call(placed, document, validators, { ...example, ...call });
    const body = example.body as object;
    await send({ body: '{"' });
    await send({ body: { ...body, inconnu: 1 } });
    await send({ body: [] });
    await send({ body: 'nom', headers: { 'Content-Type': 'text/plain' } });
    if (placed.method === 'PUT' && 'idExterne' in body) {
      await send({ body: { ...body, idExterne: 'INCONNU' } });
    }
    for (const change of CALLS.get(placed.name)?.more?.changes ?? [])
      await send({ body: { ...body, ...change } });
    if (placed.method === 'POST') await send({});
    this.note(placed, validators, example, await this.sendTooMuch(placed, example));
  }

  private async callTwice(
    { name }: Placed,
    send: (call: Partial<Call>) => Promise<Answer>,
    { body }: Call,
    role: Role,
  ): Promise<void> {
    const headers = { 'Idempotency-Key': name };
    const lock = [`${role === 'admin' ? NO_TENANT : this.tenantId} ${name}`];
    // A running request with this key stores such a record.
    await this.app.database.query('SELECT pg_advisory_lock(hashtextextended($1, 1))', lock);
    await send({ headers });
    await this.app.database.query('SELECT pg_advisory_unlock(hashtextextended($1, 1))', lock);
    await send({ headers });
    await send({ headers });
    await send({ headers, body: body === undefined ? '{}' : `${JSON.stringify(body)} ` });
  }

  /** Sends one byte more than the documented maximum of the operation, in one chunk without an end. */
  private async sendTooMuch({ method, operation }: Placed, { key, path }: Call): Promise<Answer> {
    const limit = (operation.description?.includes('64 MB') ? 64 : 1) * 2 ** 20;
    const cle = this.others.get(key!) ?? key!;
    const headers = { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked', 'X-Api-Key': cle };
    const sent = httpRequest(this.app.url + path, { method, headers });
    sent.on('error', () => undefined);
    sent.write(Buffer.alloc(limit + 1, ' '));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const body = await text(response);
    sent.destroy();
    return {
      status: response.statusCode!,
      headers: new Headers(response.headers as Record<string, string>),
      text: body,
      json: JSON.parse(body),
    };
  }

  private async call(
    placed: Placed,
    document: Document,
    validators: Validators,
    call: Call,
  ): Promise<Answer> {
    const app = call.key && Object.values(this.limitedKeys).includes(call.key) ? this.limited : this.app;
    const key = this.others.get(call.key ?? '') ?? call.key;
    const answer = await app.send(key, placed.method, call.path, call.body, call.headers);
    this.note(placed, validators, call, answer);
    const schema = placed.operation.responses[answer.status]?.content?.['application/json']?.schema;
    if (schema) this.see(schema, answer.json, { document, validators }, '');
    if (answer.headers.get('location')?.startsWith('/b2b/v2/tache/')) await this.endTask(answer);
    return answer;
  }

  private note(placed: Placed, validators: Validators, call: Call, answer: Answer): void {
    const called = this.calledOf(placed);
    called.statuses.add(answer.status);
    if (answer.status >= 400) called.codes.add((answer.json as { code: string }).code);
    const faults = [
      ...answerFaults(validators, placed.operation, answer),
      ...acceptedFaults(validators, placed.operation, call, answer),
    ];
    for (const fault of faults) {
      called.faults.push(`${answer.status} to ${JSON.stringify({ ...call, key: undefined })}: ${fault}`);
    }
  }

  private calledOf(placed: Placed): Called {
    let called = this.called.get(placed);
    if (!called) this.called.set(placed, (called = { statuses: new Set(), codes: new Set(), faults: [] }));
    return called;
  }

  private example(placed: Placed, document: Document): Call {
    const query = (placed.operation.parameters ?? [])
      .filter(({ in: place, schema }) => place === 'query' && schema!.example !== undefined)
      .map(({ name, schema }): [string, string] => [name, String(schema!.example)]);
    const search = query.length > 0 ? `?${new URLSearchParams(query).toString()}` : '';
    const media = placed.operation.requestBody?.content['application/json'];
    return {
      key: CALLS.get(placed.name)?.more?.key ?? this.keys[placed.operation['x-requires']!.role],
      path: this.pathOf(placed) + search,
      ...(media
        ? {
            body:
              CALLS.get(placed.name)?.more?.body?.() ?? media.example ?? exampleOf(media.schema!, document),
          }
        : {}),
    };
  }

  private pathOf({ path, operation }: Placed, parts: Record<string, string> = {}): string {
    return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const parameter = operation.parameters!.find((one) => one.in === 'path' && one.name === name)!;
      return encodeURIComponent(parts[name] ?? String(parameter.schema!.example));
    });
  }

  private see(schema: Schema, value: unknown, shown: Shown, owner: string): void {
    const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
    if (reference) {
      const name = reference.split('/').at(-1)!;
      return this.see(shown.document.components.schemas[name]!, value, shown, name);
    }
    if (Array.isArray(value) && schema.items) {
      for (const item of value) this.see(schema.items, item, shown, owner);
    } else if (schema.discriminator) {
      const { propertyName, mapping } = schema.discriminator;
      const kind = (value as Record<string, string>)[propertyName]!;
      this.see({ $ref: mapping[kind]! }, value, shown, owner);
    } else if (schema.anyOf) {
      const fitting = schema.anyOf.find((one) => shown.validators.faultsOf(one, value).length === 0);
      // A response that matches none of them was already reported.
      if (fitting) this.see(fitting, value, shown, owner);
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, part] of Object.entries(value)) {
        (part === null ? this.nulls : this.values).add(`${owner}.${name}`);
        const property = schema.properties?.[name];
        if (property && part !== null) this.see(property, part, shown, owner);
      }
    }
  }
}

/** Returns the properties of a response of a schema, each with the name of its schema. */
function propertiesOf(schema: Schema, document: Document, owner = ''): string[] {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (reference) {
    const name = reference.split('/').at(-1)!;
    return propertiesOf(document.components.schemas[name]!, document, name);
  }
  if (schema.items) return propertiesOf(schema.items, document, owner);
  const shapes = [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])];
  if (shapes.length > 0) return shapes.flatMap((one) => propertiesOf(one, document, owner));
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    `${owner}.${name}`,
    ...propertiesOf(property, document, owner),
  ]);
}
