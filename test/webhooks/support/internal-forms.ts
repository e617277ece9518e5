import type { Resolve } from '../../../libs/webhooks/src/application/address-guard';

/** Notations of 127.0.0.1, ::1 or any address of this machine as the host of a URL. */
const LOOPBACK_HOSTS = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.0.0.2',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0X7F000001',
  '0x0000000007f000001',
  '017700000001',
  '0177.0.0.1',
  '0000177.0.0.1',
  '0x7f.1',
  '0x7f.0.0.1',
  '0177.0x0.1',
  '127.0x1',
  '１２７.０.０.１',
  '127。0。0。1',
  '127．0｡0．1',
  '①②⑦.⓪.⓪.①',
  '127%2e0%2e0%2e1',
  '%31%32%37.0.0.1',
  '%30%78%37%66%30%30%30%30%30%31',
  '127.\t0.0.1',
  '127.\n0.\r\n0.1',
  '127.0.0\u00ad.1',
  '0.0.0.0',
  '0',
  '0x0',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::0.0.0.1]',
  '[::]',
  '[0::0]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:1]',
  '[::ffff:0.0.0.0]',
  'example.org@127.0.0.1',
  'example.org%2f@127.0.0.1',
  'example.org:443@127.0.0.1',
  'example.org%40@[::1]',
];

/** Names that the test's name server, or the system itself, resolves to this machine. */
const LOOPBACK_NAMES = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'x.localhost',
  'ｌｏｃａｌｈｏｓｔ',
  'loc\talhost',
  'loop.example',
  'LOOP.example.',
  '127.0.0.1.nip.example',
  '127-0-0-1.example',
  'six.example',
  'mapped.example',
  'wildcard.example',
  'wildcard6.example',
];

/** Internal addresses of other machines, and addresses that lead to internal ones by a gateway. */
const ELSEWHERE = [
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '169.254.43518',
  '１６９.254.169.254',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[fd00:ec2::254]',
  '10.0.0.1',
  '10.1',
  '012.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.257',
  '100.64.0.1',
  '100.127.255.255',
  '192.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::7f00:1]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2002:a00:1::1]',
  '[2001:0:7f00:1::]',
  '[100::1]',
  '[fe80::1]',
  '[febf::1]',
  '[fec0::1]',
  '[fc00::1]',
  '[fdff::1]',
  '[ff02::1]',
  'metadata.example',
  'metadata6.example',
  'ten.example',
  'unique-local.example',
  'nat64.example',
  'public-and-internal.example',
  'internal-and-public.example',
  'many-public-and-internal.example',
  'public-and-internal6.example',
  'nothing.example',
  'not-an-address.example',
  'zone.example',
  'decimal.example',
  'short.example',
];

const PUBLIC = ['8.8.8.8', '8.8.4.4', '1.1.1.1', '1.0.0.1', '9.9.9.9'];

const ANSWERS: Readonly<Record<string, string[]>> = {
  'six.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'wildcard.example': ['0.0.0.0'],
  'wildcard6.example': ['::'],
  'metadata.example': ['169.254.169.254'],
  'metadata6.example': ['fd00:ec2::254'],
  'ten.example': ['10.0.0.1'],
  'unique-local.example': ['fd12:3456:789a::1'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'public-and-internal.example': ['8.8.8.8', '127.0.0.1'],
  'internal-and-public.example': ['127.0.0.1', '8.8.8.8'],
  // After the addresses that are tried.
  'many-public-and-internal.example': [...PUBLIC, '127.0.0.1'],
  'public-and-internal6.example': ['8.8.8.8', '::1'],
  'nothing.example': [],
  'not-an-address.example': ['localhost'],
  'zone.example': ['fe80::1%lo'],
  'decimal.example': ['2130706433'],
  'short.example': ['127.1'],
};

/** A hostile name server: it resolves every unknown name to this machine. */
export const hostile: Resolve = (hostname) => Promise.resolve(ANSWERS[hostname] ?? ['127.0.0.1']);

/** A URL for a POST, given its port; without one, the URL has the port of https. */
export interface Form {
  readonly name: string;
  readonly url: (scheme: 'http' | 'https', port?: number) => string;
}

const hosts = (all: readonly string[]): Form[] =>
  all.map((host) => ({
    name: JSON.stringify(host),
    url: (scheme, port) => `${scheme}://${host}${port === undefined ? '' : `:${port}`}/hook`,
  }));

/** URLs that parsers read differently: the WHATWG parser, which the product uses, reads 127.0.0.1 in all of them. */
const SHAPES: readonly [string, (host: string) => string][] = [
  ['backslashes', (host) => `\\\\${host}\\hook`],
  ['a backslash before @', (host) => `//${host}\\@example.org/`],
  ['no slashes', (host) => `${host}/hook`],
  ['too many slashes', (host) => `////${host}/hook`],
  ['a tab in the slashes', (host) => `/\t/${host}/hook`],
  ['two users', (host) => `//a@b@${host}/hook`],
  ['a question mark before @', (host) => `//${host}?@example.org/`],
];
const shapes: Form[] = SHAPES.map(([name, shape]) => ({
  name,
  url: (scheme, port) => `${scheme}:${shape(port === undefined ? '127.0.0.1' : `127.0.0.1:${port}`)}`,
}));

/** Forms that lead to this machine without a guard. */
export const LOOPBACK: readonly Form[] = [...hosts(LOOPBACK_HOSTS), ...shapes, ...hosts(LOOPBACK_NAMES)];

/** Every form of an internal address. */
export const INTERNAL: readonly Form[] = [...LOOPBACK, ...hosts(ELSEWHERE)];
