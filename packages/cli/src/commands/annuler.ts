import { type AnnulationItem, type ConflitItem, idempotencyKey, ProblemError } from '@mandat/client';
import { effectsText, hasChanges } from '../effects.js';
import { counted, EXIT, type ExitCode } from '../failure.js';
import { during, print, shown } from '../output.js';
import type { Context } from './context.js';
import { failureOf, problemOf } from './problems.js';

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
    const conflicts = (problem['conflits'] ?? []) as readonly ConflitItem[];
    const count = (problem['nombreConflits'] ?? conflicts.length) as number;
    throw await failureOf(error, context, undefined, conflictLines(conflicts, count, context.isWhole));
  }
}

async function undo(
  { mandat }: Context,
  syncId: string,
  { isSimulation, ignoresConflicts }: UndoOptions,
): Promise<AnnulationItem> {
  const { data } = await mandat.syncs.undo({
    path: { id: syncId },
    query: isSimulation ? { simulation: true } : {},
    headers: idempotencyKey(),
    ...(ignoresConflicts ? { body: { ignorerConflits: true } } : {}),
  });
  return data;
}

function linesOf(
  undone: AnnulationItem,
  asked: string,
  { isSimulation }: UndoOptions,
  { again, isWhole }: Context,
): string[] {
  const { syncId, conflits, nombreConflits, nonAnnules } = undone;
  // The conflicts have lines of their own.
  const effets = { ...undone.effets, refuses: 0 };
  return [
    isSimulation
      ? `Undoing sync ${shown(asked)} would give: ${effectsText(effets)}.`
      : `Undid sync ${shown(asked)}${syncId ? ` by sync ${shown(syncId)}` : ''}: ${effectsText(effets)}.`,
    ...conflictLines(conflits, nombreConflits, isWhole),
    ...nonAnnules.votes.map(
      ({ titre, votants }) =>
        `The roll of ${shown(titre)} stays as it is (${counted(votants, 'voter')} of it).`,
    ),
    ...(isSimulation && hasChanges(effets)
      ? [`Undo it: mandat annuler ${shown(asked)}${nombreConflits > 0 ? ' --ignorer-conflits' : ''}${again}`]
      : []),
    ...(hasChanges(effets) ? [] : ['Nothing to do.']),
  ];
}

function conflictLines(conflicts: readonly ConflitItem[], count: number, isWhole: boolean): string[] {
  if (count === 0) return [];
  const kept = isWhole ? conflicts : conflicts.slice(0, MOST_CONFLICTS);
  return [
    `${counted(count, 'record')} not put back, because they have changed since or others refer to them:`,
    ...kept.map(({ entite, idExterne, idExterneEmploye, champ, raison }) =>
      shown(
        `  ${entite} ${idExterne}${champ === undefined ? '' : ` ${champ}`}${idExterneEmploye === undefined ? '' : ` of ${idExterneEmploye}`}: ${raison}`,
      ),
    ),
    ...(count > kept.length ? [`  … and ${count - kept.length} more`] : []),
  ];
}
