import { unchanged } from '../setup/digests';
import { expectProblem } from '../http/expect-problem';
import { TestApp } from '../setup/test-app';
import { PATH, Space } from './support/space';
import { perFile } from '../setup/fixtures';

/** Rejected addresses by reason, and accepted addresses. */
const REFUSED: Record<string, string[]> = {
  'is not an address': [
    'example.org',
    '/mandat',
    'https://',
    'https://exa mple.org',
    'https://[::1',
    'https://256.1.1.1',
    'x',
  ],
  'must begin with https://': [
    ...[
      'http://example.org',
      'HTTP://example.org/x',
      'ftp://example.org',
      'file:///etc/passwd',
      'ws://example.org',
    ],
    ...[
      'wss://example.org',
      'javascript:alert(1)',
      'data:text/plain,x',
      'mailto:a@example.org',
      'example.org:443',
    ],
  ],
  'must use port 443': [
    'https://example.org:80',
    'https://example.org:8443/x',
    'https://example.org:444',
    'https://93.184.216.34:22',
  ],
  'must not have a user or a password': [
    ...['https://user@example.org', 'https://user:pass@example.org', 'https://:pass@example.org'],
    'https://example.org%40@127.0.0.1/',
  ],
  'must not have a fragment': ['https://example.org/#x', 'https://example.org/x#', 'https://example.org#'],
};
const INTERNAL = [
  // Names of this machine or of a local network.
  ...['localhost', 'LOCALHOST', 'localhost.', 'hooks.localhost', 'intranet', 'mandat-api', 'postgres'],
  ...['printer.local', 'vault.internal', 'metadata.google.internal', 'router.home.arpa', 'printer.local.'],
  // IPv4 in all of its notations: 127.0.0.1, 10.0.0.1, 192.168.0.1, 169.254.169.254 and others.
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
    '127.0.0.1.',
  ],
  ...[
    '127.255.255.254',
    '0',
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.1',
    '0xa.1',
    '012.1',
    '172.16.0.1',
    '172.31.255.255',
  ],
  ...[
    '192.168.0.1',
    '192.168.1',
    '0xc0a80001',
    '3232235521',
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '100.64.0.1',
  ],
  ...[
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
  ],
  // Digits of another script have the same meaning.
  ...['１２７.０.０.１', '①②⑦.⓪.⓪.①', '127。0。0。1', 'ｌocalhost'],
  // IPv6: local, private, and those that carry an IPv4 address.
  ...[
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[fe80::1]',
    '[fc00::1]',
    '[fd12:3456::1]',
    '[ff02::1]',
    '[fec0::1]',
  ],
  ...[
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[::ffff:93.184.216.34]',
    '[64:ff9b::7f00:1]',
  ],
  ...['[64:ff9b:1::1]', '[2002:7f00:1::]', '[2001::1]', '[2001:db8::1]', '[100::1]', '[4000::1]'],
];
const ACCEPTED = [
  ...[
    'https://example.org',
    'https://example.org/',
    'HTTPS://Example.ORG/x?y=1&z=%20',
    'https://example.org:443/x',
  ],
  ...[
    'https://hooks.exämple.org/',
    'https://a.b.c.d.example.org.',
    'https://localhost.example.org',
    'https://local.org',
  ],
  ...[
    'https://93.184.216.34/',
    'https://1.1',
    'https://[2606:4700:4700::1111]/x',
    'https://internal.example.com',
  ],
  ...[`https://example.org/${'x'.repeat(2_028)}`, 'https://10.example.org', 'https://127.0.0.1.example.org'],
];

const strict = perFile(() => TestApp.start({ webhookAllowInsecure: false }));
let space: Space;

beforeAll(async () => {
  space = await Space.open(strict);
});

async function refused(url: string, why: string): Promise<void> {
  const answer = await space.send('POST', PATH, { url, types: ['sync.terminee'] });
  if (answer.status === 201) throw new Error(`${url} was accepted.`);
  expectProblem(answer, 400, 'Webhook.AdresseRefusee', 'Give the public https address of the receiver');
  expect(`${url}: ${answer.json.detail}`).toContain(why);
}

describe('In production, the address of an endpoint', () => {
  it.each(Object.entries(REFUSED))('400 Webhook.AdresseRefusee: %s', async (why, urls) => {
    await unchanged(strict, async () => {
      for (const url of urls) await refused(url, why);
    });
  });

  it.each(INTERNAL)('400 Webhook.AdresseRefusee: %s is not a public address', async (host) => {
    await refused(`https://${host}/x`, 'must be on the public internet');
    await refused(`https://${host}`, 'must be on the public internet');
  });

  it('400 for an internal address after everything else of the URL has been tried', async () => {
    await refused('https://127.0.0.1:443/', 'must be on the public internet');
    await refused('https:127.0.0.1', 'must be on the public internet');
    await refused('https:\\\\127.0.0.1\\x', 'must be on the public internet');
    await refused('https://127.0.0.1?@example.org', 'must be on the public internet');
    await refused('https://example.org\t@127.0.0.1/', 'user');
    expect(await space.count('webhook')).toBe(0);
  });

  it.each(ACCEPTED)('201 for %s, stored as it was sent', async (url) => {
    const made = await space.send('POST', PATH, { url, types: ['sync.terminee'] });
    expect([made.status, made.json.url]).toEqual([201, url]);
    expect((await space.send('DELETE', `${PATH}/${made.json.id}`)).status).toBe(204);
  });

  it('is checked by PUT as well, which then changes nothing', async () => {
    const { id } = await space.endpoint({ url: 'https://example.org' });
    await unchanged(strict, async () => {
      for (const url of [
        'http://example.org',
        'https://localhost',
        'https://169.254.169.254/latest/meta-data',
      ]) {
        const answer = await space.send('PUT', `${PATH}/${id}`, { url, types: ['sync.terminee'] });
        expectProblem(answer, 400, 'Webhook.AdresseRefusee');
      }
    });
  });
});

describe('With WEBHOOK_ALLOW_INSECURE, the address of an endpoint', () => {
  it('may be anything over http or https, yet without user and fragment', async () => {
    const lax = await TestApp.start({ webhookAllowInsecure: true });
    try {
      const there = await Space.open(lax);
      for (const url of [
        'http://localhost:8080/x',
        'http://127.0.0.1',
        'https://[::1]:9',
        'https://intranet',
      ])
        expect((await there.endpoint({ url })).id).toEqual(expect.any(String));
      for (const url of [
        'ftp://localhost',
        'http://u@localhost',
        'http://localhost/#x',
        'localhost:80',
        'x',
      ]) {
        const answer = await there.send('POST', PATH, { url, types: ['sync.terminee'] });
        expectProblem(answer, 400, 'Webhook.AdresseRefusee');
      }
      expect(await there.count('webhook')).toBe(4);
    } finally {
      await lax.stop();
    }
  });
});
