import { Client } from 'pg';

/** A statement of the application, with the number of tenant conditions removed from it. */
export interface Sent {
  readonly text: string;
  readonly rewritten: string;
  readonly removed: number;
}

/** A tenant_id column in a comparison; after SET or a comma it is assigned. */
const COLUMN = /(?<!["\w.]|(?:SET|,)\s*)(?:"?\w+"?\.)?"?\btenant_id\b"?\s*/;
const CONDITION = new RegExp(
  `${COLUMN.source}=\\s*(?:(\\$\\d+|\\(SELECT \\$1::uuid\\))|(?:"?\\w+"?\\.)"?\\btenant_id\\b"?)`,
  'g',
);
const ANY_CONDITION = new RegExp(`${COLUMN.source}(?:=|<>|IN\\b|IS\\b)`);

/** Returns whether a statement still compares tenant_id. */
export function comparesTenant(text: string): boolean {
  return ANY_CONDITION.test(text);
}

/** Statements on clients and keys, which belong to administration and have no row-level security. */
const OF_ADMINISTRATION = /(?:FROM|JOIN|INTO|UPDATE)\s+"?(?:client|tenant|cle)\b/;

/**
 * Removes `tenant_id = $1` and `one.tenant_id = other.tenant_id` from every statement of the application on tables of
 * tenants, like a developer who forgot them everywhere. Each becomes a condition that is always true and still uses its
 * parameter.
 */
export class Unconditioned {
  private readonly original = Client.prototype.query as (...query: unknown[]) => unknown;
  private readonly statements = new Map<string, Sent>();

  async during<T>(work: () => Promise<T>): Promise<T> {
    const rewrite = (first: unknown): unknown => this.rewriteQuery(first);
    const { original } = this;
    Client.prototype.query = function (this: Client, first: unknown, ...rest: unknown[]) {
      return original.call(this, isOfApplication(this) ? rewrite(first) : first, ...rest);
    } as typeof Client.prototype.query;
    try {
      return await work();
    } finally {
      Client.prototype.query = original as typeof Client.prototype.query;
    }
  }

  /** The statements that the application sent while `during` ran its work. */
  get sent(): Sent[] {
    return [...this.statements.values()];
  }

  private rewriteQuery(first: unknown): unknown {
    if (typeof first === 'string') return this.rewriteText(first);
    const query = first as { text: string; name?: string; submit?: unknown };
    const text = this.rewriteText(query.text);
    if (text === query.text) return first;
    // A statement name must stand for one text, on the connection and in pg.
    const rewritten = { text, ...(query.name ? { name: `${query.name}_unconditioned` } : {}) };
    // A query that submits itself is used once and cannot be copied.
    return query.submit ? Object.assign(query, rewritten) : { ...query, ...rewritten };
  }

  private rewriteText(text: string): string {
    if (OF_ADMINISTRATION.test(text)) return text;
    const removed = [...text.matchAll(CONDITION)].length;
    const rewritten = text.replaceAll(CONDITION, (_condition, parameter?: string) =>
      parameter ? `${parameter}::uuid IS NOT NULL` : 'true',
    );
    this.statements.set(text, { text, rewritten, removed });
    return rewritten;
  }
}

/** The test's own connections have no application name. */
function isOfApplication(client: Client): boolean {
  const { connectionParameters } = client as unknown as {
    connectionParameters: { application_name?: string };
  };
  return connectionParameters.application_name?.startsWith('mandat ') ?? false;
}
