import process from 'node:process';
import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { Failure } from './failure.js';
import type { Texts } from './texts.js';

const LEAST_PHRASE = 12;

/** Asks on standard error, and reads the answers from the terminal or, in a rehearsal, from the lines of standard input. */
export class Prompts {
  private lines: AsyncIterator<string> | undefined;

  constructor(private readonly texts: Texts) {}

  /** @throws Failure without an answer */
  async ask(question: string): Promise<string> {
    if (process.stdin.isTTY) return (await this.onTerminal(process.stderr, question)).trim();
    process.stderr.write(question);
    this.lines ??= createInterface({ input: process.stdin })[Symbol.asyncIterator]();
    const line = await this.lines.next();
    process.stderr.write('\n');
    if (line.done) throw new Failure(this.texts.noAnswer);
    return line.value.trim();
  }

  /** @throws Failure unless the answer is yes, in either language */
  async confirm(question: string): Promise<void> {
    const answer = (await this.ask(question)).toLowerCase();
    if (answer !== 'oui' && answer !== 'yes') throw new Failure(this.texts.notConfirmed);
  }

  /** Asks for the passphrase without showing it. */
  async phrase(question = this.texts.askPhrase): Promise<string> {
    // Accents have two encodings, and keyboards differ in the one they use.
    const given = process.env['MANDAT_PHRASE'];
    if (given) return given.normalize('NFC');
    if (!process.stdin.isTTY) throw new Failure(this.texts.noTerminal);
    process.stderr.write(question);
    const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
    const phrase = await this.onTerminal(silent);
    process.stderr.write('\n');
    return phrase.normalize('NFC');
  }

  /** Asks for a new passphrase twice. */
  async newPhrase(): Promise<string> {
    const phrase = await this.phrase();
    if (phrase.length < LEAST_PHRASE) throw new Failure(this.texts.shortPhrase(LEAST_PHRASE));
    if ((await this.phrase(this.texts.askPhraseAgain)) !== phrase) throw new Failure(this.texts.otherPhrase);
    return phrase;
  }

  /** Closes the input, which would keep the process running. */
  close(): void {
    if (this.lines) process.stdin.destroy();
  }

  private async onTerminal(output: NodeJS.WritableStream, question = ''): Promise<string> {
    const terminal: Interface = createInterface({ input: process.stdin, output, terminal: true });
    terminal.on('SIGINT', () => process.exit(130));
    const closed = new Promise<never>((_, reject) =>
      terminal.once('close', () => reject(new Failure(this.texts.noAnswer))),
    );
    closed.catch(() => undefined);
    try {
      return await Promise.race([terminal.question(question), closed]);
    } finally {
      terminal.close();
    }
  }
}
