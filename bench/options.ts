import { parseArgs } from 'node:util';

interface Named {
  readonly name: string;
}

export interface Options<Work> {
  readonly help: boolean;
  readonly quick: boolean;
  readonly works: readonly Work[];
}

/** An option that does not exist or has a wrong value; its message is one sentence. */
export class UsageError extends Error {}

export function usageOf(works: readonly Named[]): string {
  return `Usage: npm run bench -- [--quick] [--only <work>]…
  --quick         fewer and shorter rounds
  --only <work>   only the works whose name begins so: ${works.map(({ name }) => name).join(', ')}
  --help          prints this text`;
}

/** @throws UsageError */
export function optionsOf<Work extends Named>(args: string[], all: readonly Work[]): Options<Work> {
  const { help, quick, only } = parsed(args);
  for (const start of only)
    if (!all.some(({ name }) => name.startsWith(start)))
      throw new UsageError(`No work has a name that begins with '${start}'.`);
  const works = all.filter(({ name }) => only.length === 0 || only.some((start) => name.startsWith(start)));
  return { help, quick, works };
}

function parsed(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        help: { type: 'boolean', default: false },
        quick: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true, default: [] },
      },
    }).values;
  } catch (error) {
    // Node adds hints in further sentences.
    throw new UsageError(`${(error as Error).message.split(/\.(?:\s|$)/)[0]}.`);
  }
}
