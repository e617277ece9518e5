import { isDeepStrictEqual } from 'node:util';
import { otherChanges } from './compare-rest';
import { resolved } from './resolve';
import { type Change, type Direction, type Schema, SchemaComparison, type Schemas } from './compare-schemas';

export type { Change };

interface Parameter {
  readonly in: string;
  readonly name: string;
  readonly required?: boolean;
  readonly schema?: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>;

interface Answer {
  readonly headers?: Readonly<Record<string, { readonly schema?: Schema }>>;
  readonly content?: Content;
}

interface Operation {
  readonly operationId?: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
  readonly callbacks?: Readonly<Record<string, Readonly<Record<string, PathItem>>>>;
  readonly 'x-codes'?: readonly string[];
  readonly 'x-requires'?: { readonly role: string; readonly module?: string };
}

type PathItem = Readonly<Record<string, Operation>>;

/** The compared parts of one of our OpenAPI documents. */
export interface Document {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Schemas;
    readonly securitySchemes: Readonly<Record<string, { readonly name?: string; readonly in?: string }>>;
  };
}

/**
 * Returns the differences between two states of a document, breaking changes first. A request may allow more than
 * before, and a response may not contain more than before; other changes are breaking. A change of a name that
 * generated clients use is breaking, too.
 */
export function changesBetween(before: Document, after: Document): Change[] {
  const [old, now] = [resolved(before), resolved(after)];
  const changes = [...new Comparison(old, now).run(), ...otherChanges(old, now)];
  const place = 'the document';
  if (changes.length === 0 && !isDeepStrictEqual(before, after))
    changes.push({ breaking: true, place, what: 'differs in something that is not compared' });
  if (changes.length === 0 && JSON.stringify(before) !== JSON.stringify(after))
    changes.push({ breaking: false, place, what: 'has the same in another order' });
  return [...changes.filter(({ breaking }) => breaking), ...changes.filter(({ breaking }) => !breaking)];
}

/** Returns one line of a list of changes. */
export function lineOf({ breaking, place, what }: Change): string {
  return `${breaking ? 'BREAKING' : 'harmless'}  ${place}: ${what}`;
}

class Comparison {
  private readonly changes: Change[] = [];
  private readonly schemas: SchemaComparison;

  constructor(
    private readonly before: Document,
    private readonly after: Document,
  ) {
    this.schemas = new SchemaComparison(before.components.schemas, after.components.schemas);
  }

  run(): Change[] {
    this.compareKeys();
    const olds = operationsOf(this.before);
    const nows = operationsOf(this.after);
    for (const [name, old] of olds) {
      const now = nows.get(name);
      if (now) this.compareOperations(name, old, now);
      else this.note(true, name, 'the operation is gone');
    }
    for (const name of nows.keys()) if (!olds.has(name)) this.note(false, name, 'the operation is new');
    return [...this.changes, ...this.schemas.changes];
  }

  private compareKeys(): void {
    const placeOf = ({ components }: Document) =>
      Object.values(components.securitySchemes)
        .map((scheme) => `${scheme.in} ${scheme.name}`)
        .join(', ');
    const [old, now] = [placeOf(this.before), placeOf(this.after)];
    if (old !== now) this.note(true, 'the key', `is expected in ${now} instead of ${old}`);
  }

  private compareOperations(name: string, old: Operation, now: Operation): void {
    if (old.operationId !== now.operationId) {
      const what = `is called ${now.operationId} instead of ${old.operationId}, in generated clients too`;
      this.note(true, name, what);
    }
    if (!old.deprecated && now.deprecated) this.note(false, name, 'is deprecated');
    if (old.deprecated && !now.deprecated) this.note(false, name, 'is no longer deprecated');
    this.compareRequirements(name, old, now);
    this.compareParameters(name, old.parameters ?? [], now.parameters ?? [], 'request');
    this.compareBodies(name, old.requestBody, now.requestBody, 'request');
    this.compareAnswers(name, old.responses, now.responses);
    this.compareCodes(name, old['x-codes'] ?? [], now['x-codes'] ?? []);
    this.compareCallbacks(name, old, now);
  }

  private compareRequirements(name: string, old: Operation, now: Operation): void {
    const [from, to] = [old['x-requires'], now['x-requires']];
    if (from?.role !== to?.role)
      this.note(true, name, `needs a key of role ${to?.role} instead of ${from?.role}`);
    if (from?.module === to?.module) return;
    if (to?.module) this.note(true, name, `needs the module ${to.module}`);
    else this.note(false, name, `no longer needs the module ${from?.module}`);
  }

  private compareParameters(
    name: string,
    olds: readonly Parameter[],
    nows: readonly Parameter[],
    direction: Direction,
  ): void {
    // Names of headers are case-insensitive.
    const keyOf = ({ in: where, name: called }: Parameter) =>
      where === 'header' ? `header ${called.toLowerCase()}` : `${where} parameter ${called}`;
    for (const old of olds) {
      const place = `${name}, ${keyOf(old)}`;
      const now = nows.find((one) => keyOf(one) === keyOf(old));
      if (!now) {
        this.note(true, place, 'is gone');
        continue;
      }
      const isSent = direction === 'request';
      if (!old.required && now.required) this.note(isSent, place, 'is now required');
      if (old.required && !now.required) this.note(!isSent, place, 'is no longer required');
      this.schemas.compare(old.schema ?? {}, now.schema ?? {}, direction, place);
    }
    for (const now of nows) {
      if (olds.some((one) => keyOf(one) === keyOf(now))) continue;
      const isDemanded = direction === 'request' && now.required === true;
      this.note(isDemanded, `${name}, ${keyOf(now)}`, isDemanded ? 'is new and required' : 'is new');
    }
  }

  private compareBodies(
    name: string,
    old: Operation['requestBody'],
    now: Operation['requestBody'],
    direction: Direction,
  ): void {
    const place = `${name}, body`;
    if (!old && now) {
      const isDemanded = now.required === true;
      this.note(isDemanded, place, isDemanded ? 'is new and required' : 'is new');
    }
    if (old && !now) this.note(true, place, 'is gone');
    if (!old || !now) return;
    if (!old.required && now.required) this.note(direction === 'request', place, 'is now required');
    if (old.required && !now.required) this.note(direction === 'answer', place, 'is no longer required');
    this.compareContents(place, old.content, now.content, direction);
  }

  private compareContents(place: string, olds: Content, nows: Content, direction: Direction): void {
    for (const [type, old] of Object.entries(olds)) {
      const now = nows[type];
      if (now) this.schemas.compare(old.schema ?? {}, now.schema ?? {}, direction, place);
      else this.note(true, place, `is no longer ${type}`);
    }
    for (const type of Object.keys(nows))
      if (!olds[type]) this.note(direction === 'answer', place, `can now be ${type}`);
  }

  private compareAnswers(name: string, olds: Operation['responses'], nows: Operation['responses']): void {
    const isSuccess = (status: string): boolean => status < '400';
    for (const [status, old] of Object.entries(olds)) {
      const place = `${name}, answer ${status}`;
      const now = nows[status];
      if (!now) {
        this.note(isSuccess(status), place, 'is gone');
        continue;
      }
      this.compareContents(place, old.content ?? {}, now.content ?? {}, 'answer');
      this.compareHeaders(place, old.headers ?? {}, now.headers ?? {});
    }
    for (const status of Object.keys(nows))
      if (!olds[status]) this.note(isSuccess(status), `${name}, answer ${status}`, 'is new');
  }

  private compareHeaders(
    place: string,
    olds: NonNullable<Answer['headers']>,
    nows: NonNullable<Answer['headers']>,
  ): void {
    for (const [header, old] of Object.entries(olds)) {
      const now = nows[header];
      if (now) this.schemas.compare(old.schema ?? {}, now.schema ?? {}, 'answer', `${place}, ${header}`);
      else this.note(true, `${place}, ${header}`, 'is gone');
    }
    for (const header of Object.keys(nows))
      if (!olds[header]) this.note(false, `${place}, ${header}`, 'is new');
  }

  private compareCodes(name: string, olds: readonly string[], nows: readonly string[]): void {
    // A caller that handles this code does not get it any more: it may have another name now.
    for (const code of olds)
      if (!nows.includes(code)) this.note(true, name, `the error code ${code} is gone`);
    for (const code of nows)
      if (!olds.includes(code)) this.note(false, name, `the error code ${code} is new`);
  }

  /** Requests of the service to callbacks, which are responses for their receivers. */
  private compareCallbacks(name: string, old: Operation, now: Operation): void {
    const olds = callbacksOf(name, old);
    const nows = callbacksOf(name, now);
    for (const [place, one] of olds) {
      const same = nows.get(place);
      if (!same) {
        this.note(true, place, 'is gone');
        continue;
      }
      this.compareParameters(place, one.parameters ?? [], same.parameters ?? [], 'answer');
      this.compareBodies(place, one.requestBody, same.requestBody, 'answer');
    }
    for (const place of nows.keys()) if (!olds.has(place)) this.note(false, place, 'is new');
  }

  private note(breaking: boolean, place: string, what: string): void {
    this.changes.push({ breaking, place, what });
  }
}

function operationsOf({ paths }: Document): Map<string, Operation> {
  return new Map(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation]),
    ),
  );
}

function callbacksOf(name: string, { callbacks }: Operation): Map<string, Operation> {
  return new Map(
    Object.entries(callbacks ?? {}).flatMap(([event, addresses]) =>
      Object.values(addresses).flatMap((item) =>
        Object.values(item).map((operation): [string, Operation] => [
          `${name}, callback ${event}`,
          operation,
        ]),
      ),
    ),
  );
}
