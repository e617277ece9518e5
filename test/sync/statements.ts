import { Client } from 'pg';

/** Statements of any request: the caller, the rate limit, the frame of a transaction, the connection check, and positions. */
const EVERY_REQUEST = new Set([
  'SELECT 1',
  'caller_find',
  'rate_window_lease',
  'transaction_enter',
  'BEGIN',
  'START TRANSACTION',
  'COMMIT',
  'standbys_find',
  'standbys_primary',
  'standbys_standby',
  'standbys_store',
  // Requests of staging look them up.
  'horloge_avance',
  'panne_find',
]);

/** Counts the statements, with COPY, that this process sends to PostgreSQL while `work` runs. */
export async function countStatements(work: () => Promise<unknown>): Promise<number> {
  const spy = jest.spyOn(Client.prototype, 'query');
  try {
    await work();
    const sent = spy.mock.calls.map(
      ([statement]) => statement as unknown as string | { name?: string; text?: string },
    );
    const names = sent.map((statement) =>
      typeof statement === 'string' ? statement : (statement.name ?? statement.text),
    );
    return names.filter((name) => !EVERY_REQUEST.has(name ?? '')).length;
  } finally {
    spy.mockRestore();
  }
}
