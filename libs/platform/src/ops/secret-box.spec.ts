import { createCipheriv, randomBytes } from 'node:crypto';
import { KeyRing } from './key-ring';
import { HEADER_BYTES, keyIdOf, SecretBox } from './secret-box';

const box = new SecretBox(KeyRing.of(randomBytes(32)));
const CONTEXT = 'idempotency tenant key';

describe('SecretBox', () => {
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('mdt_stg_Zoé 😀')],
    ['every byte', Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))],
    ['a megabyte', randomBytes(2 ** 20)],
  ])('opens what it sealed: %s', (_what, plain) => {
    const sealed = box.seal(plain, CONTEXT);
    expect(box.open(sealed, CONTEXT).equals(plain)).toBe(true);
    if (plain.length > 0) expect(sealed.includes(plain)).toBe(false);
  });

  it('never seals twice alike', () => {
    const plain = Buffer.from('the same');
    const sealed = Array.from({ length: 1_000 }, () => box.seal(plain, CONTEXT).toString('hex'));
    expect(new Set(sealed).size).toBe(1_000);
    // The nonce is what must not come again under one key.
    expect(new Set(sealed.map((hex) => hex.slice(0, 24))).size).toBe(1_000);
  });

  it('does not open in another place or with another key', () => {
    const sealed = box.seal(Buffer.from('secret'), CONTEXT);
    for (const other of ['', `${CONTEXT} `, CONTEXT.toUpperCase()])
      expect(() => box.open(sealed, other)).toThrow();
    expect(() => new SecretBox(KeyRing.of(randomBytes(32))).open(sealed, CONTEXT)).toThrow();
  });

  it('does not open when any bit differs, anything is missing or anything is added', () => {
    const sealed = box.seal(Buffer.from('secret'), CONTEXT);
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const altered = Buffer.from(sealed);
      altered[bit >> 3]! ^= 1 << (bit & 7);
      expect(() => box.open(altered, CONTEXT)).toThrow();
    }
    // Where nothing was sealed, a cut reaches the tag itself.
    for (const whole of [sealed, box.seal(Buffer.alloc(0), CONTEXT)]) {
      for (let length = 0; length < whole.length; length++)
        expect(() => box.open(whole.subarray(0, length), CONTEXT)).toThrow();
    }
    expect(() => box.open(Buffer.concat([sealed, Buffer.alloc(1)]), CONTEXT)).toThrow();
    // Negative control: undamaged it opens.
    expect(box.open(sealed, CONTEXT).toString()).toBe('secret');
  });

  describe('with several keys', () => {
    const [first, second] = [randomBytes(32), randomBytes(32)];
    const ring = (...ids: string[]): SecretBox =>
      new SecretBox(
        KeyRing.parse(
          ids.map((id) => `${id}:${(id === 'k1' ? first : second).toString('base64')}`).join(','),
        ),
      );
    const bare = new SecretBox(KeyRing.of(first));
    const plain = Buffer.from('secret');

    it('the first key seals under its id, and every key opens', () => {
      const sealed = ring('k2', 'k1').seal(plain, CONTEXT);
      expect([keyIdOf(sealed), keyIdOf(sealed.subarray(0, HEADER_BYTES))]).toEqual(['k2', 'k2']);
      expect(sealed.subarray(0, ring('k2').header.length).equals(ring('k2').header)).toBe(true);
      for (const box of [ring('k2'), ring('k2', 'k1'), ring('k1', 'k2')])
        expect(box.open(sealed, CONTEXT).equals(plain)).toBe(true);
      expect(() => ring('k1').open(sealed, CONTEXT)).toThrow('SECRETS_KEY lacks the key k2');
    });

    it('a value without an id opens with any key of the ring', () => {
      const sealed = bare.seal(plain, CONTEXT);
      expect(keyIdOf(sealed)).toBeNull();
      for (const box of [bare, ring('k1'), ring('k2', 'k1')])
        expect(box.open(sealed, CONTEXT).equals(plain)).toBe(true);
      expect(() => ring('k2').open(sealed, CONTEXT)).toThrow('No key of SECRETS_KEY opens this value.');
    });

    it('a value without an id that begins like one with an id opens', () => {
      const box = ring('k2', 'k1');
      // 4 bytes that are equal by chance take 2^32 attempts, so the nonce is given.
      const nonce = Buffer.concat([ring('k2').header, Buffer.alloc(5, 7)]);
      const cipher = createCipheriv('aes-256-gcm', first, nonce).setAAD(Buffer.from(CONTEXT));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      const sealed = Buffer.concat([nonce, cipher.getAuthTag(), body]);
      expect(nonce).toHaveLength(12);
      expect(keyIdOf(sealed)).toBe('k2');
      expect(box.open(sealed, CONTEXT).equals(plain)).toBe(true);
    });

    it('does not open when any bit differs', () => {
      const box = ring('k2', 'k1');
      const sealed = box.seal(plain, CONTEXT);
      for (let bit = 0; bit < sealed.length * 8; bit++) {
        const altered = Buffer.from(sealed);
        altered[bit >> 3]! ^= 1 << (bit & 7);
        expect(() => box.open(altered, CONTEXT)).toThrow();
      }
    });
  });

  it('takes a key of 32 bytes and no other', () => {
    for (const length of [0, 16, 31, 33])
      expect(() => new SecretBox(KeyRing.of(randomBytes(length))).seal(Buffer.alloc(1), '')).toThrow();
  });
});
