/** Meaning of an error code. */
export interface ErrorDefinition {
  /** HTTP status of every answer that carries the code. */
  readonly status: number;
  /** Short, constant summary: the `title` of the problem details. */
  readonly title: string;
  /** When it is answered and what the caller can do; shown on /docs/erreurs. */
  readonly description: string;
}
