import { type InputFault, invalidRequest } from '#platform/errors/domain-error';
import type { PresencesRecord } from './seance.fields';

/**
 * Checks what numbers of persons say together: nobody votes who is not present, and nobody is present who may not be.
 *
 * @throws DomainError `Requete.Invalide` that names each number that is too large
 */
export function assertPresences({ inscrits, presents, votants }: PresencesRecord): void {
  const faults: InputFault[] = [];
  const fault = (name: string, of: string): void => {
    faults.push({ pointer: `/${name}`, code: 'range', detail: `must not be above ${of}` });
  };
  if (presents > inscrits) fault('presents', 'inscrits');
  if (votants != null && votants > presents) fault('votants', 'presents');
  if (faults.length > 0) throw invalidRequest(faults);
}
