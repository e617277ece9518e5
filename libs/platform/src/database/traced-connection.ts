import type { Client, QueryConfig, QueryResult } from 'pg';
import { failureOf, type Span, Spans } from '../ops/spans';
import type { Connection, ServerConfig } from './client-config';

/** A query that `pg` accepts: a text, a configuration, or an object that runs itself, such as a COPY. */
type Sent = string | (QueryConfig & Partial<Submittable>);

interface Submittable {
  submit: unknown;
  handleError(error: Error, connection: unknown): void;
  handleReadyForQuery(connection: unknown): void;
}

/**
 * Returns connections whose statements are spans of the work that sends them. Work without a span has none. A span has the name of its
 * statement, or its command and first table; never its text or values.
 */
export function tracedBy(spans: Spans, connection: Connection): Connection {
  if (!spans.isOn) return connection;
  return class extends connection {
    constructor(config: ServerConfig) {
      super(config);
      const query = this.query.bind(this) as (...sent: unknown[]) => unknown;
      const traced = (sent: Sent, ...rest: unknown[]): unknown => {
        const parent = Spans.current;
        if (!parent) return query(sent, ...rest);
        const name = nameOf(sent);
        const facts = { 'db.system.name': 'postgresql', 'db.query.summary': name };
        const span = spans.start({ name, kind: 'CLIENT', facts, parent })!;
        if (typeof sent !== 'string' && sent.submit) endWith(span, sent as unknown as Submittable);
        const result = query(sent, ...rest);
        if (result instanceof Promise)
          (result as Promise<QueryResult>).then(
            () => span.end(),
            (error: unknown) => span.end(failureOf(error)),
          );
        return result;
      };
      this.query = traced as Client['query'];
    }
  };
}

/** Ends a span with an object that runs itself. */
function endWith(span: Span, sent: Submittable): void {
  const handleError = sent.handleError.bind(sent);
  const handleReadyForQuery = sent.handleReadyForQuery.bind(sent);
  Object.assign(sent, {
    handleError: (error: Error, connection: unknown) => {
      span.end(failureOf(error));
      handleError(error, connection);
    },
    handleReadyForQuery: (connection: unknown) => {
      span.end();
      handleReadyForQuery(connection);
    },
  });
}

const COMMAND = /^\s*([a-z]+)/i;
const TABLE = /\b(?:from|into|update|copy|table)\s+"?([a-z_][a-z0-9_.]*)/i;

function nameOf(sent: Sent): string {
  if (typeof sent !== 'string' && sent.name) return sent.name;
  const text = typeof sent === 'string' ? sent : sent.text;
  const command = COMMAND.exec(text)?.[1]?.toUpperCase() ?? 'statement';
  const table = TABLE.exec(text)?.[1];
  return table ? `${command} ${table}` : command;
}
