import { randomUUID } from 'node:crypto';
import { answersOf } from './bulletin.rules';

const [QuestionId, ...ids] = Array.from({ length: 31 }, () => randomUUID());
const question = {
  ...{ id: QuestionId!, isRanked: true, minReponses: 1, maxReponses: 30 },
  options: ids.join(''),
};

it.each([1, 10, 11, 30])('finds %d chosen options by their ids, whatever their case', (count) => {
  const places = ids.map((_, place) => place).slice(-count);
  const Options = places.map((place) => ids[place]!.toUpperCase()).toReversed();
  expect(answersOf([question], [{ QuestionId: QuestionId!, Options }])).toEqual({
    answers: [places.toReversed().join(',')],
  });
});

it.each([1, 10, 11, 30])('refuses an unknown option among %d', (count) => {
  const Options = [...ids.slice(0, count - 1), randomUUID()];
  expect(answersOf([question], [{ QuestionId: QuestionId!, Options }])).toMatchObject({
    faults: [{ code: 'reference' }],
  });
});
