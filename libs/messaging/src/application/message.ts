import { convert } from 'html-to-text';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { Email } from '../persistence/expedition.repository';
import type { MailFrom } from './mail-config';

/** Maximum nesting of the plain text: the time to read deeper elements grows with the square of the depth. */
const MAX_DEPTH = 100;

/** The message of an email without its recipient. */
export class Message {
  private constructor(
    private readonly rest: Buffer,
    private readonly domain: string,
  ) {}

  /** @param from the operator's name and address; its domain is that of Message-ID */
  static async compose(email: Email, from: MailFrom): Promise<Message> {
    const { sujet, corpsHtml, dateCreation, adresseDeReponse } = email;
    const whole = await new MailComposer({
      from: { name: nameOf(email, from), address: from.address },
      ...(adresseDeReponse === null ? {} : { replyTo: { name: '', address: adresseDeReponse } }),
      subject: sujet,
      // Every attempt must send the same bytes.
      date: dateCreation,
      html: corpsHtml,
      text: convert(corpsHtml, { wordwrap: 78, limits: { maxDepth: MAX_DEPTH } }),
      xMailer: false,
      newline: '\r\n',
      disableFileAccess: true,
      disableUrlAccess: true,
    })
      .compile()
      .build();
    const headEnd = whole.indexOf('\r\n\r\n');
    // Headers are ASCII. Each recipient gets another Message-ID than the composer's. A long header is folded.
    const head = whole
      .toString('latin1', 0, headEnd)
      .replace(/(^|\r\n)Message-ID:[^\r\n]*(?:\r\n[ \t][^\r\n]*)*/i, '')
      .replace(/^\r\n/, '');
    const rest = Buffer.concat([Buffer.from(head, 'latin1'), whole.subarray(headEnd)]);
    return new Message(rest, from.address.slice(from.address.lastIndexOf('@') + 1));
  }

  /** Returns the message to one recipient, the same bytes at each attempt. @param id of the recipient, for Message-ID */
  to(address: string, id: string): Buffer {
    const head = `Message-ID: <${id}@${this.domain}>\r\nTo: ${address}\r\n`;
    return Buffer.concat([Buffer.from(head), this.rest]);
  }
}

/** Returns the name in From: the client's and the operator's, because recipients must recognise the sender. */
function nameOf({ nom, environnement }: Email, from: MailFrom): string {
  // Mail programs would show a line break in an encoded name.
  const client = nom?.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  if (!client) return from.name;
  const ofSpace = environnement === 'staging' ? `${client} (staging)` : client;
  return from.name ? `${ofSpace} via ${from.name}` : ofSpace;
}
