import { CHECK_VIOLATION, violates } from '#platform/errors/sql-errors';
import { DomainError } from '#platform/errors/domain-error';
import { REQUETE } from '#platform/errors/platform.errors';
import { fr } from '#platform/errors/text';

/** The refusal of the triggers `syndicat_borne`, which see every link of a union and every name of an employer. */
export const BOUNDED_UNIONS = {
  state: CHECK_VIOLATION,
  constraint: 'syndicat_borne',
  error: REQUETE.Invalide,
  detail: {
    en: 'The employers of a union would have more than 8,388,608 bytes in its JSON. Shorten their names, or divide the union. Nothing was written.',
    fr: fr`Les employeurs d'un syndicat auraient plus de ${8_388_608} octets dans son JSON. Raccourcissez leurs noms, ou divisez le syndicat. Rien n'a été écrit.`,
  },
} as const;

/** Runs a bulk write of employers. @throws DomainError `Requete.Invalide` for a union that would be too large */
export async function withBoundedUnions<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const { state, constraint, error: code, detail } = BOUNDED_UNIONS;
    throw violates(error, state, constraint) ? new DomainError(code, detail) : error;
  }
}
