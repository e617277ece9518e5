/** Splits a text at its white space, because a list of short texts would otherwise take a line for each. */
export const words = (text: string): string[] => text.trim().split(/\s+/);

/** Reads a table: a line for each row, with ` → ` between its cells. */
export const rows = (text: string): string[][] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.split('→').map((cell) => cell.trim()));
