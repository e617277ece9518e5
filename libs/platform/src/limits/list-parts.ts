import type { Writable } from 'node:stream';
import { BUDGETS, overBudget } from './budgets';
import { KeyedLimit } from './keyed-limit';
import { fr } from '../errors/text';

const RETRY_S = 30;

/** Parts of long lists of one client are made one at a time, because each keeps a processor busy. */
export const listParts = new KeyedLimit(BUDGETS.listParts);

/** Reads of single items that may be large: each keeps a processor busy. */
export const largeItems = new KeyedLimit(BUDGETS.largeItems);

/** Comparisons of rolls with the master data: each keeps a processor and much memory of the database busy. */
export const comparisons = new KeyedLimit(
  BUDGETS.comparisons,
  {
    waitMs: 3 * BUDGETS.waitMs,
    refusal: () =>
      overBudget(
        {
          en: `${BUDGETS.comparisons} comparison of a roll at once`,
          fr: fr`${BUDGETS.comparisons} comparaison de liste électorale à la fois`,
        },
        RETRY_S,
      ),
  },
  BUDGETS.comparisonsInAll,
);

/**
 * Pages and items that are compressed, because each keeps a thread busy: half of the threads that Node has for such work. Lists in parts
 * are compressed no faster than `listParts` lets them be made.
 */
export const compressions = new KeyedLimit(BUDGETS.compressions, undefined, BUDGETS.compressionsInAll);

/** Parts and pages of one client's lists that are in memory, until their readers have taken them. */
export const unreadParts = new KeyedLimit(BUDGETS.unreadParts, {
  waitMs: BUDGETS.waitMs,
  refusal: () =>
    overBudget(
      {
        en: `${BUDGETS.unreadParts} parts of lists that their readers have not taken`,
        fr: fr`${BUDGETS.unreadParts} parties de listes que leurs lecteurs n'ont pas reçues`,
      },
      RETRY_S,
    ),
});

/** Answers of one client that are sent in parts, until their readers have taken them whole. */
export const longAnswers = new KeyedLimit(BUDGETS.longAnswers, {
  waitMs: BUDGETS.waitMs,
  refusal: () =>
    overBudget(
      {
        en: `${BUDGETS.longAnswers} long answers that their readers have not taken`,
        fr: fr`${BUDGETS.longAnswers} longues réponses que leurs lecteurs n'ont pas reçues`,
      },
      RETRY_S,
    ),
});

/** Large results of one client's votes that are in memory, until their readers have taken them. */
export const largeResults = new KeyedLimit(BUDGETS.largeResults, {
  waitMs: BUDGETS.waitMs,
  refusal: () =>
    overBudget(
      {
        en: `${BUDGETS.largeResults} large results of votes that their readers have not taken`,
        fr: fr`${BUDGETS.largeResults} grands résultats de votes que leurs lecteurs n'ont pas reçus`,
      },
      RETRY_S,
    ),
});

/**
 * Resolves when the limit admits the client, to a function that gives the place back.
 *
 * @param isPatient the client may wait for any time
 * @throws the limit's refusal
 */
export function enter(limit: KeyedLimit, client: string, isPatient = false): Promise<() => void> {
  const { promise, resolve, reject } = Promise.withResolvers<() => void>();
  limit.run(client, () => new Promise<void>((leave) => resolve(leave)), isPatient).catch(reject);
  return promise;
}

/** Like `enter`. The place is released when the response is sent or its connection closes, or earlier by the function. */
export async function untilClosed(
  limit: KeyedLimit,
  client: string,
  response: Writable,
): Promise<() => void> {
  const leave = await enter(limit, client);
  if (response.closed) leave();
  else response.once('close', leave);
  return leave;
}

/** Yields the parts once the limit admits the client, which keeps its place until they are taken. Otherwise as `enter`. */
export async function* holding<T>(
  limit: KeyedLimit,
  client: string,
  parts: AsyncGenerator<T, void>,
  isPatient = false,
): AsyncGenerator<T, void> {
  const leave = await enter(limit, client, isPatient);
  try {
    yield* parts;
  } finally {
    leave();
  }
}

/** Yields the parts. Those of one client are made one at a time. @param source makes a part when it is asked for it */
export async function* inTurn<T>(
  client: Promise<string>,
  source: AsyncGenerator<T, void>,
): AsyncGenerator<T, void> {
  try {
    const key = await client;
    for (;;) {
      const next = await listParts.run(key, () => source.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await source.return();
  }
}
