/** Orders of day and month in an export. */
export const DATE_FORMS = ['AAAA-MM-JJ', 'JJ/MM/AAAA', 'MM/JJ/AAAA'] as const;
export type DateForm = (typeof DATE_FORMS)[number];

/** A cell that is no value; the message says why. */
export class CellFault extends Error {}

/** Day 0 of Excel's serial numbers after February 1900. */
const EXCEL_EPOCH = Date.UTC(1899, 11, 30);

/**
 * Returns a date of an export as `AAAA-MM-JJ`. Besides `form` it reads `AAAA-MM-JJ`, `AAAAMMJJ` and Excel's serial numbers of
 * five digits (1927 to 2173). A time of 00:00 is left out.
 *
 * @param form order of day and month; if absent, a date that can be read in two orders is a fault
 * @throws CellFault
 */
export function dateOf(cell: string, form?: DateForm): string {
  const text = cell.replace(/[ T]0?0:00(:00(\.0+)?)?Z?$/, '');
  if (/^\d{5}$/.test(text))
    return new Date(EXCEL_EPOCH + Number(text) * 86_400_000).toISOString().slice(0, 10);
  const iso = /^(\d{4})-(\d\d)-(\d\d)$|^(\d{4})(\d\d)(\d\d)$/.exec(text);
  if (iso) return day(iso[1] ?? iso[4]!, iso[2] ?? iso[5]!, iso[3] ?? iso[6]!, cell);
  const [, first, second, year] = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(text) ?? [];
  if (!first || !second || !year || form === 'AAAA-MM-JJ')
    throw new CellFault(`${JSON.stringify(cell)} is no date; expected ${form ?? 'AAAA-MM-JJ or JJ/MM/AAAA'}`);
  if (form === undefined && first !== second && Number(first) <= 12 && Number(second) <= 12)
    throw new CellFault(
      `${JSON.stringify(cell)} is ambiguous; write "dates": "JJ/MM/AAAA" or "dates": "MM/JJ/AAAA" in the mapping`,
    );
  const isMonthFirst = form === undefined ? Number(second) > 12 : form === 'MM/JJ/AAAA';
  return isMonthFirst ? day(year, first, second, cell) : day(year, second, first, cell);
}

function day(year: string, month: string, date: string, cell: string): string {
  const text = `${year}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`;
  const found = new Date(`${text}T00:00:00Z`);
  // The constructor takes 2024-02-30 for 1 March.
  if (Number.isNaN(found.getTime()) || !found.toISOString().startsWith(text))
    throw new CellFault(`${JSON.stringify(cell)} is no day of the calendar`);
  return text;
}
