import fc from 'fast-check';
import { readingsOf } from './reading';

const MB = 2 ** 20;

const question = fc.record({
  estPreferentiel: fc.boolean(),
  nombreOptions: fc.oneof(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 10 })),
  maxReponses: fc.integer({ min: 1, max: 500 }),
});

describe('the reading of a ballot box', () => {
  it('reads each question once, and little at a time', () => {
    fc.assert(
      fc.property(
        fc.array(question, { maxLength: 200 }),
        fc.oneof(fc.nat(100), fc.nat(1_000_000)),
        fc.boolean(),
        (questions, ballots, isWhole) => {
          const readings = readingsOf(questions, ballots, isWhole);
          const places = readings.flatMap(({ first, last }) => [...questions.keys()].slice(first, last + 1));
          expect(places).toEqual([...questions.keys()]);
          for (const { first, last, parts, bytes } of readings) {
            const options = questions.slice(first, last + 1).reduce((sum, one) => sum + one.nombreOptions, 0);
            if (first < last) expect([parts, options <= 500]).toEqual([1, true]);
            expect(bytes / parts).toBeLessThanOrEqual(16 * MB);
          }
        },
      ),
    );
  });

  it('is one statement for a small box', () => {
    const small = Array.from({ length: 12 }, () => ({
      ...{ estPreferentiel: true, nombreOptions: 20, maxReponses: 20 },
    }));
    expect(readingsOf(small, 1_000, true)).toEqual([
      { first: 0, last: 11, parts: 1, bytes: 12 * 1_000 * 112 },
    ]);
  });

  it('takes several statements for long rankings, and one for their first choices', () => {
    const long = [{ estPreferentiel: true, nombreOptions: 500, maxReponses: 500 }];
    expect(readingsOf(long, 200_000, true)).toMatchObject([{ parts: 25 }]);
    expect(readingsOf(long, 200_000, false)).toMatchObject([{ parts: 1 }]);
  });
});
