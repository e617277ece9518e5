import { Client } from 'pg';

/** Sent at any request, now and then: who calls, what is left of the minute, the frame of a transaction; and by the watch. */
const EVERY_REQUEST = new Set([
  'SELECT 1',
  'caller_find',
  'rate_window_lease',
  'transaction_enter',
  'BEGIN',
  'START TRANSACTION',
  'COMMIT',
]);

/** Counts the statements that this process sends to PostgreSQL for its work while `work` runs, COPY included. */
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
