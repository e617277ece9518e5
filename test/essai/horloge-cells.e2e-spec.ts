import { expectProblem } from '../http/expect-problem';
import { TwoCells } from '../cells/support';
import { inDays, Rehearsal } from './rehearsal';

let two: TwoCells;

beforeAll(async () => {
  two = await TwoCells.start();
});
afterAll(() => two.stop());

it('a clock goes with its data space to another cell, which has moved none before', async () => {
  const { tenant } = await two.tenantIn('principal');
  const space = new Rehearsal(two.app, tenant);
  const id = await space.planned(5, 20);
  await space.set(inDays(10));
  const before = Date.parse((await space.get()).json.maintenant);
  // The vote is open by the clock, and open votes stay where they are.
  await space.campaigns.sent('POST', `/${id}/fermer`);
  await two.databases.principal.query('UPDATE campagne SET urne_scellee = true WHERE id_unique = $1', [id]);
  await two.moved(tenant, 'nord');
  const after = Date.parse((await space.get()).json.maintenant);
  expect(after).toBeGreaterThan(before);
  expect(after - before).toBeLessThan(60_000);
  expect(await space.campaigns.etat(id)).toBe('Termine');
});

it('an open vote by the clock keeps its data space where it is', async () => {
  const { tenant } = await two.tenantIn('principal');
  const space = new Rehearsal(two.app, tenant);
  await space.planned(5, 20);
  await space.set(inDays(10));
  expectProblem(await two.request(tenant, 'nord'), 409, 'Deplacement.VoteOuvert');
});
