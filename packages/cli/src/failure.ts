/** Exit codes of the command. */
export const EXIT = { done: 0, failed: 1, usage: 2, changes: 3, braked: 4 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A fault of an input file. */
export interface FileFault {
  readonly fichier: string;
  readonly ligne?: number;
  readonly colonne?: string;
  readonly detail: string;
}

/** Faults that are listed; further ones are only counted. */
export const MOST_FAULTS = 50;

/** The command cannot go on. The message says what to do. */
export class Failure extends Error {
  constructor(
    readonly exit: ExitCode,
    message: string,
    /** Lines below the message. */
    readonly notes: readonly string[] = [],
    /** Further members of the problem that `--json` writes. */
    readonly members: object = {},
  ) {
    super(message);
  }
}

/** Wrong arguments or a wrong profile. */
export class UsageFailure extends Failure {
  constructor(message: string) {
    super(EXIT.usage, message);
  }
}

/** Faults of input files. Nothing was sent. */
export class FileFailure extends Failure {
  /** @param faults the first ones @param count the number of all */
  constructor(faults: readonly FileFault[], count = faults.length) {
    const more = count - faults.length;
    super(
      EXIT.failed,
      `${counted(count, 'fault')}; nothing was sent.`,
      [...faults.map(lineOf), ...(more > 0 ? [`… and ${more} more`] : [])],
      { errors: faults, nombreErreurs: count },
    );
  }
}

function lineOf({ fichier, ligne, colonne, detail }: FileFault): string {
  const place = [
    ...(ligne === undefined ? [] : [`line ${ligne}`]),
    ...(colonne === undefined ? [] : [`column ${JSON.stringify(colonne)}`]),
  ].join(', ');
  return `${fichier}: ${place ? `${place}: ` : ''}${detail}`;
}

/** Returns `1 fault`, `2 faults`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;
}
