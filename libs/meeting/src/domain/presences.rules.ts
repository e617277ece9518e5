import { type InputFault, invalidRequest } from '#platform/errors/domain-error';
import type { PresencesRecord } from './seance.fields';
import { fr } from '#platform/errors/text';

/**
 * Checks votants <= presents <= inscrits.
 *
 * @throws DomainError `Requete.Invalide` with each number that is too large
 */
export function assertPresences({ inscrits, presents, votants }: PresencesRecord): void {
  const faults: InputFault[] = [];
  const fault = (name: string, of: string): void => {
    const detail = { en: `must not be above ${of}`, fr: fr`ne doit pas être supérieur à ${of}` };
    faults.push({ pointer: `/${name}`, code: 'range', detail });
  };
  if (presents > inscrits) fault('presents', 'inscrits');
  if (votants != null && votants > presents) fault('votants', 'presents');
  if (faults.length > 0) throw invalidRequest(faults);
}
