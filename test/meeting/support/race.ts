import type { TestApp } from '../../setup/test-app';
import { waitingNow } from '../../setup/lock-waits';

type Writes<K extends string> = Record<K, (...given: never[]) => Promise<unknown>>;

/** Stops two writers before they write until both have arrived or one waits for a row, until mocks are restored. */
export function letTwoMeet<K extends string>(app: TestApp, repository: Writes<K>, method: K): void {
  const write = repository[method];
  let arrived = 0;
  jest.spyOn(repository as Writes<string>, method).mockImplementation(async function (
    this: unknown,
    ...given
  ) {
    arrived += 1;
    while (arrived < 2 && (await waitingNow(app.database)).length === 0) await new Promise(setImmediate);
    return write.apply(this, given);
  });
}

/** Makes reads of the row release its lock at once, until mocks are restored, for negative controls. */
export function withoutLock<T>(repository: { lock(...key: never[]): Promise<T> }): void {
  const { lock } = repository;
  jest.spyOn(repository, 'lock').mockImplementation(async function (
    this: { transactions: { undone(work: () => Promise<T>): Promise<T> } },
    ...key: never[]
  ) {
    return this.transactions.undone(() => lock.apply(this, key));
  } as typeof lock);
}
