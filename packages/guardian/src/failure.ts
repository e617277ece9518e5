/** Exit codes of the command. */
export const EXIT = { done: 0, failed: 1, usage: 2 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The command cannot go on. The message says what to do. */
export class Failure extends Error {
  constructor(
    message: string,
    readonly exit: ExitCode = EXIT.failed,
  ) {
    super(message);
  }
}
