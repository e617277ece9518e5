/** A request to an operation. */
export interface Call {
  readonly key: string | undefined;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface More {
  readonly path?: string;
  /** Of the example's body. */
  readonly changes?: readonly object[];
  /** Of the call that the example makes. */
  readonly calls?: readonly Partial<Call>[];
}
