import { REQUETE } from './platform.errors';
import type { ErrorDefinition } from './error-definition';
import { fr, type Text } from './text';

/** A validation error: place, rule and advice. */
export interface InputFault {
  /** JSON pointer into the body (`/courriel`), or `?name` for a query parameter, or `{name}` for a part of the path. */
  pointer: string;
  /** Short name of the broken rule, for programs: `required`, `unknown`, `type`, `length`… */
  code: string;
  /** Description of the error. */
  detail: Text;
}

/** A refusal by a rule. The exception filter turns its definition into the response. */
export class DomainError extends Error {
  /** @param detail what happened in this case and what to do; no personal data beyond what the caller sent */
  constructor(
    readonly definition: ErrorDefinition,
    readonly detail: Text = definition.detail ?? definition.description,
    readonly members: {
      errors?: InputFault[];
      module?: string;
      retryAfterSeconds?: number;
      /** Further members of the response. */
      further?: object;
      /** The transaction of the refusal has committed: an outer one keeps its writes, too. */
      hasWritten?: true;
    } = {},
  ) {
    super(detail.en);
  }

  get code(): string {
    return this.definition.code;
  }
}

/** Faults of one request that are collected and listed. Readers stop there: a wrong request costs no more than a sound one. */
export const MOST_FAULTS = 100;

/** Whether so many faults have been found that reading stops. */
export function isFull(faults: readonly InputFault[]): boolean {
  return faults.length >= MOST_FAULTS;
}

/** The 400 that lists the faults of a request at once, the first hundred if there are more. */
export function invalidRequest(faults: readonly InputFault[]): DomainError {
  return refusalOf(REQUETE.Invalide, faults);
}

/** A refusal that lists faults, the first hundred if there are more. @param faults one at the least */
export function refusalOf(code: ErrorDefinition, faults: readonly InputFault[]): DomainError {
  const errors = faults.slice(0, MOST_FAULTS);
  return new DomainError(code, summaryOf(errors), { errors });
}

function summaryOf(faults: readonly InputFault[]): Text {
  const [first] = faults;
  if (first && faults.length === 1) {
    const { pointer, detail } = first;
    if (pointer === '') return detail;
    return { en: `${pointer}: ${detail.en}`, fr: fr`${pointer} : ${detail.fr}` };
  }
  if (!isFull(faults)) {
    return {
      en: `The request has ${faults.length} faults, see errors.`,
      fr: fr`La requête comporte ${faults.length} fautes, voyez errors.`,
    };
  }
  return {
    en: `The first ${MOST_FAULTS} faults are listed in errors; there may be more. Correct them and send the request again.`,
    fr: fr`Les ${MOST_FAULTS} premières fautes sont énumérées dans errors; il peut y en avoir d’autres. Corrigez-les et renvoyez la requête.`,
  };
}
