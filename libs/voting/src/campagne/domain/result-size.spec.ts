import { MOST_OPTIONS, MOST_QUESTIONS } from '../../structure/domain/question.fields';
import { MOST_RESULT, resultSize, type SizedQuestion } from './result-size';

const question = (nombreOptions: number, overrides: Partial<SizedQuestion> = {}): SizedQuestion => ({
  ...{ estPreferentiel: false, nombreElus: null, nombreOptions },
  ...overrides,
});
const times = (count: number, one: SizedQuestion): SizedQuestion[] =>
  Array.from({ length: count }, () => one);

describe('the size of a result', () => {
  it.each<[what: string, size: number, question: SizedQuestion]>([
    ['a question without rounds: its options', 7, question(7)],
    ['an election of one that is not ranked: its options', 7, question(7, { nombreElus: 1 })],
    ['an election that is not ranked: a draw for each seat', 21, question(7, { nombreElus: 3 })],
    ['no more seats than options', 49, question(7, { nombreElus: 500 })],
    ['a ranked question: a round for each option', 49, question(7, { estPreferentiel: true })],
    ['a ranked election: whatever the seats', 49, question(7, { estPreferentiel: true, nombreElus: 2 })],
  ])('%s', (_, size, one) => {
    expect(resultSize([one])).toBe(size);
    expect(resultSize([one, one, question(2)])).toBe(2 * size + 2);
  });

  it('has a bound that lets each dimension reach its limit', () => {
    const all = question(MOST_OPTIONS);
    for (const one of [
      times(MOST_QUESTIONS, all),
      [question(MOST_OPTIONS, { estPreferentiel: true })],
      [question(MOST_OPTIONS, { nombreElus: MOST_OPTIONS })],
      times(MOST_QUESTIONS, question(50, { estPreferentiel: true, nombreElus: 50 })),
    ])
      expect(resultSize(one)).toBeLessThanOrEqual(MOST_RESULT);
    expect(resultSize(times(3, question(MOST_OPTIONS, { estPreferentiel: true })))).toBeGreaterThan(
      MOST_RESULT,
    );
  });
});
