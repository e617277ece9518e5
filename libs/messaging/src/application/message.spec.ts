import { type ParsedMail, simpleParser } from 'mailparser';
import { Message } from './message';

const EMAIL = {
  id: 'x',
  sujet: 'Été',
  corpsHtml: '<p>Oui</p>',
  dateCreation: new Date('2026-03-02T14:05:09Z'),
  nom: 'Syndicat',
  environnement: 'production',
  adresseDeReponse: null,
};
const FROM = { name: 'Mandat', address: 'a@mandat.test' };

describe('Message', () => {
  it('is the same bytes for the same recipient, with one Message-ID and one To', async () => {
    const message = await Message.compose(EMAIL, FROM);
    const one = message.to('zoe@example.org', '11');
    expect(message.to('zoe@example.org', '11')).toEqual(one);
    const head = one.toString('latin1').split('\r\n\r\n')[0]!;
    expect(head.match(/^Message-ID: .*$/gim)).toEqual(['Message-ID: <11@mandat.test>']);
    expect(head.match(/^To: .*$/gim)).toEqual(['To: zoe@example.org']);
    expect(head).not.toMatch(/^\r?\n/);
    const { text, html, date } = await simpleParser(one);
    expect({ text: text!.trim(), html, date }).toEqual({
      ...{ text: 'Oui', html: '<p>Oui</p>' },
      date: EMAIL.dateCreation,
    });
  });

  it('has one Message-ID if the sender’s domain is so long that the header is folded', async () => {
    const address = 'ne-pas-repondre@communications.syndicat-exemple.example.org';
    const message = await Message.compose(EMAIL, { name: 'Mandat', address });
    const head = message.to('zoe@example.org', '11').toString('latin1').split('\r\n\r\n')[0]!;
    const domain = address.split('@')[1]!;
    expect(head.match(/Message-ID[^>]*>/gi)).toEqual([`Message-ID: <11@${domain}>`]);
    expect(head.match(/@communications/g)).toHaveLength(2);
  });

  it('a line break in the subject makes no header', async () => {
    const message = await Message.compose({ ...EMAIL, sujet: 'A\r\nBcc: x@example.org' }, FROM);
    const { headers } = await simpleParser(message.to('zoe@example.org', '11'));
    expect(headers.has('bcc')).toBe(false);
  });
});

describe('Names and addresses of a message', () => {
  const read = async (changes: object, from = FROM): Promise<{ mail: ParsedMail; head: string }> => {
    const content = (await Message.compose({ ...EMAIL, ...changes }, from)).to('zoe@example.org', '11');
    return { mail: await simpleParser(content), head: content.toString('latin1').split('\r\n\r\n')[0]! };
  };

  it.each([
    ['production', { nom: 'Syndicat', environnement: 'production' }, 'Syndicat via Mandat'],
    ['staging', { nom: 'Syndicat', environnement: 'staging' }, 'Syndicat (staging) via Mandat'],
    ['quotes and brackets', { nom: 'L’"A" <b@c.org>, d; e:' }, 'L’"A" <b@c.org>, d; e: via Mandat'],
    ['ASCII quotes and brackets', { nom: '"A" \\ <b@c.org>, d' }, '"A" \\ <b@c.org>, d via Mandat'],
    ['an emoji', { nom: 'Métallos 🏳️‍🌈 組合' }, 'Métallos 🏳️‍🌈 組合 via Mandat'],
    ['255 emoji', { nom: '😀'.repeat(255) }, `${'😀'.repeat(255)} via Mandat`],
    ['a header', { nom: 'A\r\nBcc: x@example.org\u2028\u0007B' }, 'A Bcc: x@example.org B via Mandat'],
    ['no name yet', { nom: null, environnement: null }, 'Mandat'],
  ])('From has the name of the client: %s', async (_what, changes, name) => {
    const { mail, head } = await read(changes);
    expect(mail.from!.value).toEqual([{ name, address: FROM.address }]);
    expect(mail.headers.has('bcc')).toBe(false);
    expect(head.match(/^(?:From|To|Message-ID): /gim)).toHaveLength(3);
    expect(head).toMatch(/^[\x20-\x7e\r\n]*$/);
    for (const line of head.split('\r\n')) expect(line.length).toBeLessThanOrEqual(78);
  });

  it('From has the name of the client alone where the operator has none', async () => {
    const { mail } = await read({}, { ...FROM, name: '' });
    expect(mail.from!.value).toEqual([{ name: 'Syndicat', address: FROM.address }]);
  });

  it('Reply-To is the address of the client; without one there is no Reply-To', async () => {
    const { mail } = await read({ adresseDeReponse: "o'a+b@example.org" });
    expect(mail.replyTo!.value).toEqual([{ name: '', address: "o'a+b@example.org" }]);
    expect((await read({})).head).not.toMatch(/reply-to/i);
  });
});
