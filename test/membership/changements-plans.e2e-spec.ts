import { ENTITES } from '../../libs/membership/src/domain/changement.fields';
import { IN_ORDER } from '../../libs/platform/src/database/entered-query';
import { perFile } from '../setup/fixtures';
import { TestApp } from '../setup/test-app';
import { CHANGEMENTS } from './changements-support';
import { planAlone, rowsRead, statementsOf } from './plans';

const SMALL = 4_000;
const LARGE = 30_000;
const FEW = 50;

const app = perFile(() => TestApp.own('volume'));

/** Many transactions of one change and, between them, a large one with a few memberships behind its employments. */
async function fill(tenantId: string): Promise<void> {
  const changes = async (count: number, each: number, entite: string, origine: string): Promise<void> => {
    await app.database.query(
      `WITH lots AS (
         INSERT INTO changement_lot (tenant_id, origine, entites, date_publication)
         SELECT $1, $5, ARRAY[$4], clock_timestamp() + n * interval '1 ms' FROM generate_series(1, $2::int) n RETURNING id_unique
       )
       INSERT INTO changement (tenant_id, lot, entite, id_externe, nature)
       SELECT $1, id_unique, $4, 'X-' || n, 'Modifie' FROM lots, generate_series(1, $3::int) n`,
      [tenantId, count, each, entite, origine],
    );
  };
  await changes(SMALL, 1, 'Employe', 'api');
  await changes(2, 1, 'Employeur', 'api');
  await changes(1, LARGE, 'Emploi', 'sync');
  await app.database.query(
    `INSERT INTO changement (tenant_id, lot, entite, id_externe, nature)
     SELECT $1, id_unique, 'Adhesion', 'X-' || n, 'Cree' FROM changement_lot, generate_series(1, $2::int) n
     WHERE tenant_id = $1 AND origine = 'sync'`,
    [tenantId, FEW],
  );
  await app.database.query(
    `UPDATE changement_lot SET entites = entites || '{Adhesion}' WHERE tenant_id = $1 AND origine = 'sync'`,
    [tenantId],
  );
  await changes(SMALL, 1, 'Employe', 'api');
}

describe('a page of the feed of changes', () => {
  const after = (position: { date: Date; id: string }): string =>
    `&curseur=${Buffer.from(`${position.date.getTime()}.${position.id}`).toString('base64url')}`;

  it.each([
    ['without statistics', ''],
    ['with statistics', 'ANALYZE changement, changement_lot'],
  ])(
    'reads about the rows that it returns, for each kind and position: %s',
    async (_when, prepare) => {
      const sender = await app.tenant();
      const { tenantId } = sender;
      await fill(tenantId);
      if (prepare) await app.database.query(prepare);
      const { rows } = await app.database.query<{ date: Date; id: string; middle: string }>(
        `SELECT date_publication AS date, 'ffffffff-ffff-ffff-ffff-ffffffffffff' AS id,
         (SELECT id_unique FROM changement c WHERE c.tenant_id = $1 AND c.lot = l.id_unique ORDER BY 1 OFFSET $2 LIMIT 1) AS middle
       FROM changement_lot l WHERE tenant_id = $1 AND origine = 'sync'`,
        [tenantId, LARGE / 2],
      );
      const large = rows[0]!;
      const positions = ['', after(large), after({ ...large, id: large.middle })];
      for (const kind of [undefined, ...ENTITES]) {
        for (const position of positions) {
          for (const limite of [1, 1_000]) {
            const path = `${CHANGEMENTS}?limite=${limite}${kind ? `&entite=${kind}` : ''}${position}`;
            const sent = await statementsOf(() => app.send(sender, 'GET', path));
            const statement = sent.find(({ name }) => name?.startsWith('changement_page'))!;
            const plan = await planAlone(app, tenantId, statement, [IN_ORDER]);
            const read = rowsRead(plan, ['changement', 'changement_lot'].flatMap(monthsOf));
            const about = 3 * plan['Actual Rows'] + 10;
            expect({ path, read, isMuch: read > about }).toEqual({ path, read, isMuch: false });
          }
        }
      }
    },
    240_000,
  );
});

/** The names of the tables of the months around now. */
function monthsOf(table: string): string[] {
  const months = Array.from(
    { length: 16 },
    (_, n) => new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + n - 2)),
  );
  return [table, ...months.map((month) => `${table}_${month.toISOString().slice(0, 7).replace('-', '_')}`)];
}
