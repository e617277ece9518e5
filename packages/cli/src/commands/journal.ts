import { administration, eachPage } from '@mandat/client';
import type { JournalItem } from '@mandat/client/administration';
import { EXIT, type ExitCode } from '../failure.js';
import { paint, print, shown } from '../output.js';
import type { Context } from './context.js';
import { failureOf } from './problems.js';

/** Entries that are printed without `--tout`. */
const MOST_ENTRIES = 50;

export type JournalFilters = Partial<Pick<JournalItem, 'action'>> & {
  readonly environnement?: 'production' | 'staging';
  readonly depuis?: string;
};

/** `mandat journal CLIENT`: shows the audit trail of a client, the newest entries first. */
export async function journalCommand(
  context: Context,
  clientId: string,
  filters: JournalFilters,
): Promise<ExitCode> {
  const { url, cle } = context.profile;
  const service = administration({ address: url, key: cle });
  const limite = context.isWhole ? 1_000 : MOST_ENTRIES;
  try {
    let count = 0;
    for await (const { items, curseur } of eachPage(
      (page) => service.journal.list({ path: { clientId }, query: { ...page, ...filters, ordre: 'desc' } }),
      { limite },
    )) {
      count += items.length;
      print(items.map((item) => (context.isJson ? JSON.stringify(item) : lineOf(item))));
      if (context.isWhole || curseur === undefined) continue;
      if (!context.isJson) print([paint('dim', '… and older ones: --tout shows all')]);
      break;
    }
    if (count === 0 && !context.isJson) print(['No entries.']);
    return EXIT.done;
  } catch (error) {
    throw await failureOf(error, context, undefined);
  }
}

function lineOf({
  date,
  environnement,
  numero,
  action,
  cleNom,
  cleId,
  objetId,
  requeteId,
}: JournalItem): string {
  const place = environnement === null ? 'client' : environnement;
  const key = cleNom ?? (/^[0-]+$/.test(cleId) ? '(service)' : cleId);
  return shown(
    `${date.slice(0, 19).replace('T', ' ')}  ${place} ${numero}  ${action}  ${objetId}  by ${key}  request ${requeteId}`,
  );
}
