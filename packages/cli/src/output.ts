import process from 'node:process';
import { styleText } from 'node:util';

export type Style = 'green' | 'yellow' | 'red' | 'bold' | 'dim';
export type Paint = (style: Style, text: string) => string;

const isColoured = process.stdout.isTTY && process.stdout.hasColors();

/** Colours text for a terminal, unless `NO_COLOR` is set. */
export const paint: Paint = (style, text) =>
  isColoured ? styleText(style, text, { validateStream: false }) : text;

/** Returns a value of the service without control characters, which could steer the terminal. */
export function shown(text: string, most = Infinity): string {
  const short = text.length > most ? `${text.slice(0, most)}…` : text;
  return short.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, (char) =>
    char === '\n' ? '\\n' : `\\u${char.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  );
}

export function print(lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Seconds between two lines if standard error is no terminal. */
const LINE_SECONDS = 10;

/** Description of the current work. */
let current = '';

/** Sets the description of the current work, for `during`. */
export function report(text: string): void {
  current = text;
}

/** Shows on standard error what a long work does: at once on a terminal, else a line now and then. */
export async function during<T>(text: string, work: () => Promise<T>): Promise<T> {
  const { stderr } = process;
  const start = Date.now();
  const show = (): void => {
    const line = `${current} … ${Math.round((Date.now() - start) / 1_000)} s`;
    stderr.write(stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
  };
  current = text;
  if (stderr.isTTY) show();
  const timer = setInterval(show, (stderr.isTTY ? 1 : LINE_SECONDS) * 1_000);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (stderr.isTTY) stderr.write('\r\x1b[K');
  }
}
