/** A message to one recipient, whole. */
export interface Mail {
  readonly courrielId: string;
  readonly destinataireId: string;
  readonly to: string;
  readonly content: Buffer;
}

/**
 * Asked once all of a message but its end is out. Unless it answers true, the message must not be ended: another attempt
 * has been let through, or nobody knows.
 */
export type Gate = () => Promise<boolean>;

/** Result of an attempt. */
export type Delivered =
  /** The mail server accepted the message and is responsible for it. */
  | { readonly result: 'accepted' }
  /** Permanently refused, with the code of the response. */
  | { readonly result: 'refused'; readonly code: number }
  /** Not now: the recipient is tried again. The code is null where no answer came. */
  | { readonly result: 'later'; readonly code: number | null }
  /** The mail server is unavailable. */
  | { readonly result: 'unreachable'; readonly reason: string }
  /** The gate stayed closed, and the message was not ended. */
  | { readonly result: 'held' }
  /** The message was ended, and it is not known what became of it. */
  | { readonly result: 'unknown' };

/** Takes messages to their recipients. */
export interface Mailer {
  /** Makes one attempt. Never throws. */
  deliver(mail: Mail, gate: Gate): Promise<Delivered>;
  /** Breaks off what is left, for when the process stops. */
  close(): void;
}

export const MAILER = Symbol('mailer');
