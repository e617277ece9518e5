import { isDeepStrictEqual } from 'node:util';
import type { Answer } from '../../setup/test-app';
import type { Expected } from './model';

/** Thrown if service and reference disagree. */
export class Disagreement extends Error {}

/** @throws Disagreement */
export function expectSame(what: string, found: unknown, expected: unknown): void {
  if (isDeepStrictEqual(found, expected)) return;
  // Jest's comparison is only needed to show a difference.
  try {
    expect(found).toEqual(expected);
  } catch (error) {
    throw new Disagreement(`${what}: ${(error as Error).message}`);
  }
  throw new Disagreement(`${what} differs`);
}

/** Compares responses by status and code, and notes the response to each command. */
export class Answers {
  readonly seen = new Set<string>();

  /** @throws Disagreement */
  expect(what: string, answer: Answer, { status, code }: Expected): void {
    const answered = { status: answer.status, code: answer.json?.code as string | undefined };
    expectSame(`the answer ${answer.text}`, answered, { status, code });
    this.seen.add(`${what} ${code ?? status}`);
  }
}

/** Number `number` of the records that exist or existed, from the first again after the last; an unknown one if there is none. */
export function picked<T>(known: readonly T[] | undefined, number: number, stranger: () => T): T {
  return known?.[number % known.length] ?? stranger();
}
