import { IN_ORDER } from '../../libs/platform/src/database/entered-query';
import { MOST_SCANNED } from '../../libs/platform/src/database/json-items';
import { planAlone, rowsRead, statementsOf } from '../membership/plans';
import { TestApp } from '../setup/test-app';
import { MOST_OPEN } from '../../libs/voting/src/campagne/application/lifecycle.service';
import { expectProblem } from '../http/expect-problem';
import { Campaigns } from './support/campaigns';

const CAMPAIGNS = 20_000;
/** Rows that a page of few campaigns may read: its own several times, because a filter may count them first. */
const MOST_READ = 100;

let app: TestApp;
let campaigns: Campaigns;

/** Adds campaigns to a data space, of numbers from `first` on. */
async function fill(of: Campaigns, first: number, count: number, columns: object): Promise<void> {
  const all = { titre: `'Vote ' || n`, ...columns };
  await of.rows(
    `INSERT INTO campagne (tenant_id, slug, ordre_reponses_aleatoire, ouverture_annoncee, fermeture_annoncee, date_creation, ${Object.keys(all).join(', ')})
     SELECT $1, 'vote-' || n, false, true, true, timestamptz '2026-01-01Z' + n * interval '1 millisecond',
       ${Object.values(all).join(', ')}
     FROM generate_series($2::int, $2 + $3 - 1) n`,
    ...[first, count],
  );
}

const DATES = (opening: string, closing: string) => ({
  ouverture_du_vote_utc: `timestamptz '${opening}'`,
  fermeture_du_vote_utc: `timestamptz '${closing}'`,
});
const PAST = DATES('2020-01-01Z', '2020-01-02Z');
const OPEN = { ...DATES('2020-01-01Z', '2100-01-01Z'), publiee: 'true' };
const ENDED = { ...PAST, publiee: 'true', urne_fermee_par: `'3'::xid8` };

beforeAll(async () => {
  app = await TestApp.own('volume');
});
afterAll(() => app.stop());

describe('a page of few campaigns reads few', () => {
  it.each<[query: string, many: object, few: object]>([
    ['etat=Brouillon', ENDED, PAST],
    ['etat=Planifie', ENDED, { ...DATES('2099-01-01Z', '2100-01-01Z'), publiee: 'true' }],
    ['etat=VoteOuvert', ENDED, OPEN],
    ['etat=Archive', ENDED, { ...ENDED, archivee: 'true' }],
    ['ouvertureApres=2030-01-01', ENDED, DATES('2099-01-01Z', '2100-01-01Z')],
    ['fermetureAvant=2010-01-01', ENDED, DATES('2009-01-01Z', '2009-01-02Z')],
  ])('%s', async (query, many, few) => {
    campaigns = new Campaigns(app, await app.tenant());
    await fill(campaigns, 0, CAMPAIGNS, many);
    await fill(campaigns, CAMPAIGNS, 3, few);
    await app.database.query('VACUUM ANALYZE campagne');
    const sent = await statementsOf(async () => {
      expect((await campaigns.sent('GET', `?${query}&limite=100`)).json).toHaveLength(3);
    });
    const reads = sent.filter(({ text }) => text.includes('campagne'));
    expect(reads.length).toBeGreaterThan(0);
    for (const read of reads)
      expect(
        rowsRead(await planAlone(app, campaigns.tenant.tenantId, read), ['campagne']),
      ).toBeLessThanOrEqual(MOST_READ);
  });
});

describe('a page of few campaigns among many that no index distinguishes', () => {
  it.each<[query: string, many: object, few: object]>([
    ['titre=rare', PAST, { ...PAST, titre: `'Rare ' || n` }],
    ['etat=Termine', PAST, ENDED],
    ['etat=VoteOuvert&titre=rare', OPEN, { ...OPEN, titre: `'Rare ' || n` }],
  ])('%s looks at some and goes on behind them', async (query, many, few) => {
    campaigns = new Campaigns(app, await app.tenant());
    await fill(campaigns, 0, CAMPAIGNS, many);
    await fill(campaigns, CAMPAIGNS, 3, few);
    await app.database.query('VACUUM ANALYZE campagne');
    const found: unknown[] = [];
    let pages = 0;
    for (let next: string | undefined = `?${query}&limite=2`; next; pages++) {
      let link: string | null = null;
      const sent = await statementsOf(async () => {
        const { json, headers } = await campaigns.sent('GET', next);
        link = headers.get('link');
        found.push(...json);
      });
      const read = sent.find(({ text }) => text.includes('FROM campagne'))!;
      const plan = await planAlone(app, campaigns.tenant.tenantId, read, [IN_ORDER]);
      expect(rowsRead(plan, ['campagne'])).toBeLessThanOrEqual(2 * MOST_SCANNED + MOST_READ);
      next = /campagnes(\?[^>]*)>/.exec(link ?? '')?.[1];
    }
    expect(found).toHaveLength(3);
    // The three are behind four such windows, and two of them fill a page.
    expect(pages).toBe(6);
    expect((await campaigns.sent('GET', `?${query}`)).json).toEqual(found);
  });
});

describe('POST /b2b/v1/campagnes/:id/publier', () => {
  it('429 Debit.Depasse with as many open campaigns as a data space may have, and nothing is written; 200 with one fewer', async () => {
    campaigns = new Campaigns(app, await app.tenant());
    const id = await campaigns.draft();
    await campaigns.question(id);
    await campaigns.votant(id);
    await fill(campaigns, 0, MOST_OPEN, OPEN);
    const answer = await campaigns.send('POST', `/${id}/publier`);
    expectProblem(answer, 429, 'Debit.Depasse');
    expect(answer.json.detail).toContain('10000');
    expect(await campaigns.etat(id)).toBe('Brouillon');
    await campaigns.rows(
      `UPDATE campagne SET urne_fermee_par = '3'::xid8 WHERE tenant_id = $1 AND titre = 'Vote 7'`,
    );
    expect((await campaigns.send('POST', `/${id}/publier`)).status).toBe(200);
  });
});

describe('statistics', () => {
  it('of a small union read its voters, and not the whole roll', async () => {
    campaigns = new Campaigns(app, await app.tenant());
    const id = await campaigns.draft();
    await campaigns.rows(
      `INSERT INTO votant (tenant_id, campagne_id, prenom, nom, syndicat_id_externe, a_droit_de_vote, poids)
       SELECT $1, $2, 'Zoé', 'Roy', CASE WHEN n < 10 THEN 'SYN-FEW' ELSE 'SYN-BIG' END, true, 1
       FROM generate_series(1, $3::int) n`,
      ...[id, CAMPAIGNS],
    );
    await app.database.query('VACUUM ANALYZE votant');
    const sent = await statementsOf(async () => {
      const { json } = await campaigns.sent('GET', `/${id}/stats?syndicatIdExterne=SYN-FEW`);
      expect(json.totalVotants).toBe(9);
    });
    const [read, ...others] = sent.filter(({ text }) => text.includes('FROM votant'));
    expect(others).toEqual([]);
    expect(rowsRead(await planAlone(app, campaigns.tenant.tenantId, read!), ['votant'])).toBeLessThanOrEqual(
      MOST_READ,
    );
  });
});

describe('a page of a roll', () => {
  it.each(['syndicatIdExterne=SYN-NONE', 'employeurIdentifiantExterne=EMP-NONE'])(
    'with %s reads few voters, if all are of another one',
    async (query) => {
      campaigns = new Campaigns(app, await app.tenant());
      const id = await campaigns.draft();
      await app.database.query('TRUNCATE votant CASCADE');
      await campaigns.rows(
        `INSERT INTO votant (tenant_id, campagne_id, prenom, nom, syndicat_id_externe, employeur_identifiant_externe, a_droit_de_vote, poids)
         SELECT $1, $2, 'Zoé', 'Roy', 'SYN-ALL', 'EMP-ALL', true, 1 FROM generate_series(1, $3::int)`,
        ...[id, CAMPAIGNS],
      );
      await app.database.query('VACUUM ANALYZE votant');
      const sent = await statementsOf(async () => {
        expect((await campaigns.sent('GET', `/${id}/votants?${query}`)).json).toEqual([]);
      });
      const read = sent.find(({ text }) => text.includes('FROM votant'));
      expect(
        rowsRead(await planAlone(app, campaigns.tenant.tenantId, read!), ['votant']),
      ).toBeLessThanOrEqual(MOST_READ);
    },
  );
});
