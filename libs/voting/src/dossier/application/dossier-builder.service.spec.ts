import { movesOf } from './dossier-builder.service';

it('options leave the count when they are elected and when they are eliminated', () => {
  const round = (Elus: string[], Elimines: string[], De?: string): object => ({
    ...{ Elus, Elimines },
    Transferts: De === undefined ? [] : [{ De }],
  });
  const Tours = [round(['b'], [], 'b'), round([], ['c'], 'c'), round(['a'], ['d'])];
  const question = { options: ['a', 'b', 'c', 'd'] } as unknown as Parameters<typeof movesOf>[0];
  expect(movesOf(question, JSON.stringify({ Tours }))).toEqual([
    { gone: [1], from: 1 },
    { gone: [2], from: 2 },
    { gone: [0, 3], from: undefined },
  ]);
  expect(movesOf(question, '{}')).toEqual([]);
});
