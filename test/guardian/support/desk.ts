import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { CeremonyFile, DecryptionFile } from '../../../packages/ballot/dist/guardians.js';

const PROGRAM = join(__dirname, '../../../packages/guardian/bin/mandat-gardien.js');
const QUICK_SCRYPT = join(__dirname, 'quick-scrypt.cjs');

export interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A guardian's computer: a folder in which the command runs. */
export class Desk {
  readonly folder: string;

  constructor(
    parent: string,
    readonly number: number,
    readonly name: string,
  ) {
    this.folder = join(parent, `gardien-${number}`);
    mkdirSync(this.folder);
  }

  get phrase(): string {
    return `phrase secrète de ${this.name}`;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, content: string | object): void {
    writeFileSync(this.path(name), typeof content === 'string' ? content : JSON.stringify(content));
  }

  json(name: string): unknown {
    return JSON.parse(readFileSync(this.path(name), 'utf8'));
  }

  has(name: string): boolean {
    return existsSync(this.path(name));
  }

  copy(from: string, to: string): void {
    copyFileSync(this.path(from), this.path(to));
  }

  /**
   * Runs the command with answers to its questions. The environment has one language and no network proxy. The default
   * `NODE_OPTIONS` makes the key of the secret file cheap.
   */
  async run(
    args: readonly string[],
    answers: readonly string[] = [],
    env: NodeJS.ProcessEnv = {},
  ): Promise<Run> {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd: this.folder,
      env: {
        MANDAT_PHRASE: this.phrase,
        LC_ALL: 'en_CA.UTF-8',
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        NODE_OPTIONS: `--require=${QUICK_SCRYPT}`,
        ...env,
      },
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(answers.map((answer) => `${answer}\n`).join(''));
    const [status, stdout, stderr] = await Promise.all([
      new Promise<number | null>((resolve) => child.once('close', resolve)),
      text(child.stdout),
      text(child.stderr),
    ]);
    return { status, stdout, stderr };
  }

  /** Runs the command on a terminal, answers each question when it is asked, and returns what the terminal has shown. */
  async onTerminal(
    args: readonly string[],
    answers: readonly (readonly [string, string])[],
  ): Promise<string> {
    const command = [process.execPath, PROGRAM, ...args].map((part) => `'${part}'`).join(' ');
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: this.folder,
      env: { PATH: process.env['PATH'], LC_ALL: 'en_CA.UTF-8', TERM: 'xterm' },
    });
    let seen = '';
    const waiting = [...answers];
    child.stdout.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      const [question, answer] = waiting[0] ?? [];
      if (question === undefined || !seen.includes(question)) return;
      waiting.shift();
      // The answer waits until the program has turned the echo off.
      setTimeout(() => child.stdin.write(`${answer}\r`), 100);
    });
    await new Promise((resolve) => child.once('close', resolve));
    return seen;
  }

  begin(): Promise<Run> {
    return this.run(['commencer'], [this.name, String(this.number)]);
  }

  /** Runs `tour` with a ceremony. */
  round(document: object, answers: readonly string[] = ['oui'], env: NodeJS.ProcessEnv = {}): Promise<Run> {
    this.write('ceremonie.json', document);
    return this.run(['tour', 'ceremonie.json'], answers, env);
  }

  fileOfRound(round: number): CeremonyFile {
    return this.json(`tour-${round}-gardien-${this.number}.json`) as CeremonyFile;
  }

  decryption(): DecryptionFile {
    return this.json(`dechiffrement-gardien-${this.number}.json`) as DecryptionFile;
  }
}

export class Office {
  readonly folder = mkdtempSync(join(tmpdir(), 'gardiens-'));
  readonly desks: readonly Desk[];

  constructor(readonly names: readonly string[]) {
    this.desks = names.map((name, at) => new Desk(this.folder, at + 1, name));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
