/** A type of event: an entry of the catalogue. */
export interface EventDefinition {
  /** `<noun>.<participle>`, as receivers see it. */
  readonly type: string;
  /** When it occurs and what its data are. */
  readonly description: string;
  /** The module that shows the same data. A key without it does not get the event. */
  readonly module?: string;
}

type Rows<N extends string, R> = {
  readonly [P in keyof R & string]: R[P] & { readonly type: `${N}.${P}` };
};

/** Defines the events of one noun. Each context lists its own in `<context>.events.ts`. */
export function eventsOf<
  const N extends string,
  const R extends Record<string, Omit<EventDefinition, 'type'>>,
>(noun: N, rows: R): Rows<N, R> {
  return Object.fromEntries(
    Object.entries(rows).map(([participle, row]) => [participle, { type: `${noun}.${participle}`, ...row }]),
  ) as Rows<N, R>;
}
