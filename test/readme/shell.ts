import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { eventually } from '../http/expect-problem';

/** A request as curl has seen it. */
export interface Seen {
  readonly status: number;
  readonly method: string;
  readonly url: string;
}

/** Result of a pasted block. */
export interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly requests: readonly Seen[];
  /** Whether a command failed, which ends the shell unless it was expected. */
  readonly failed: boolean;
}

/**
 * Every failure ends the shell: of a command, of a part of a pipe, of an unset variable. A `?` or a bracket outside
 * quotation marks also fails, because zsh rejects it. curl prints the status of each request.
 */
const STRICT = `
set -euo pipefail
shopt -s failglob
curl() { command curl "$@" -w '\\n%{stderr}\\nrequest %{http_code} %{method} %{url}\\n'; }
`;

/** Whether the machine has what the blocks need. */
export function missingTools(): string[] {
  return ['bash', 'curl'].filter((tool) => spawnSync(tool, ['--version']).status !== 0);
}

/** A terminal into which blocks are pasted one after another, with the node of the tests as the newcomer's. */
export class Shell {
  private stdout = '';
  private stderr = '';
  private ended = false;
  private pasted = 0;

  private constructor(private readonly bash: ChildProcessWithoutNullStreams) {
    bash.stdout.setEncoding('utf8').on('data', (text: string) => (this.stdout += text));
    bash.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    bash.on('close', () => (this.ended = true));
    // A write to a shell that has ended fails; its missing output shows the end.
    bash.stdin.on('error', () => undefined);
  }

  static open(): Shell {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, LANG: 'C.UTF-8' };
    const shell = new Shell(spawn('bash', ['--noprofile', '--norc', '-s'], { env }));
    shell.bash.stdin.write(STRICT);
    return shell;
  }

  /**
   * Pastes a block and waits until it is done.
   *
   * @param mayFail whether a failing command leaves the shell open
   */
  async paste(text: string, mayFail = false): Promise<Outcome> {
    const mark = `--- pasted ${++this.pasted} ---`;
    const end = new RegExp(`${mark} (\\d+)\n`);
    const [stdoutFrom, stderrFrom] = [this.stdout.length, this.stderr.length];
    const [before, after] = mayFail ? ['set +e\n', 'FAILED=$?; set -e\n'] : ['', 'FAILED=0\n'];
    this.bash.stdin.write(`${before}${text}\n${after}echo "${mark} $FAILED"; echo "${mark}" >&2\n`);
    const isDone = (): true | undefined =>
      this.ended || (end.test(this.stdout) && this.stderr.includes(mark)) || undefined;
    // A block may wait for a round of the worker, which begins each minute.
    for (let turn = 0; turn < 12 && !isDone(); turn++)
      await eventually(isDone, 'The block').catch(() => undefined);
    const stderr = this.stderr.slice(stderrFrom);
    const stdout = this.stdout.slice(stdoutFrom);
    return {
      stdout: stdout.replace(end, ''),
      stderr,
      requests: [...stderr.matchAll(/^request (\d{3}) (\w+) (\S+)$/gm)].map(([, status, method, url]) => ({
        status: Number(status),
        method: method!,
        url: url!,
      })),
      // A shell that has ended has not said how.
      failed: end.exec(stdout)?.[1] !== '0',
    };
  }

  close(): void {
    this.bash.kill();
  }
}
