import { setTimeout as delay } from 'node:timers/promises';
import type { SyncV2ResultItem, TacheItem } from './generated/partenaire/types.gen.js';

/** Who can look at a task: what `partenaire` gives. */
export interface TaskReader {
  readonly taches: {
    get(options: { path: { id: string }; signal?: AbortSignal }): Promise<{ readonly data: TacheItem }>;
  };
}

export interface TaskOptions {
  /** Told how far the task has come, at each look; what it throws ends the waiting. */
  readonly onProgress?: (task: TacheItem) => void;
  /** From one look to the next; 0.5 if absent. */
  readonly intervalSeconds?: number;
  /** How long is waited; 600 if absent. The task itself goes on. */
  readonly timeoutSeconds?: number;
  /** Ends the waiting early with its reason; the task itself goes on. */
  readonly signal?: AbortSignal;
}

/** A task failed, or has not ended in time. */
export class TaskError extends Error {
  override readonly name = 'TaskError';
  /** Why it failed; undefined for one that has not ended. */
  readonly code: string | undefined;

  constructor(
    message: string,
    readonly task: TacheItem,
  ) {
    super(message);
    this.code = task.erreur?.code;
  }
}

/**
 * What a sync with `Prefer: respond-async` would have answered, once its task is done; of an answer that is no task, the
 * data at once.
 *
 * @throws TaskError
 */
export async function taskResult(
  mandat: TaskReader,
  answer: { readonly data: SyncV2ResultItem | TacheItem; readonly response: Response },
  { onProgress, intervalSeconds = 0.5, timeoutSeconds = 600, signal }: TaskOptions = {},
): Promise<SyncV2ResultItem> {
  if (answer.response.status !== 202) return answer.data as SyncV2ResultItem;
  const id = idOf(answer.response);
  const end = Date.now() + timeoutSeconds * 1_000;
  for (;;) {
    const { data: task } = await mandat.taches.get({ path: { id }, ...(signal && { signal }) });
    onProgress?.(task);
    if (task.etat === 'Reussie') return task.resultat!;
    if (task.etat === 'Echouee')
      throw new TaskError(`The task failed: ${task.erreur?.code}: ${task.erreur?.detail}`, task);
    if (Date.now() >= end)
      throw new TaskError(`The task has not ended after ${timeoutSeconds} s: it is ${task.etat}`, task);
    try {
      await delay(intervalSeconds * 1_000, undefined, signal && { signal });
    } finally {
      signal?.throwIfAborted();
    }
  }
}

/** The task that `Location` names. */
function idOf({ headers }: Response): string {
  const location = headers.get('location');
  const id = location && new URL(location, 'http://localhost').pathname.split('/').at(-1);
  if (!id) throw new TypeError('The answer is 202 and names no task in Location.');
  return decodeURIComponent(id);
}
