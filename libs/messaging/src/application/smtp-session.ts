import SMTPConnection, { type Options, type SMTPError } from 'nodemailer/lib/smtp-connection';
import { Readable } from 'node:stream';
import type { SmtpServer } from './mail-config';
import type { Delivered, Gate, Mail } from './mailer';

/** Time limit from MAIL to the pre-send check, in ms. */
const UNTIL_GATE_MS = 120_000;

/** Size of the written parts of a message. The pre-send check runs when nearly the whole message has left. */
const PART_BYTES = 16_384;

/** The pre-send check failed: the message is aborted before its end. */
class GateClosed extends Error {}

/** Progress of a message. */
interface Progress {
  /** Part of the message may have been sent. */
  hasContent: boolean;
  /** The running check, and whether it allowed the end of the message. */
  gating?: Promise<boolean>;
  isThrough: boolean;
  isOver: boolean;
}

/** `isLost`: the connection broke before any part of the message was sent. */
export type Sent = Delivered & { readonly isLost?: boolean };

const nobodyWaits = (): void => undefined;

/** A connection to the mail server. It sends one message at a time. */
export class SmtpSession {
  private isClosedByUs = false;
  private sent = 0;

  private constructor(private readonly connection: SMTPConnection) {}

  /** @throws Error of nodemailer if the server is unreachable, or rejects the login */
  static async open(options: Options, login: SmtpServer['login']): Promise<SmtpSession> {
    const connection = new SMTPConnection({ ...options, socketCloseTimeout: 0 });
    // A failure while the session is idle is detected at the next use.
    connection.on('error', () => undefined);
    try {
      await new Promise<void>((resolve, reject) => {
        const end = (error?: Error | null): void => (error ? reject(error) : resolve());
        connection.once('error', reject);
        connection.once('end', () => reject(new Error('The connection was closed.')));
        connection.connect((error) => (login && !error ? connection.login(login, end) : end(error)));
      });
    } catch (error) {
      connection.close();
      throw error;
    }
    return new SmtpSession(connection);
  }

  get isOpen(): boolean {
    return !this.connection.destroyed;
  }

  /** Number of messages sent over it. */
  get count(): number {
    return this.sent;
  }

  /** Sends QUIT, without waiting for a response. */
  quit(): void {
    this.connection.quit();
  }

  /** Aborts the running message. */
  close(): void {
    this.isClosedByUs = true;
    this.connection.close();
    this.giveUp(new Error('The connection was closed.'));
  }

  private giveUp: (error: Error) => void = nobodyWaits;

  /**
   * Sends a message and runs the pre-send check before its end. If the check fails, closes the connection before the final
   * dot: the server then discards the message (RFC 5321, section 4.1.1.4).
   */
  async send(from: string, { to, content, destinataireId }: Mail, gate: Gate): Promise<Sent> {
    this.sent += 1;
    const state: Progress = { hasContent: false, isThrough: false, isOver: false };
    const timer = setTimeout(() => {
      if (!state.gating) this.close();
    }, UNTIL_GATE_MS);
    const parts = async function* (): AsyncGenerator<Buffer> {
      state.hasContent = true;
      for (let at = 0; at < content.length; at += PART_BYTES) yield content.subarray(at, at + PART_BYTES);
      if (state.isOver) throw new GateClosed();
      clearTimeout(timer);
      state.gating = gate();
      if (!(await state.gating) || state.isOver) throw new GateClosed();
      state.isThrough = true;
    };
    let onEnd = (): void => undefined;
    const source = Readable.from(parts(), { objectMode: false, highWaterMark: PART_BYTES });
    source.on('error', () => undefined);
    try {
      await new Promise<void>((resolve, reject) => {
        this.giveUp = reject;
        // A closed connection emits `end` only; a broken one emits its error first.
        onEnd = () => setImmediate(() => reject(new Error('The connection was closed.')));
        this.connection.once('end', onEnd);
        // A server that knows DSN (RFC 3461) repeats the envelope id in its notification, and quotes the header only.
        const dsn = { id: destinataireId, return: 'headers' } as const;
        const envelope = { from, to: [to], size: content.length, use8BitMime: true, dsn };
        this.connection.send(envelope, source, (error) => (error ? reject(error) : resolve()));
      });
      if (state.isThrough) return { result: 'accepted' };
      // The server accepted an incomplete message: its response means nothing.
      return { result: 'later', code: null };
    } catch (error) {
      state.isOver = true;
      // Wait for a running check, because it decides whether this attempt passed.
      await state.gating?.catch(() => undefined);
      const sent = this.outcomeOf(error as SMTPError, state);
      if (sent.result === 'unknown') this.connection.close();
      return sent;
    } finally {
      state.isOver = true;
      clearTimeout(timer);
      this.giveUp = nobodyWaits;
      this.connection.off('end', onEnd);
      if (!state.isThrough) await this.leave(state.hasContent);
    }
  }

  /** Resets the session after a message that was not ended; closes it if part of the message was sent. */
  private async leave(hasContent: boolean): Promise<void> {
    // The server would read a command as part of the message.
    if (hasContent || !this.isOpen) return this.connection.close();
    await new Promise<void>((resolve) => {
      const leave = (): void => resolve();
      this.giveUp = leave;
      this.connection.once('end', resolve);
      this.connection.reset((error) => {
        if (error) this.connection.close();
        resolve();
      });
    });
  }

  private outcomeOf(error: SMTPError, { hasContent, isThrough }: Progress): Sent {
    if (error instanceof GateClosed) return { result: 'held' };
    const { responseCode: code, command } = error;
    if (code !== undefined && code >= 400 && code <= 599) {
      if (command === 'MAIL FROM' && code !== 552) return { result: 'unreachable', reason: `MAIL: ${code}` };
      return code >= 500 ? { result: 'refused', code } : { result: 'later', code };
    }
    // The message is larger than the server's announced limit.
    if (error.code === 'EMESSAGE' && command === 'MAIL FROM') return { result: 'refused', code: 552 };
    if (!isThrough) return { result: 'later', code: null, isLost: !hasContent && !this.isClosedByUs };
    // By RFC 5321, a server is responsible for a message from its 250 on. A server that closes the connection has not sent
    // it. After a timeout on this side, the server may have accepted the message.
    return wasClosedByServer(error) && !this.isClosedByUs
      ? { result: 'later', code: null }
      : { result: 'unknown' };
  }
}

function wasClosedByServer({ code, originalCode }: SMTPError & { originalCode?: string }): boolean {
  return code === 'ECONNECTION' || ['ECONNRESET', 'EPIPE'].includes(originalCode ?? '');
}
