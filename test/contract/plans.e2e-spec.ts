import { CARDS } from '../adhesion/planned-lists';
import { MEETINGS, RESULTS } from '../meeting/planned-lists';
import { EMPLOYMENTS } from '../membership/planned-lists';
import { VOTERS } from '../voting/planned-lists';
import { IS_WHOLE } from '../setup/depth';
import { perFile } from '../setup/fixtures';
import { TestApp } from '../setup/test-app';
import {
  choices,
  type Control,
  type Filters,
  type OpenedList,
  planFaults,
  statementOf,
} from './support/planned-list';

const app = perFile(() => TestApp.own('volume'));

// Employments come first, because their plans depend on the statistics of employees, and CARDS adds many employees.
describe.each([EMPLOYMENTS, CARDS, VOTERS, MEETINGS, RESULTS])('a page of $what', (list) => {
  let opened: OpenedList;
  beforeAll(async () => {
    opened = await list.open(app);
  }, 300_000);

  const names = Object.keys(list.values ?? {});
  const combinations = Array.from({ length: 2 ** names.length }, (_, bits) =>
    names.filter((_name, bit) => bits & (1 << bit)),
  );
  /** More filters only leave fewer rows. */
  const some = combinations.filter(({ length }) => IS_WHOLE || length <= 2 || length === names.length);

  async function faultsOf(filters: Filters, isFar: boolean): Promise<string[]> {
    const leads = await opened.leads?.(filters, isFar);
    const statement = await statementOf(app, list, opened, filters, isFar);
    return planFaults(app, list, opened, statement, leads);
  }

  async function expectIndexes(filtered: readonly string[]): Promise<void> {
    const faults: Record<string, string[]> = {};
    const all = choices(list, filtered);
    const tried = filtered.length <= 2 ? all : [all.at(0)!, all.at(all.length / 2)!, all.at(-1)!];
    for (const filters of new Set(tried)) {
      for (const isFar of opened.far && filtered.length <= 2 ? [false, true] : [false]) {
        const found = await faultsOf(filters, isFar);
        if (found.length > 0) faults[`${Object.values(filters).join(' ')} ${isFar}`] = found;
      }
    }
    expect(faults).toEqual({});
  }

  const uncounted = some.filter((filtered) => list.isPlannedUncounted?.(filtered));
  if (uncounted.length > 0)
    it('is found through an index before PostgreSQL has counted the rows', async () => {
      for (const filtered of uncounted) await expectIndexes(filtered);
    });

  describe('with statistics,', () => {
    // As autovacuum does within a minute.
    beforeAll(() => app.database.query(`ANALYZE ${list.tables.join(', ')}`));

    it.each(some.map((filtered) => [filtered.join(', ') || 'nothing', filtered] as const))(
      'filtered by %s is found through an index',
      (_what, filtered) => expectIndexes(filtered),
    );

    if (list.also)
      it('is found through an index with each of the other requests', async () => {
        for (const { at, filters } of list.also!) {
          const place = { ...opened, path: at ?? opened.path };
          const statement = await statementOf(app, list, place, filters);
          expect({ filters, faults: await planFaults(app, list, place, statement) }).toEqual({
            filters,
            faults: [],
          });
        }
      });

    if (list.controls.length > 0)
      it('control: without its index, or with a spoilt condition, it is a fault', async () => {
        for (const control of list.controls) await expectFault(control);
      });

    async function expectFault(control: Control): Promise<void> {
      const { filters, isFar = false, without = [], spoil = (text: string) => text } = control;
      expect(await faultsOf(filters, isFar)).toEqual([]);
      const statement = await statementOf(app, list, opened, filters, isFar);
      const spoilt = { ...statement, text: spoil(statement.text) };
      expect(spoilt.text === statement.text).toBe(without.length > 0);
      const { rows } = await app.database.query<{ definition: string }>(
        'SELECT pg_get_indexdef(name::regclass) AS definition FROM unnest($1::text[]) name',
        [without],
      );
      if (without.length > 0) await app.database.query(`DROP INDEX ${without.join(', ')}`);
      const leads = await opened.leads?.(filters, isFar);
      expect(await planFaults(app, list, opened, spoilt, leads)).not.toEqual([]);
      for (const { definition } of rows) await app.database.query(definition);
    }
  });
});
