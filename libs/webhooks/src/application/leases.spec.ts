import { Leases } from './leases';

it('Leases counts the jobs of each endpoint and of all endpoints of a client', () => {
  const leases = new Leases();
  for (const id of ['1', '2']) leases.add(id, 'first', 'client');
  leases.add('3', 'second', 'client');
  leases.add('4', 'third', 'other');
  expect([leases.count, leases.all]).toEqual([4, ['1', '2', '3', '4']]);
  const counts: unknown[] = [];
  const where = leases.endpointsWhere((...one) => counts.push(one) > 1);
  expect(where).toEqual(['second', 'third']);
  expect(counts).toEqual([
    ['first', 2, 3],
    ['second', 1, 3],
    ['third', 1, 1],
  ]);
  for (const id of ['1', '2']) leases.remove(id, 'first', 'client');
  expect(leases.endpointsWhere((_endpoint, _ofEndpoint, ofClient) => ofClient === 1)).toEqual([
    'second',
    'third',
  ]);
  leases.remove('3', 'second', 'client');
  leases.remove('4', 'third', 'other');
  expect([leases.count, leases.endpointsWhere(() => true)]).toEqual([0, []]);
});
