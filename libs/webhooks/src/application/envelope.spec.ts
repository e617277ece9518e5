import { createPublicKey } from 'node:crypto';
import { headersOf } from './envelope';
import { keyOf } from './signing-keys';

/** The key pair of Svix, which made the signature of the example in Standard Webhooks 1.0. */
const KEY = 'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==';
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

const DELIVERY = { evenementId: 'msg_p5jXN8AQM9LWM0D4loKWxJek' };
const AT = new Date(1_614_265_330_999);
const BODY = Buffer.from('{"test": 2432232314}');

it('signs the published vectors of both schemes, in the order of the keys', () => {
  const headers = headersOf(DELIVERY, BODY, [KEY, SECRET].map(keyOf), AT);
  expect(headers).toMatchObject({
    'webhook-id': DELIVERY.evenementId,
    'webhook-timestamp': '1614265330',
    'webhook-signature':
      'v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg== v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

it('reads a private key with its public one', () => {
  const { x } = createPublicKey(keyOf(KEY)).export({ format: 'jwk' });
  expect(Buffer.from(x!, 'base64url').toString('base64')).toBe(
    '1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=',
  );
});
