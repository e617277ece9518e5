/** A complete message to one recipient. */
export interface Mail {
  readonly courrielId: string;
  readonly destinataireId: string;
  readonly to: string;
  readonly content: Buffer;
}

/**
 * The pre-send check, which runs when all of a message but its end is sent. Unless it returns true, the message must not be
 * ended, because another attempt may have passed.
 */
export type Gate = () => Promise<boolean>;

/** Result of an attempt. */
export type Delivered =
  /** The mail server accepted the message and is responsible for it. */
  | { readonly result: 'accepted' }
  /** Permanently refused, with the code of the response. */
  | { readonly result: 'refused'; readonly code: number }
  /** Temporarily refused: the recipient is tried again. The code is null without a response. */
  | { readonly result: 'later'; readonly code: number | null }
  /** The mail server is unavailable. */
  | { readonly result: 'unreachable'; readonly reason: string }
  /** The pre-send check failed, and the message was not ended. */
  | { readonly result: 'held' }
  /** The message was ended, but the server did not respond. */
  | { readonly result: 'unknown' };

/** Sends messages to their recipients. */
export interface Mailer {
  /** Makes one attempt. Never throws. */
  deliver(mail: Mail, gate: Gate): Promise<Delivered>;
  /** Aborts running attempts, when the process stops. */
  close(): void;
}

export const MAILER = Symbol('mailer');
