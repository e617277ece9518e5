import { IN_ORDER } from '../../libs/platform/src/database/entered-query';
import { EvenementQuery } from '../../libs/webhooks/src/persistence/evenement.query';
import { planOf, rowsRead, statementsOf } from '../membership/plans';
import { perFile } from '../setup/fixtures';
import { TestApp } from '../setup/test-app';

const app = perFile(() => TestApp.start());

const END = { date: new Date('2100-01-01'), id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

describe('A page of events of several types', () => {
  it.each([1, 6])('does not read 20,000 events of other types, the %sth time', async (execution) => {
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
    const plan = await planOf(app, tenantId, page, execution, [IN_ORDER]);
    expect(rowsRead(plan, ['evenement'])).toBeLessThan(20);
  });
});
