import { nodesOf, planOf, rowsRead, statementsOf } from '../membership/plans';
import { TestApp } from '../setup/test-app';
import { Meetings } from './support/meetings';
import { perFile } from '../setup/fixtures';

const SEANCES = 20_000;
const TABLES = ['seance', 'point_seance'];

const app = perFile(() => TestApp.own('volume'));
let meetings: Meetings;

beforeAll(async () => {
  meetings = await Meetings.open(app);
  await meetings.unions('SYN-RARE', 'SYN-USUAL');
  await meetings.rows(
    `INSERT INTO seance (tenant_id, titre, date, syndicat_id_externe, date_creation)
     SELECT $1, 'Séance', '2020-01-01Z'::timestamptz + n * interval '1 hour',
       CASE WHEN n % 2000 = 0 THEN 'SYN-RARE' ELSE 'SYN-USUAL' END, '2026-01-01Z'::timestamptz + n * interval '1 s'
     FROM generate_series(1, ${SEANCES}) n`,
  );
  await meetings.rows(
    `INSERT INTO point_seance (tenant_id, seance_id, titre, ordre, votable, type_vote, majorite)
     SELECT tenant_id, id_unique, 'Point', n, true, 'secret', 'simple'
     FROM seance, generate_series(1, 3) n WHERE tenant_id = $1`,
  );
  await app.database.query('ANALYZE seance, point_seance');
});

it.each<[what: string, query: string, most: number]>([
  ['a page of all', '?limite=10', 60],
  ['a page of a union', '?syndicatIdExterne=SYN-RARE&limite=10', 60],
  ['a page of a day', '?apres=2021-03-01&avant=2021-03-02&limite=10', 160],
  ['a page of what comes after a date near the end', '?apres=2022-04-12&limite=10', 250],
  ['the meetings of a union on a day', '?syndicatIdExterne=SYN-RARE&avant=2020-06-01&limite=10', 60],
])('%s reads few rows', async (_what, query, most) => {
  const [statement] = (await statementsOf(() => meetings.read(query))).filter(({ text }) =>
    /FROM seance/.test(text),
  );
  for (const execution of [1, 7]) {
    const plan = await planOf(app, meetings.tenant.tenantId, statement!, execution);
    expect(rowsRead(plan, TABLES)).toBeLessThanOrEqual(most);
    expect(nodesOf(plan).filter((node) => node['Node Type'] === 'Seq Scan')).toEqual([]);
  }
});

it('the results of a meeting read its points only', async () => {
  const [{ seanceId }] = (await meetings.read('?limite=1')).json;
  const statements = await statementsOf(() => meetings.read(`/${seanceId}/resultats`));
  const [statement] = statements.filter(({ text }) => /FROM point_seance/.test(text));
  for (const execution of [1, 7]) {
    const plan = await planOf(app, meetings.tenant.tenantId, statement!, execution);
    expect(rowsRead(plan, TABLES)).toBeLessThanOrEqual(6);
  }
});
