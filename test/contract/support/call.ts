/** A request to an operation. */
export interface Call {
  readonly key: string | undefined;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

export interface More {
  readonly path?: string;
  /** Changes of the example's body. */
  readonly changes?: readonly object[];
  /** Changes of the call that the example makes. */
  readonly calls?: readonly Partial<Call>[];
}
