import type { ActorWithModules } from '#access/caller';
import type { Actor } from '#platform/audit/actor';
import { DomainError } from '#platform/errors/domain-error';
import type { ServiceContext } from './service-context';

/** The services and the data space that examples are made in. */
export type DemonstrationSpace = ServiceContext & {
  readonly tenantId: string;
  readonly actor: Actor;
  /** The actor with all modules. */
  readonly manager: ActorWithModules;
};

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
