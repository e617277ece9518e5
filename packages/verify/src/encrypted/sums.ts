import { type Bundle, SUMS, type Vote } from '../bundle.js';
import { type Findings, Malformed } from '../findings.js';
import { parsedCanonical } from '../json.js';
import { weightText } from '../results.js';
import { count, nullable, record, weight } from '../shapes.js';
import { linesOf } from './ceremony.js';
import { base64url, ciphertexts } from './files.js';
import { equal, IDENTITY, plus, type Point, scalarOf, times } from './group.js';
import { type Allowed } from './structure.js';
import { type Added } from './worker.js';

const sumsShape = record({
  bulletins: count,
  classe: count,
  nombres: ciphertexts,
  poids: nullable(ciphertexts),
  total: weight,
  unite: weight,
});

/** The sums of a class. Ciphertexts are by question and slot. */
export interface ClassSums {
  readonly line: number;
  readonly numbers: readonly (readonly Point[][])[];
  /** Null if all ballots have the same weight, which is the unit. */
  readonly weights: readonly (readonly Point[][])[] | null;
  readonly unit: bigint;
}

function divisorOf(one: bigint, other: bigint): bigint {
  while (other !== 0n) [one, other] = [other, one % other];
  return one;
}

/** Reads the sums, and compares them with the ballots, if these could be added. Returns undefined if they cannot be read. */
export function checkSums(
  bundle: Bundle,
  vote: Vote,
  questions: readonly Allowed[],
  added: Added | undefined,
  findings: Findings,
): ClassSums[] | undefined {
  const checked = findings.begin();
  const byClass = byClassOf(added ?? []);
  const slots = questions.map(({ options }) => options + 1).join();
  const read = findings.attempt(SUMS, () =>
    [...linesOf(bundle, SUMS)].map(({ line, content }, index) =>
      findings.attempt(
        SUMS,
        () => {
          const found = sumsShape(parsedCanonical(content), '');
          for (const name of ['nombres', 'poids'] as const) {
            const lengths = found[name]?.map(({ length }) => length).join();
            if (lengths !== undefined && lengths !== slots)
              throw new Malformed(`${name}: slots of the questions`, slots, lengths);
          }
          if (found.unite === 0n) throw new Malformed('unite', 'above 0', '0');
          const announced = vote.classes[index];
          if (!announced) throw new Malformed('lines', `${vote.classes.length}`, 'more');
          const same = (figure: string, expected: unknown, other: unknown): void =>
            findings.same(SUMS, figure, expected, other, line);
          same('classe', index + 1, found.classe);
          same('bulletins', announced.bulletins, found.bulletins);
          same('total', weightText(announced.poids), weightText(found.total));
          if (added) compare(found, byClass.get(index + 1) ?? [], line, findings);
          return { line, numbers: found.nombres, weights: found.poids, unit: found.unite };
        },
        line,
      ),
    ),
  );
  if (!read) return undefined;
  findings.same(SUMS, 'lines', vote.classes.length, read.length);
  checked({
    en: `${SUMS}: sums of the ciphertexts of ${read.length} classes, by number and by weight`,
    fr: `${SUMS} : sommes des textes chiffrés de ${read.length} classes, en nombre et en poids`,
  });
  const whole = read.flatMap((one) => one ?? []);
  return whole.length === vote.classes.length ? whole : undefined;
}

function byClassOf(added: Added): Map<number, Added[number][]> {
  const groups = new Map<number, Added[number][]>();
  for (const one of added) if (!groups.get(one.class)?.push(one)) groups.set(one.class, [one]);
  return groups;
}

/** Adds what the threads have added, by weight, and compares it with the line of the class. */
function compare(
  found: ReturnType<typeof sumsShape>,
  parts: readonly { weight: bigint; sums: readonly Point[] }[],
  line: number,
  findings: Findings,
): void {
  const same = (figure: string, expected: unknown, other: unknown): void =>
    findings.same(SUMS, figure, expected, other, line);
  const unit = parts.reduce((divisor, { weight }) => divisorOf(divisor, weight), 0n);
  const isEqual = parts.every(({ weight }) => weight === parts[0]!.weight);
  same('unite', weightText(unit), weightText(found.unite));
  same('poids is null, because all weights are equal', isEqual, found.poids === null);
  const check = (
    name: string,
    published: readonly (readonly Point[][])[],
    factor: (weight: bigint) => bigint,
  ): void => {
    const flat = published.flat(2);
    const expected = flat.map((_, index) =>
      parts.reduce((sum, { weight, sums }) => {
        const k = factor(weight);
        return plus(sum, k === 1n ? sums[index]! : times(scalarOf(k), sums[index]!));
      }, IDENTITY),
    );
    let at = 0;
    for (const [place, question] of published.entries())
      for (const slot of question.keys())
        for (const letter of ['α', 'β']) {
          if (!equal(expected[at]!, flat[at]!))
            same(`${name}[${place}][${slot}]: ${letter}`, base64url(expected[at]!), base64url(flat[at]!));
          at++;
        }
  };
  check('nombres', found.nombres, () => 1n);
  if (found.poids && unit > 0n) check('poids', found.poids, (weight) => weight / unit);
}
