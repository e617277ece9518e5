import { randomUUID } from 'node:crypto';
import { command } from '../setup/command';
import { perFile } from '../setup/fixtures';
import { TestApp } from '../setup/test-app';

const app = perFile(() => TestApp.own('sees all tenants'));

const SPACE = randomUUID();
/** Put aside in this order; the last one is left by a dead process. */
const [TASK, FIRST, SECOND, LEFT] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];

beforeEach(async () => {
  await app.database.query('DELETE FROM travail_en_cours');
  await app.database.query(
    `INSERT INTO travail_en_cours (espace, travail, id, processus, jusqua, morts, mis_de_cote) VALUES
       ($1, 'tache', $2, 'one', now(), 2, '2026-01-01T00:00:00Z'),
       ($1, 'scellement', $3, 'one', now(), 2, '2026-01-02T00:00:00Z'),
       ($1, 'scellement', $4, 'one', now(), 2, '2026-01-03T00:00:00Z'),
       ($1, 'scellement', $5, 'one', now(), 1, NULL)`,
    [SPACE, TASK, FIRST, SECOND, LEFT],
  );
});

/** Runs a command as an operator does. @returns its exit code, its lines and its errors */
async function cli(...args: string[]): Promise<[number, string[], string]> {
  const { code, output, errors } = await command({ DATABASE_URL: app.config.databaseUrl }, ...args);
  return [code, output.split('\n').slice(0, -1), errors];
}

async function left(): Promise<string[]> {
  const { rows } = await app.database.query<{ id: string }>('SELECT id FROM travail_en_cours');
  return rows.map(({ id }) => id).sort();
}

describe('node dist/apps/cli/src/main.js mis-de-cote', () => {
  it('prints a line of JSON for each piece that was put aside, the oldest first', async () => {
    const [code, lines, errors] = await cli('mis-de-cote');
    expect([code, errors]).toEqual([0, '']);
    expect(lines.map((line) => JSON.parse(line))).toEqual(
      [
        { travail: 'tache', id: TASK, misDeCote: '2026-01-01T00:00:00.000Z' },
        { travail: 'scellement', id: FIRST, misDeCote: '2026-01-02T00:00:00.000Z' },
        { travail: 'scellement', id: SECOND, misDeCote: '2026-01-03T00:00:00.000Z' },
      ].map((piece) => ({ cellule: expect.stringMatching(/./), espace: SPACE, ...piece })),
    );
    expect(await left()).toHaveLength(4);
  });

  it('prints nothing if there is none', async () => {
    await app.database.query('DELETE FROM travail_en_cours WHERE mis_de_cote IS NOT NULL');
    expect(await cli('mis-de-cote')).toEqual([0, [], '']);
  });
});

describe('node dist/apps/cli/src/main.js reprendre', () => {
  it('removes the entries of one work that were put aside, and no others', async () => {
    expect(await cli('reprendre', 'scellement')).toEqual([0, ['2 taken up again.'], '']);
    expect(await left()).toEqual([TASK, LEFT].sort());
  });

  it('removes one entry', async () => {
    expect(await cli('reprendre', 'scellement', SECOND)).toEqual([0, ['1 taken up again.'], '']);
    expect(await left()).toEqual([TASK, FIRST, LEFT].sort());
  });

  it.each([
    ['without a work', [], /^Name the work, as `mis-de-cote` prints it[^\n]+\n$/],
    ['of a work without entries', ['dossier'], /^No such piece is put aside\.\n$/],
    ['of an entry of another work', ['scellement', TASK], /^No such piece is put aside\.\n$/],
    ['of a piece that was not put aside', ['scellement', LEFT], /^No such piece is put aside\.\n$/],
    ['of an id that is none', ['scellement', 'x'], /^No such piece is put aside\.\n$/],
  ])('%s ends with 1 and the reason, and removes nothing', async (_what, args, reason) => {
    const [code, lines, errors] = await cli('reprendre', ...args);
    expect([code, lines]).toEqual([1, []]);
    expect(errors).toMatch(reason);
    expect(await left()).toHaveLength(4);
  });
});
