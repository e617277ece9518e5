import { DomainError } from '#platform/errors/domain-error';

/** Whether what is asked for is there. */
export async function found(asked: Promise<unknown>): Promise<boolean> {
  return asked.then(
    () => true,
    (error: unknown) => {
      if (error instanceof DomainError && error.code.endsWith('.NotFound')) return false;
      throw error;
    },
  );
}
