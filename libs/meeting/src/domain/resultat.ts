import { type InputFault, invalidRequest } from '#platform/errors/domain-error';
import { decimalOf } from '#platform/input/decimal';
import type { ResultatRecord } from './point.fields';
import { fr } from '#platform/errors/text';

/** A result whose counts and weights agree; weights are exact decimal numbers. `Point.record` stores it. */
export type Resultat = { readonly [N in keyof ResultatRecord]-?: NonNullable<ResultatRecord[N]> };

/** Each weight with its count. */
const WEIGHED = {
  poidsPour: 'pour',
  poidsContre: 'contre',
  poidsAbstentions: 'abstentions',
} as const;

/**
 * Fills in the weights of a result: an absent weight is the count.
 *
 * @throws DomainError `Requete.Invalide` if votes weigh 0, or a weight has no votes
 */
export function resultatOf(record: ResultatRecord): Resultat {
  const faults: InputFault[] = [];
  const poids = (name: keyof typeof WEIGHED): string => {
    const count = record[WEIGHED[name]];
    const sent = record[name] ?? String(count);
    if ((decimalOf(sent) === 0n) !== (count === 0)) {
      const detail = {
        en: `must be 0 if and only if ${WEIGHED[name]} is 0`,
        fr: fr`doit être 0 si et seulement si ${WEIGHED[name]} est 0`,
      };
      faults.push({ pointer: `/${name}`, code: 'range', detail });
    }
    return sent;
  };
  const { pour, contre, abstentions } = record;
  const content = {
    ...{ pour, contre, abstentions },
    poidsPour: poids('poidsPour'),
    poidsContre: poids('poidsContre'),
    poidsAbstentions: poids('poidsAbstentions'),
  };
  if (faults.length > 0) throw invalidRequest(faults);
  return content;
}
