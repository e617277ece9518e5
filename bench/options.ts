import { parseArgs } from 'node:util';

interface Named {
  readonly name: string;
  readonly isCompared?: true;
}

export interface Options<Work> {
  readonly help: boolean;
  readonly quick: boolean;
  /** The commit to compare with. */
  readonly against: string | undefined;
  /** The file of the picture; none if absent. */
  readonly picture: string | undefined;
  /** The chosen works; with `against` only those that can be compared. */
  readonly works: readonly Work[];
}

/** An option that does not exist or has a wrong value; its message is one sentence. */
export class UsageError extends Error {}

export function usageOf(works: readonly Named[]): string {
  const names = (some: readonly Named[]): string => some.map(({ name }) => name).join(', ');
  return `Usage: npm run bench -- [--quick] [--only <work>]… [--picture <file>] [--against <commit or tag>]
  --quick             fewer and shorter rounds
  --only <work>       only the works whose name begins so: ${names(works)}
  --picture <file>    draws the comparisons with floors as SVG
  --against <commit>  compares this tree with the product of that commit in 15 alternating rounds (9 with --quick),
                      after 5 (3) that are not counted, without floors and Directus. This tree's bench measures both
                      products, so the commit must have the tables that the bench fills. These works cannot be
                      compared, because they measure memory, single times, sizes, cells or Directus:
                      ${names(works.filter(({ isCompared }) => !isCompared))}
  --help              prints this text
Exit code: 1 if --against finds a work that is more than 5 % slower, 2 if the run fails, otherwise 0. A work is slower if
the 95 % confidence interval of its ratio lies wholly beyond 5 %. It is unclear if the interval contains 5 %.`;
}

/** @throws UsageError */
export function optionsOf<Work extends Named>(args: string[], all: readonly Work[]): Options<Work> {
  const { only, ...others } = parsed(args);
  for (const start of only)
    if (!all.some(({ name }) => name.startsWith(start)))
      throw new UsageError(`No work has a name that begins with '${start}'.`);
  const works = all.filter(
    ({ name, isCompared }) =>
      (only.length === 0 || only.some((start) => name.startsWith(start))) &&
      (isCompared ?? others.against === undefined),
  );
  if (works.length === 0) throw new UsageError('--against can compare none of these works.');
  return { against: undefined, picture: undefined, ...others, works };
}

function parsed(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        help: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        against: { type: 'string' },
        picture: { type: 'string' },
        only: { type: 'string', multiple: true, default: [] },
      },
    }).values;
  } catch (error) {
    // Node adds hints in further sentences.
    throw new UsageError(`${(error as Error).message.split(/\.(?:\s|$)/)[0]}.`);
  }
}
