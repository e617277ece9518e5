import { calculateJwkThumbprint } from 'jose';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { privateKeyOf, publicBytesOf, publicJwkOf } from './signing-key';

const { privateKey } = generateKeyPairSync('ed25519');
const seed = privateKey.export({ format: 'jwk' }).d!;

describe('the key that signs counts', () => {
  it.each([
    ['PEM', privateKey.export({ format: 'pem', type: 'pkcs8' }) as string],
    ['a JWK', JSON.stringify(privateKey.export({ format: 'jwk' }))],
    ['32 bytes in base64', Buffer.from(seed, 'base64url').toString('base64')],
  ])('is read from %s', (_form, text) => {
    expect(privateKeyOf(`${text}\n`)!.export({ format: 'jwk' })).toEqual(
      privateKey.export({ format: 'jwk' }),
    );
  });

  it.each([
    ['nothing', ''],
    ['31 bytes', Buffer.alloc(31, 1).toString('base64')],
    ['33 bytes', Buffer.alloc(33, 1).toString('base64')],
    [
      'a JWK without its private part',
      JSON.stringify({ ...privateKey.export({ format: 'jwk' }), d: undefined }),
    ],
    ['JSON that is no key', '{'],
    [
      'a key of another kind',
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
        format: 'pem',
        type: 'pkcs8',
      }) as string,
    ],
  ])('is not read from %s', (_form, text) => expect(privateKeyOf(text)).toBeUndefined());

  // RFC 8037, appendix A: the example has this key and this thumbprint.
  it('has the thumbprint of RFC 8037 as its name', async () => {
    const key = createPrivateKey({
      format: 'jwk',
      key: {
        kty: 'OKP',
        crv: 'Ed25519',
        d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
        x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
      },
    });
    const jwk = publicJwkOf(publicBytesOf(key));
    expect(jwk.kid).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
    expect(jwk.kid).toBe(await calculateJwkThumbprint({ ...jwk }));
  });
});
