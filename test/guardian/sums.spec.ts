import { join } from 'node:path';
import type * as LogarithmModule from '../../packages/ballot/dist/logarithm.js';
import { type Group, guardians, PACKAGE, scalars, seeded } from './support/ballot';
import { partyOf } from './support/ceremony';
import { boxOf, decryptionsOf, type Plain, plainCount } from './support/count';

// eslint-disable-next-line @typescript-eslint/no-require-imports
const { Logarithms } = require(join(PACKAGE, 'dist/logarithm.js')) as typeof LogarithmModule;

const OPTIONS = [2, 1];
const random = seeded('sums');

describe('sums of ballots', () => {
  let group: Group;
  beforeAll(async () => {
    group = await guardians.libsodium();
  });

  const plain: Plain[] = [1, 1, 2, 2, 2].map((classe, at) => ({
    classe,
    weight: [10_000n, 10_000n, 5_000n, 7_500n, 5_000n][at]!,
    choices: [at % 2 ? [0] : [0, 1], at === 3 ? [] : [0]],
  }));

  it('a class with one weight has no sums by weight, a class with several has', () => {
    const { ceremony } = partyOf(group, 1, 1, random);
    const lines = boxOf(ceremony, OPTIONS, plain, random).sommes.trimEnd().split('\n');
    const parts = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(
      parts.map(({ classe, bulletins, total, unite, poids }) => [
        classe,
        bulletins,
        total,
        unite,
        poids !== null,
      ]),
    ).toEqual([
      [1, 2, '2', '1', false],
      [2, 3, '1.75', '0.25', true],
    ]);
  });

  it('the sums of several threads are the sum', () => {
    const { ceremony } = partyOf(group, 1, 1, random);
    const { ballots, sommes } = boxOf(ceremony, OPTIONS, plain, random);
    const whole = new guardians.Sums(group, OPTIONS);
    for (const some of [ballots.slice(0, 2), ballots.slice(2)]) {
      const part = new guardians.Sums(group, OPTIONS);
      for (const ballot of some) part.add(ballot);
      for (const sum of part.parts()) expect(whole.merge(sum)).toBe(true);
    }
    expect([...whole.lines()].map((line) => guardians.lineOf(line)).join('')).toBe(sommes);
  });

  it('a point that is none, and a short ballot, change nothing', () => {
    const { ceremony } = partyOf(group, 1, 1, random);
    const { ballots, sommes } = boxOf(ceremony, OPTIONS, plain, random);
    const sums = new guardians.Sums(group, OPTIONS);
    for (const ballot of ballots) sums.add(ballot);
    const wrong = Uint8Array.from(ballots[0]!.bytes);
    wrong.fill(255, 33, 65);
    expect(sums.add({ ...ballots[0]!, bytes: wrong })).toBe(false);
    expect(sums.add({ ...ballots[0]!, bytes: wrong, classe: 9 })).toBe(false);
    expect(sums.add({ ...ballots[0]!, bytes: ballots[0]!.bytes.subarray(0, 100) })).toBe(false);
    expect([...sums.lines()].map((line) => guardians.lineOf(line)).join('')).toBe(sommes);
  });

  it('ciphertexts whose randomness sums up to zero are decrypted too', () => {
    const { ceremony, members } = partyOf(group, 3, 2, random);
    const r = scalars.randomScalar(random);
    const ballots = [r, scalars.modulo(-r)].map((one) => {
      const slots = [0, 0, 1, 1, 0].flatMap((bit) => {
        const hidden = group.multiply(one, ceremony.key);
        return [group.multiplyBase(one), bit ? group.add(hidden, group.base) : hidden];
      });
      return { bytes: Buffer.concat([Uint8Array.of(1), ...slots]), classe: 1, weight: 10_000n };
    });
    const sums = new guardians.Sums(group, OPTIONS);
    for (const ballot of ballots) sums.add(ballot);
    const text = [...sums.lines()].map((line) => guardians.lineOf(line)).join('');
    const count = guardians.countOf(group, OPTIONS, text, random(32))!;
    expect(guardians.ciphertextsOf(count)[0]!.alpha).toEqual(group.identity);
    const [first, second] = guardians.combine(
      ceremony,
      count,
      decryptionsOf(ceremony, count, members.slice(1), random),
    )[0]!;
    expect([first!.options, second!.abstentions, second!.options]).toEqual([[0, 2], 2, [0]]);
  });

  it('a result in which an option has more than the expressed ballots is impossible', () => {
    const { ceremony, members } = partyOf(group, 1, 1, random);
    const all = [{ classe: 1, weight: 10_000n, choices: [[], []] }];
    const { count } = boxOf(ceremony, OPTIONS, all, random);
    const { classes } = count;
    // Slot 1 of the first question counts as chosen, though its ballot abstains.
    const numbers = classes[0]!.numbers.map((slots, q) =>
      slots.map(({ alpha, beta }, slot) => ({
        alpha,
        beta: q === 0 && slot === 1 ? group.add(beta, group.base) : beta,
      })),
    );
    const cheat = { ...count, classes: [{ ...classes[0]!, numbers }] };
    expect(guardians.combine(ceremony, count, decryptionsOf(ceremony, count, members, random))).toEqual(
      plainCount(OPTIONS, all),
    );
    expect(() => guardians.combine(ceremony, cheat, decryptionsOf(ceremony, cheat, members, random))).toThrow(
      'An option of class 1 has more than all expressed ballots.',
    );
  });

  it.each([
    ['another order of classes', (lines: string[]) => lines.reverse()],
    ['no end of the last line', ([first]: string[]) => [first!.slice(0, -1)]],
    ['spaces', ([first]: string[]) => [first!.replace(',', ', ')]],
    ['a question too many', ([first]: string[]) => [first!.replace('"nombres":[', '"nombres":[[],')]],
    ['no unit', (lines: string[]) => lines.map((line) => line.replace('"unite":"0.25"', '"unite":"0"'))],
  ])('%s: no sums', (_, change) => {
    const { ceremony } = partyOf(group, 1, 1, random);
    const { sommes } = boxOf(ceremony, OPTIONS, plain, random);
    const lines = sommes.split(/(?<=\n)/);
    expect(guardians.countOf(group, OPTIONS, lines.join(''), random(32))).toBeDefined();
    expect(guardians.countOf(group, OPTIONS, change([...lines]).join(''), random(32))).toBeUndefined();
  });

  describe('numbers that are found by trying', () => {
    it('are found from 0 to the greatest one, and no further', () => {
      const most = 100_000n;
      const logarithms = new Logarithms(group, most, 3);
      for (const v of [0n, 1n, 316n, 317n, 99_999n, most])
        expect(logarithms.find(group.multiplyBase(v), most)).toBe(v);
      expect(logarithms.find(group.multiplyBase(most + 1n), most)).toBeUndefined();
      expect(logarithms.find(group.multiplyBase(50n), 49n)).toBeUndefined();
      expect(logarithms.find(group.multiplyBase(scalars.ORDER - 1n), most)).toBeUndefined();
    });

    it('have a limit, and the error names it', () => {
      expect(() => new Logarithms(group, guardians.MOST_TRIED + 1n, 1)).toThrow(
        'A sum of up to 1099511627777 units cannot be found; the limit is 1099511627776.',
      );
    });
  });

  it.each<[string, bigint | undefined]>([
    ['0', 0n],
    ['1', 10_000n],
    ['0.0001', 1n],
    ['1000000', 10_000_000_000n],
    ['12.5', 125_000n],
    ...['', '01', '1.', '1.50', '1.00001', '.5', '-1', '1e3', ' 1', '+1'].map((text): [string, undefined] => [
      text,
      undefined,
    ]),
  ])('the weight %j', (text, units) => {
    expect(guardians.weightOf(text)).toBe(units);
    if (units !== undefined) expect(guardians.weightText(units)).toBe(text);
  });
});
