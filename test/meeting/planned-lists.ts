import type { OpenedList, PlannedList } from '../contract/support/planned-list';
import type { TestApp } from '../setup/test-app';
import { Meetings, SEANCE } from './support/meetings';

const TABLES = ['seance', 'point_seance'];

async function open(app: TestApp): Promise<OpenedList> {
  const meetings = await Meetings.open(app);
  await meetings.unions('SYN-RARE', 'SYN-USUAL');
  await meetings.rows(
    `INSERT INTO seance (tenant_id, titre, date, syndicat_id_externe, date_creation)
     SELECT $1, 'Séance', '2020-01-01Z'::timestamptz + n * interval '1 hour',
       CASE WHEN n % 2000 = 0 THEN 'SYN-RARE' ELSE 'SYN-USUAL' END, '2026-01-01Z'::timestamptz + n * interval '1 s'
     FROM generate_series(1, 20000) n`,
  );
  await meetings.rows(
    `INSERT INTO point_seance (tenant_id, seance_id, titre, ordre, votable, type_vote, majorite)
     SELECT tenant_id, id_unique, 'Point', n, true, 'secret', 'simple'
     FROM seance, generate_series(1, 3) n WHERE tenant_id = $1`,
  );
  return { caller: meetings.tenant, path: SEANCE };
}

export const MEETINGS: PlannedList = {
  what: '20,000 meetings',
  open,
  statement: /FROM seance/,
  tables: TABLES,
  limite: 10,
  most: 250,
  also: [
    { filters: { syndicatIdExterne: 'SYN-RARE' } },
    { filters: { apres: '2021-03-01', avant: '2021-03-02' } },
    { filters: { apres: '2022-04-12' } },
    { filters: { syndicatIdExterne: 'SYN-RARE', avant: '2020-06-01' } },
  ],
  controls: [],
};

/** Items of the list are points of the meeting. */
export const RESULTS: PlannedList = {
  what: 'results of a meeting, of 60,000 points',
  open: async (app) => {
    const { caller, path } = await open(app);
    const [{ seanceId }] = (await app.send(caller, 'GET', `${path}?limite=1`)).json;
    return { caller, path: `${path}/${seanceId}/resultats` };
  },
  statement: /FROM point_seance/,
  tables: TABLES,
  limite: 10,
  most: 6,
  controls: [],
};
