import { idempotencyKey, ProblemError, transport } from '@mandat/client';
import { type Effects, effectsText, hasChanges } from '../effects.js';
import { counted, EXIT, type ExitCode } from '../failure.js';
import { during, print, shown } from '../output.js';
import { connection, type Context } from './context.js';
import { failureOf, problemOf } from './problems.js';

/** A record that has changed since the sync. */
interface Conflict {
  readonly entite: string;
  readonly idExterne: string;
  readonly idExterneEmploye?: string;
  readonly raison: string;
}

/** The answer of `POST /b2b/v2/sync/{id}/annuler`. */
interface Undone {
  readonly syncId: string | null;
  readonly effets: Effects;
  readonly conflits: readonly Conflict[];
  readonly nombreConflits: number;
  /** What an undo does not put back, by kind. */
  readonly nonAnnules: Readonly<Record<string, unknown>>;
}

export interface UndoOptions {
  readonly isSimulation: boolean;
  readonly ignoresConflicts: boolean;
}

/** Conflicts that are printed without `--tout`. */
const MOST_CONFLICTS = 50;

/** `mandat annuler SYNC`: puts back what a sync has changed. */
export async function undoCommand(context: Context, syncId: string, options: UndoOptions): Promise<ExitCode> {
  try {
    const undone = await during('Undoing', () => undo(context, syncId, options));
    if (context.isJson) print([JSON.stringify(undone)]);
    else print(linesOf(undone, syncId, options, context));
    return options.isSimulation && hasChanges(undone.effets) ? EXIT.changes : EXIT.done;
  } catch (error) {
    const problem = error instanceof ProblemError ? await problemOf(error) : {};
    const conflicts = (problem['conflits'] ?? []) as readonly Conflict[];
    const count = (problem['nombreConflits'] ?? conflicts.length) as number;
    throw await failureOf(error, context, undefined, conflictLines(conflicts, count, context.isWhole));
  }
}

async function undo(
  { profile }: Context,
  syncId: string,
  { isSimulation, ignoresConflicts }: UndoOptions,
): Promise<Undone> {
  const { address, key, onWait } = connection(profile);
  const url = new URL(`b2b/v2/sync/${encodeURIComponent(syncId)}/annuler`, `${address.replace(/\/+$/, '')}/`);
  if (isSimulation) url.searchParams.set('simulation', 'true');
  const response = await transport({ address, onWait })(url, {
    method: 'POST',
    headers: {
      Accept: 'application/json',
      'X-Api-Key': key,
      ...idempotencyKey(),
      ...(ignoresConflicts ? { 'Content-Type': 'application/json' } : {}),
    },
    ...(ignoresConflicts ? { body: JSON.stringify({ ignorerConflits: true }) } : {}),
  });
  return (await response.json()) as Undone;
}

function linesOf(
  undone: Undone,
  asked: string,
  { isSimulation }: UndoOptions,
  { again, isWhole }: Context,
): string[] {
  const { syncId, effets, conflits, nombreConflits, nonAnnules } = undone;
  const rest = Object.entries(nonAnnules ?? {}).filter(
    ([, value]) => value !== 0 && value !== null && value !== false,
  );
  return [
    isSimulation
      ? `Undoing sync ${shown(asked)} would give: ${effectsText(effets)}.`
      : `Undid sync ${shown(asked)}${syncId ? ` by sync ${shown(syncId)}` : ''}: ${effectsText(effets)}.`,
    ...conflictLines(conflits, nombreConflits, isWhole),
    ...rest.map(
      ([name, value]) =>
        `Not undone: ${shown(name)} ${shown(typeof value === 'string' ? value : JSON.stringify(value))}`,
    ),
    ...(isSimulation && hasChanges(effets)
      ? [`Undo it: mandat annuler ${shown(asked)}${nombreConflits > 0 ? ' --ignorer-conflits' : ''}${again}`]
      : []),
    ...(hasChanges(effets) ? [] : ['Nothing to do.']),
  ];
}

function conflictLines(conflicts: readonly Conflict[], count: number, isWhole: boolean): string[] {
  if (count === 0) return [];
  const kept = isWhole ? conflicts : conflicts.slice(0, MOST_CONFLICTS);
  return [
    `${counted(count, 'record')} changed since the sync:`,
    ...kept.map(({ entite, idExterne, idExterneEmploye, raison }) =>
      shown(
        `  ${entite} ${idExterne}${idExterneEmploye === undefined ? '' : ` of ${idExterneEmploye}`}: ${raison}`,
      ),
    ),
    ...(count > kept.length ? [`  … and ${count - kept.length} more`] : []),
  ];
}
