import type { Text } from './text';

/** A refusal by a rule, as callers see it. */
export interface ErrorDefinition {
  /** `<Noun>.<Reason>`: the `code` of the problem details. */
  readonly code: string;
  /** HTTP status of every response with the code. */
  readonly status: number;
  /** Short, constant summary: the `title` of the problem details. */
  readonly title: Text;
  /** When it occurs and what the caller can do; shown on /docs/erreurs. */
  readonly description: Text;
  /** `detail` of a refusal that gives none; the description if absent. */
  readonly detail?: Text;
}

type Rows<P extends string, R> = {
  readonly [N in keyof R & string]: ErrorDefinition & { readonly code: `${P}.${N}` };
};

/** Defines the errors of one noun. Each context lists its own in `<context>.errors.ts`; the apps collect them. */
export function errorsOf<P extends string, R extends Record<string, Omit<ErrorDefinition, 'code'>>>(
  noun: P,
  rows: R,
): Rows<P, R> {
  return Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [name, { code: `${noun}.${name}`, ...row }]),
  ) as Rows<P, R>;
}
