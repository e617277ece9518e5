import { IN_ORDER } from '../../libs/platform/src/database/entered-query';
import { MOST_SCANNED } from '../../libs/platform/src/database/json-items';
import { EvenementQuery } from '../../libs/webhooks/src/persistence/evenement.query';
import { LivraisonRepository } from '../../libs/webhooks/src/persistence/livraison.repository';
import { planAlone, rowsRead, statementsOf } from '../membership/plans';
import { perFile } from '../setup/fixtures';
import { TestApp } from '../setup/test-app';

const app = perFile(() => TestApp.own('volume'));

const END = { date: new Date('2100-01-01'), id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

describe('A page of events of several types', () => {
  it('does not read 20,000 events of other types', async () => {
    const { tenantId } = await app.tenant();
    await app.database.query(
      `INSERT INTO evenement (tenant_id, type, data, date_publication)
       SELECT $1, CASE WHEN n % 4000 = 0 THEN 'sync.terminee' ELSE 'adhesion.signee' END, '{}', now() + n * interval '1 ms'
       FROM generate_series(1, 20000) n`,
      [tenantId],
    );
    const types = ['sync.terminee', 'webhook.test'];
    const query = app.app.get(EvenementQuery);
    const statements = await statementsOf(() => query.page(tenantId, types, END, undefined, 100));
    const page = statements.find(({ text }) => text.includes('FROM evenement'))!;
    const plan = await planAlone(app, tenantId, page, [IN_ORDER]);
    expect(rowsRead(plan, ['evenement'])).toBeLessThan(20);
  });
});

describe('A page of deliveries of several types', () => {
  it('looks at some of 20,000 deliveries of other types and goes on behind them', async () => {
    const { tenantId } = await app.tenant();
    const one = async (sql: string, values: unknown[]): Promise<string> =>
      (await app.database.query<{ id: string }>(`${sql} RETURNING id_unique AS id`, values)).rows[0]!.id;
    const webhook = await one(
      `INSERT INTO webhook (tenant_id, url, types, secret, actif) VALUES ($1, 'https://example.org', '{adhesion.signee}', 'x', true)`,
      [tenantId],
    );
    await app.database.query(
      `WITH e AS (
         INSERT INTO evenement (tenant_id, type, data, date_creation)
         SELECT $1, CASE WHEN n < 3 THEN 'sync.terminee' ELSE 'adhesion.signee' END, '{}', now() + n * interval '1 ms'
         FROM generate_series(0, 20000) n RETURNING id_unique, date_creation
       )
       INSERT INTO livraison (tenant_id, webhook_id, evenement_id, date_creation)
       SELECT $1, $2, id_unique, date_creation FROM e`,
      [tenantId, webhook],
    );
    await app.database.query('VACUUM ANALYZE livraison, evenement');
    const repository = app.app.get(LivraisonRepository);
    const items: string[] = [];
    let pages = 0;
    for (let after: typeof END | undefined, isFirst = true; isFirst || after; isFirst = false, pages++) {
      const from = after;
      const statements = await statementsOf(async () => {
        const page = await repository.page(tenantId, webhook, ['sync.terminee'], from, 100);
        items.push(...page.items);
        after = page.next;
      });
      const page = statements.find(({ text }) => text.includes('FROM livraison'))!;
      const plan = await planAlone(app, tenantId, page, [IN_ORDER]);
      expect(rowsRead(plan, ['livraison', 'evenement'])).toBeLessThanOrEqual(3 * MOST_SCANNED + 20);
    }
    expect(items.join().match(/sync\.terminee/g)).toHaveLength(3);
    expect(pages).toBe(5);
  });
});
