import { Client } from 'pg';

/** A statement that the application sent, and how often a condition on the tenant was taken out of it. */
export interface Sent {
  readonly text: string;
  readonly rewritten: string;
  readonly removed: number;
}

/** A column tenant_id where it is compared; behind SET or a comma it is written. */
const COLUMN = /(?<!["\w.]|(?:SET|,)\s*)(?:"?\w+"?\.)?"?\btenant_id\b"?\s*/;
const CONDITION = new RegExp(`${COLUMN.source}=\\s*(?:(\\$\\d+)|(?:"?\\w+"?\\.)"?\\btenant_id\\b"?)`, 'g');
const ANY_CONDITION = new RegExp(`${COLUMN.source}(?:=|<>|IN\\b|IS\\b)`);

/** Whether a statement still compares tenant_id with something. */
export function comparesTenant(text: string): boolean {
  return ANY_CONDITION.test(text);
}

/** Clients and keys belong to administration: no tenant reads them, and no row-level security guards them. */
const OF_ADMINISTRATION = /(?:FROM|JOIN|INTO|UPDATE)\s+"?(?:client|tenant|cle)\b/;

/**
 * Takes `tenant_id = $1`, and that of one table = that of another, out of every statement of the application on a
 * tenant's tables, as if somebody had forgotten it everywhere: each becomes a condition that is always true and still
 * uses its parameter.
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
    // A name stands for one text, on the connection and in pg.
    const rewritten = { text, ...(query.name ? { name: `${query.name}_unconditioned` } : {}) };
    // What submits itself is made for one use, and cannot be copied.
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
