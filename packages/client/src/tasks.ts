import { setTimeout as delay } from 'node:timers/promises';
import type { TacheItem } from './generated/partenaire/types.gen.js';

/** The result of an answer that may be a task. */
export type TaskResult<D> = [Exclude<D, TacheItem>] extends [never]
  ? NonNullable<Extract<D, TacheItem>['resultat']>
  : Exclude<D, TacheItem>;

/** Reads tasks: the object that `partenaire` returns. */
export interface TaskReader {
  readonly taches: {
    get(options: { path: { id: string }; signal?: AbortSignal }): Promise<{ readonly data: TacheItem }>;
  };
}

export interface TaskOptions {
  /** Called after each read of the task. An error that it throws ends the wait. */
  readonly onProgress?: (task: TacheItem) => void;
  /** Time between two reads; 0.5 if absent. */
  readonly intervalSeconds?: number;
  /** Maximum wait; 600 if absent. The task continues after it. */
  readonly timeoutSeconds?: number;
  /** Ends the wait with the signal's reason. The task continues. */
  readonly signal?: AbortSignal;
}

/** A task failed, or did not end in time. */
export class TaskError extends Error {
  override readonly name = 'TaskError';
  /** Error code; undefined if the task has not ended. */
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
 * Waits for the task of a request with `Prefer: respond-async`, such as a sync, and returns its result. If the response is not
 * a task, it returns the data immediately.
 *
 * @throws TaskError
 */
export async function taskResult<D>(
  mandat: TaskReader,
  answer: { readonly data: D; readonly response: Response },
  { onProgress, intervalSeconds = 0.5, timeoutSeconds = 600, signal }: TaskOptions = {},
): Promise<TaskResult<D>> {
  if (answer.response.status !== 202) return answer.data as TaskResult<D>;
  const id = idOf(answer.response);
  const end = Date.now() + timeoutSeconds * 1_000;
  for (;;) {
    const { data: task } = await mandat.taches.get({ path: { id }, ...(signal && { signal }) });
    onProgress?.(task);
    if (task.etat === 'Reussie') return task.resultat as TaskResult<D>;
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

/** Returns the id of the task in `Location`. */
function idOf({ headers }: Response): string {
  const location = headers.get('location');
  const id = location && new URL(location, 'http://localhost').pathname.split('/').at(-1);
  if (!id) throw new TypeError('The answer is 202 and names no task in Location.');
  return decodeURIComponent(id);
}
