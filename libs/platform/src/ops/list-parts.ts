import { BUDGETS } from './budgets';
import { KeyedLimit } from './keyed-limit';

/** Parts of long lists of one tenant are made one at a time, because each keeps a processor busy. */
export const listParts = new KeyedLimit(BUDGETS.listParts);

/** Yields the parts. Those of one tenant are made one at a time. @param source makes a part when it is asked for it */
export async function* inTurn<T>(tenantId: string, source: AsyncGenerator<T, void>): AsyncGenerator<T, void> {
  try {
    for (;;) {
      const next = await listParts.run(tenantId, () => source.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await source.return();
  }
}
