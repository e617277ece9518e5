import {
  effectsOf,
  idempotencyKey,
  type Partenaire,
  type SyncV1ResultItem,
  type SyncV2ResultItem,
} from '@mandat/client';
import { effectsText } from '../effects.js';
import { EXIT, type ExitCode } from '../failure.js';
import { during, print, shown } from '../output.js';
import type { Context } from './context.js';
import { failureOf } from './problems.js';

/** Refused records that are printed without `--tout`. */
const MOST_REFUSED = 50;

/** `mandat appliquer ID`: does what a plan shows, once. */
export async function applyCommand(context: Context, id: string): Promise<ExitCode> {
  const { mandat, isJson, isWhole, again } = context;
  try {
    const { data, response } = await during('Applying', () =>
      mandat.plans.apply({ path: { id }, headers: idempotencyKey() }),
    );
    const effets = effectsOf(response) ?? {};
    const syncId = await syncOf(mandat, id);
    if (isJson) print([JSON.stringify({ planId: id, syncId, effets, resultat: data })]);
    else {
      const refused = refusedOf(data);
      const kept = isWhole ? refused : refused.slice(0, MOST_REFUSED);
      print([
        `Applied plan ${shown(id)}: ${effectsText(effets)}.`,
        ...(refused.length > 0 ? ['Refused records:'] : []),
        ...kept.map((line) => `  ${shown(line)}`),
        ...(refused.length > kept.length ? [`  … and ${refused.length - kept.length} more`] : []),
        ...(syncId ? [`Undo it: mandat annuler ${syncId}${again}`] : []),
      ]);
    }
    return EXIT.done;
  } catch (error) {
    throw await failureOf(error, context, id);
  }
}

/** Returns the sync of an applied plan, which can be undone; null if it is not found, because the plan is applied all the same. */
async function syncOf(mandat: Partenaire, id: string): Promise<string | null> {
  try {
    const { data } = await mandat.syncs.list({ query: { limite: 100 } });
    return data.find(({ planId }) => planId === id)?.id ?? null;
  } catch {
    return null;
  }
}

/** Returns a line for each refused record of a result. */
function refusedOf(result: SyncV2ResultItem | SyncV1ResultItem): string[] {
  if ('errors' in result) return result.errors.map(({ idExterne, message }) => `${idExterne}: ${message}`);
  return Object.entries(result).flatMap(([list, { Erreurs }]) =>
    Erreurs.map(({ IdUnique, Message }) => `${list} ${IdUnique}: ${Message}`),
  );
}
