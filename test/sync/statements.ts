import { Client } from 'pg';

/** Statements of any request: the caller, the rate limit, the frame of a transaction, the connection check, and positions. */
const EVERY_REQUEST = new Set([
  'SELECT 1',
  'caller_find',
  'directory_state',
  // A request of more than a second looks up where its data space lives if the look-up of its key has become too old.
  'cell_of',
  'rate_window_lease',
  'transaction_enter',
  'BEGIN',
  'START TRANSACTION',
  'COMMIT',
  'standbys_find',
  'standbys_primary',
  'standbys_standby',
  'standbys_store',
  // The clock and the failures on demand, which requests of staging look up.
  'essai_of_request',
]);

/** Counts the statements, with COPY, that this process sends to PostgreSQL while `work` runs. */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  return (await statementsOf(work)).length;
}

/** Returns which statements `many` has more often than `few`. */
export function grown(few: readonly string[], many: readonly string[]): string[] {
  const rest = [...few];
  return many.filter((name) => {
    const index = rest.indexOf(name);
    if (index >= 0) rest.splice(index, 1);
    return index < 0;
  });
}

/** Returns the names or texts, without their numbers, of the statements with COPY that this process sends to PostgreSQL while `work` runs. */
export async function statementsOf(work: () => Promise<unknown>): Promise<string[]> {
  const spy = jest.spyOn(Client.prototype, 'query');
  try {
    await work();
    const sent = spy.mock.calls.map(
      ([statement]) => statement as unknown as string | { name?: string; text?: string },
    );
    const names = sent.map((statement) =>
      typeof statement === 'string' ? statement : (statement.name ?? statement.text ?? ''),
    );
    return names.filter((name) => !EVERY_REQUEST.has(name)).map((name) => name.replaceAll(/\d+/g, '0'));
  } finally {
    spy.mockRestore();
  }
}
