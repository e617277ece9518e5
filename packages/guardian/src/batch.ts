/** A part of `bulletins.ndjson`, for a thread. */
export interface Batch {
  readonly number: number;
  /** The number of the first line. */
  readonly firstLine: number;
  readonly lines: readonly string[];
}

/** First violation of a rule in a batch. */
export interface BatchFault {
  readonly line: number;
  readonly rule: 'ballotLine' | 'ballotOrder' | 'ballotProof';
  readonly check: string;
}

/** Result of the check of a batch. */
export interface Checked {
  readonly number: number;
  readonly fault?: BatchFault;
  readonly firstReceipt: Uint8Array;
  readonly lastReceipt: Uint8Array;
  /** V of each line. */
  readonly voters: readonly string[];
}
