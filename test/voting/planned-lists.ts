import type { Filters, OpenedList, PlannedList } from '../contract/support/planned-list';
import { depth } from '../setup/depth';
import type { TestApp } from '../setup/test-app';
import { CAMPAGNES, Campaigns } from './support/campaigns';

const MANY = depth(40_000, 100_000);
const LIMITE = 100;
/** A time in the middle of the list. */
const MIDDLE = new Date(Date.UTC(2026, 0, 1) + MANY / 2);

/**
 * Voters of a large union and fifty small ones, of a large employer and ninety small ones. One in five hundred has no
 * right to vote, a third has voted, and no voter of SYN-7 has.
 */
async function fill(space: Campaigns, voters: number): Promise<string> {
  const made = await space.draft();
  await space.rows(
    `INSERT INTO votant (tenant_id, campagne_id, prenom, nom, syndicat_id_externe, employeur_identifiant_externe,
       a_droit_de_vote, a_vote, poids, date_creation)
     SELECT $1, $2, 'Zoé', 'Roy', syndicat, CASE WHEN n % 7 < 4 THEN 'EMP-BIG' ELSE 'EMP-' || n % 90 END,
       n % 500 > 0, n % 3 = 0 AND syndicat <> 'SYN-7', 1, timestamptz '2026-01-01Z' + n * interval '1 millisecond'
     FROM generate_series(0, $3 - 1) n,
       LATERAL (SELECT CASE WHEN n % 10 < 6 THEN 'SYN-BIG' ELSE 'SYN-' || n % 50 END AS syndicat) s`,
    ...[made, voters],
  );
  return made;
}

const COLUMNS: Record<string, string> = {
  syndicatIdExterne: 'syndicat_id_externe',
  employeurIdentifiantExterne: 'employeur_identifiant_externe',
  aVote: 'a_vote',
  aDroitDeVote: 'a_droit_de_vote',
};

/**
 * Returns how many rows a walk along the best index of the filters meets until it has found a page and the next row.
 * There is no index on `a_vote`, because each vote would have to write to it: that filter reads past other voters.
 */
async function leads(space: Campaigns, id: string, filters: Filters, isFar: boolean): Promise<number> {
  const conditions = Object.entries(filters).map(([name, value]) => `${COLUMNS[name]} = '${value}'`);
  const all = ['true', ...conditions].join(' AND ');
  const indexed = conditions.filter((one) => !/^a_vote|^a_droit_de_vote = 'true'/.test(one));
  const walks: number[] = [];
  for (const condition of indexed.length > 0 ? indexed : ['true']) {
    const rows = await space.rows<{ met: number }>(
      `SELECT count(*)::int AS met FROM (
         SELECT sum((${all})::int) OVER (ORDER BY date_creation, id_unique) - (${all})::int AS found
         FROM votant WHERE tenant_id = $1 AND campagne_id = $2 AND ${condition} AND date_creation >= $3
       ) w WHERE found <= ${LIMITE}`,
      ...[id, isFar ? MIDDLE : new Date(0)],
    );
    walks.push(rows[0]!.met);
  }
  return Math.min(...walks);
}

async function open(app: TestApp): Promise<OpenedList> {
  await app.database.query('ALTER TABLE votant SET (autovacuum_enabled = false)');
  const space = new Campaigns(app, await app.tenant());
  const id = await fill(space, MANY);
  await fill(space, MANY / 10);
  await fill(new Campaigns(app, await app.tenant()), MANY / 10);
  return {
    caller: space.tenant,
    path: `${CAMPAGNES}/${id}/votants`,
    far: { date: MIDDLE, id },
    leads: (filters, isFar) => leads(space, id, filters, isFar),
  };
}

export const VOTERS: PlannedList = {
  what: 'a roll of many voters',
  open,
  statement: /"VotantId"/,
  tables: ['votant'],
  limite: LIMITE,
  // Its own rows, the next one, and some that another filter leaves out.
  most: 3 * LIMITE,
  values: {
    syndicatIdExterne: ['SYN-BIG', 'SYN-7', 'SYN-NONE'],
    employeurIdentifiantExterne: ['EMP-BIG', 'EMP-13', 'EMP-NONE'],
    aVote: ['true', 'false'],
    aDroitDeVote: ['true', 'false'],
  },
  // It does not know yet whether a union or an employer leads to fewer voters.
  isPlannedUncounted: (names) =>
    !(names.includes('syndicatIdExterne') && names.includes('employeurIdentifiantExterne')),
  controls: [
    { filters: { syndicatIdExterne: 'SYN-7' }, isFar: true, without: ['votant_syndicat'] },
    { filters: { employeurIdentifiantExterne: 'EMP-13' }, isFar: true, without: ['votant_employeur'] },
    { filters: { aDroitDeVote: 'false' }, isFar: true, without: ['votant_sans_droit'] },
    { filters: {}, isFar: true, without: ['votant_creation'] },
  ],
};
