import SMTPConnection, { type Options, type SMTPError } from 'nodemailer/lib/smtp-connection';
import { Readable } from 'node:stream';
import type { Delivered, Gate, Mail } from './mailer';

/** From MAIL to the last byte of the message but its end. */
const UNTIL_GATE_MS = 120_000;

/** Size of the written parts of a message. The pre-send check runs when nearly the whole message has left. */
const PART_BYTES = 16_384;

export interface Login {
  readonly user: string;
  readonly pass: string;
}

/** The gate stayed closed: breaks the message off before its end. */
class GateClosed extends Error {}

/** How far a message has come. */
interface Progress {
  /** Something of the message itself may have left. */
  hasContent: boolean;
  /** The gate once it was asked, and whether it has let the end of the message through. */
  gating?: Promise<boolean>;
  isThrough: boolean;
  isOver: boolean;
}

/** What a session says beside what became of the message: it broke before anything of that had left. */
export type Sent = Delivered & { readonly isLost?: boolean };

/** A connection to the mail server. It sends one message at a time. */
export class SmtpSession {
  private isClosedByUs = false;
  private sent = 0;

  private constructor(private readonly connection: SMTPConnection) {}

  /** @throws Error of nodemailer where the server is out of reach, or refuses the login */
  static async open(options: Options, login: Login | undefined): Promise<SmtpSession> {
    const connection = new SMTPConnection({ ...options, socketCloseTimeout: 0 });
    // A failure while the session is idle is detected at the next use.
    connection.on('error', () => undefined);
    try {
      await new Promise<void>((resolve, reject) => {
        connection.once('error', reject);
        connection.once('end', () => reject(new Error('The connection was closed.')));
        connection.connect((error) => (error ? reject(error) : resolve()));
      });
      if (login)
        await new Promise<void>((resolve, reject) => {
          connection.once('error', reject);
          connection.login(login, (error) => (error ? reject(error) : resolve()));
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

  /** Messages that went over it. */
  get count(): number {
    return this.sent;
  }

  /** Says good-bye, without waiting for an answer. */
  quit(): void {
    this.connection.quit();
  }

  /** Breaks off whatever is under way. */
  close(): void {
    this.isClosedByUs = true;
    this.connection.close();
    this.giveUp(new Error('The connection was closed.'));
  }

  private giveUp: (error: Error) => void = () => undefined;

  /**
   * Sends a message whose end waits for the gate. If that stays closed, the connection is cut before the final dot, and
   * the server discards what it has (RFC 5321, section 4.1.1.4): it has taken a message only once it says so.
   */
  async send(from: string, { to, content }: Mail, gate: Gate): Promise<Sent> {
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
        // A connection that is found closed says nothing else; one that breaks says first what broke it.
        onEnd = () => setImmediate(() => reject(new Error('The connection was closed.')));
        this.connection.once('end', onEnd);
        this.connection.send({ from, to: [to], size: content.length, use8BitMime: true }, source, (error) =>
          error ? reject(error) : resolve(),
        );
      });
      if (state.isThrough) return { result: 'accepted' };
      // It takes a message that it has not seen the end of: of such a server nothing is believed.
      return { result: 'later', code: null };
    } catch (error) {
      state.isOver = true;
      // A gate that was asked decides first whether it let this one through.
      await state.gating?.catch(() => undefined);
      const sent = this.outcomeOf(error as SMTPError, state);
      if (sent.result === 'unknown') this.connection.close();
      return sent;
    } finally {
      state.isOver = true;
      clearTimeout(timer);
      this.giveUp = () => undefined;
      this.connection.off('end', onEnd);
      if (!state.isThrough) await this.leave(state.hasContent);
    }
  }

  /** After a message that was not ended: the session goes on if the server knows of nothing but an envelope. */
  private async leave(hasContent: boolean): Promise<void> {
    // A command sent now would be part of the message.
    if (hasContent || !this.isOpen) return this.connection.close();
    await new Promise<void>((resolve) => {
      this.giveUp = () => resolve();
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
    // Larger than the server has said that it takes.
    if (error.code === 'EMESSAGE' && command === 'MAIL FROM') return { result: 'refused', code: 552 };
    if (!isThrough) return { result: 'later', code: null, isLost: !hasContent && !this.isClosedByUs };
    // RFC 5321 makes a server answer for a message from its 250 on, and one that closes has not given it. Where this side
    // has ended the wait, or nobody answers any more, the server may have taken it.
    return wasClosedByServer(error) && !this.isClosedByUs
      ? { result: 'later', code: null }
      : { result: 'unknown' };
  }
}

function wasClosedByServer({ code, originalCode }: SMTPError & { originalCode?: string }): boolean {
  return code === 'ECONNECTION' || ['ECONNRESET', 'EPIPE'].includes(originalCode ?? '');
}
