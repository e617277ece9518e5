import process from 'node:process';

const LONGEST_TEXT = 200;
const PARTS = 20;

/** Returns a text of a file without control characters, which could steer the terminal. */
export function shown(text: string): string {
  const short = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text;
  return short.replace(
    /[\p{Cc}\p{Cf}\p{Cs}]/gu,
    (char) => `\\u${char.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  );
}

export function print(...lines: readonly string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Returns a progress bar on a terminal's stderr; call it with each increment. Without a terminal it shows nothing. */
export function bar(step: string, all: number): (more: number) => void {
  if (!process.stderr.isTTY) return () => undefined;
  let done = 0;
  let shownPart = -1;
  return (more) => {
    done = Math.min(all, done + more);
    const part = all === 0 ? PARTS : Math.floor((PARTS * done) / all);
    if (part === shownPart) return;
    shownPart = part;
    const drawn = '█'.repeat(part) + '░'.repeat(PARTS - part);
    process.stderr.write(`\r\x1b[K${drawn} ${step}${part === PARTS ? '\r\x1b[K' : ''}`);
  };
}
