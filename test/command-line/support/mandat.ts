import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

export const PACKAGE = join(__dirname, '../../../packages/cli');
const BIN = join(PACKAGE, 'bin/mandat.js');

/** A built module of the package. It is loaded by its path, because the repository does not depend on it. */
// eslint-disable-next-line @typescript-eslint/no-require-imports
export const built = <T>(name: string): T => require(join(PACKAGE, 'dist', name)) as T;

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A folder with files and a profile, in which a test runs the command. */
export class Desk {
  readonly folder = mkdtempSync(join(tmpdir(), 'mandat-cli-'));

  /** @param env variables of the profile */
  constructor(readonly env: Readonly<Record<string, string>> = {}) {}

  stop(): void {
    rmSync(this.folder, { recursive: true });
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** Writes a file; an object is written as JSON. @returns its name */
  write(name: string, content: string | Buffer | object): string {
    const isRaw = typeof content === 'string' || Buffer.isBuffer(content);
    writeFileSync(this.path(name), isRaw ? content : JSON.stringify(content));
    return name;
  }

  /** Runs the command as its users do. Its home is the folder. */
  async mandat(...args: readonly string[]): Promise<Run> {
    return this.mandatWith({}, ...args);
  }

  async mandatWith(env: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Run> {
    const child = this.spawn(env, args);
    const ended = new Promise<number | null>((resolve, reject) =>
      child.on('error', reject).on('close', resolve),
    );
    const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    return { code, stdout, stderr };
  }

  /** Starts a command that goes on. */
  start(...args: readonly string[]): { printed(): string; stop(): Promise<unknown> } {
    const child = this.spawn({}, args);
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (printed += String(part)));
    const ended = once(child, 'exit');
    const stop = (): Promise<unknown> => {
      child.kill('SIGINT');
      return ended;
    };
    return { printed: () => printed, stop };
  }

  private spawn(env: Readonly<Record<string, string>>, args: readonly string[]) {
    return spawn(process.execPath, [BIN, ...args], {
      cwd: this.folder,
      env: { HOME: this.folder, PATH: process.env.PATH, ...this.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }
}

/** Returns a text as Windows-1252 bytes, as Excel writes it. */
export function windows1252(content: string): Buffer {
  const special = new Map(
    [...'€‚ƒ„…†‡ˆ‰Š‹Œ'].map((char, at) => [
      char,
      [0x80, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c][at]!,
    ]),
  );
  special.set('’', 0x92).set('œ', 0x9c).set('–', 0x96);
  return Buffer.from(
    [...content].map((char) => {
      const byte = special.get(char) ?? char.codePointAt(0)!;
      if (byte > 0xff) throw new Error(`Windows-1252 has no ${char}`);
      return byte;
    }),
  );
}
