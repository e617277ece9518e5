/** A figure or byte that differs from the expected one. */
export interface Difference {
  readonly fichier: string;
  readonly ligne?: number;
  readonly chiffre: string;
  readonly attendu: string;
  readonly trouve: string;
}

/** Input that cannot be read, or wrong usage: exit 2. The message has the remedy. */
export class Unreadable extends Error {}

/** Content that breaks the format. */
export class Malformed extends Error {
  constructor(
    readonly figure: string,
    readonly expected: string,
    readonly found: string,
  ) {
    super(`${figure}: expected ${expected}, found ${found}`);
  }
}

/** Differences that are kept; further ones are only counted. */
const MOST_KEPT = 200;
const LONGEST_TEXT = 300;

/** Returns the text for a terminal or report: short, without control characters. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  const short = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
  return short.replace(
    /[\p{Cc}\p{Cf}\p{Cs}]/gu,
    (char) => `\\u${char.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  );
}

/** A text in the languages of the output. */
export interface Text {
  readonly en: string;
  readonly fr: string;
}

/** A check that was made, and whether it found nothing. */
export interface Check extends Text {
  readonly holds: boolean;
}

/** The differences that were found and the checks that were made. */
export class Findings {
  readonly differences: Difference[] = [];
  readonly checks: Check[] = [];
  count = 0;
  private readonly byFile = new Map<string, number>();

  differs(file: string, figure: string, expected: unknown, found: unknown, line?: number): void {
    this.count++;
    this.byFile.set(file, (this.byFile.get(file) ?? 0) + 1);
    if (this.differences.length >= MOST_KEPT) return;
    this.differences.push({
      fichier: shown(file),
      ...(line === undefined ? {} : { ligne: line }),
      chiffre: shown(figure),
      attendu: shown(expected),
      trouve: shown(found),
    });
  }

  /** Records a difference unless both are the same text, number or boolean. */
  same(file: string, figure: string, expected: unknown, found: unknown, line?: number): void {
    if (expected !== found) this.differs(file, figure, expected, found, line);
  }

  /** Returns the result of the work; undefined, and a difference, if the content breaks the format. */
  attempt<T>(file: string, work: () => T, line?: number): T | undefined {
    try {
      return work();
    } catch (error) {
      return this.malformed(error, file, line);
    }
  }

  /** Does the same as `attempt` for asynchronous work. */
  async attemptLater<T>(file: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      return this.malformed(error, file);
    }
  }

  private malformed(error: unknown, file: string, line?: number): undefined {
    if (!(error instanceof Malformed)) throw error;
    this.differs(file, error.figure, error.expected, error.found, line);
  }

  /**
   * Begins a check. The returned function ends it: it holds if no difference was found meanwhile.
   *
   * @param files counts differences of these files only; of all files if absent
   */
  begin(files?: readonly string[]): (text: Text) => void {
    const now = (): number =>
      files?.reduce((sum, file) => sum + (this.byFile.get(file) ?? 0), 0) ?? this.count;
    const before = now();
    return (text) => this.checks.push({ ...text, holds: now() === before });
  }
}
