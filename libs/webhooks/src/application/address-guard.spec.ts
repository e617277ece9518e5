import fc from 'fast-check';
import { isIP } from 'node:net';
import { addressFault, insecureAddressFault, isPublicUnicast } from './address-guard';
import { words } from '../../../../test/setup/words';

const RUNS = { numRuns: 10_000 };

interface Block {
  readonly first: bigint;
  readonly last: bigint;
}

/**
 * IANA's registries of special-purpose, multicast and reserved addresses, copied manually. No code of the
 * product or of its libraries is asked.
 */
const SPECIAL_V4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, where clouds keep their credentials
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, with the broadcast address
].map((text) => block(text));
const GLOBAL_V6 = block('2000:0:0:0:0:0:0:0/3');
const SPECIAL_V6 = [
  '2001:0:0:0:0:0:0:0/23', // protocol assignments: Teredo, benchmarks, ORCHID, AMT, AS112…
  '2001:db8:0:0:0:0:0:0/32', // documentation
  '2002:0:0:0:0:0:0:0/16', // 6to4: an IPv4 address in another form
  '2620:4f:8000:0:0:0:0:0/48', // AS112
  '3fff:0:0:0:0:0:0:0/20', // documentation
].map((text) => block(text));
/** All of them lie outside 2000::/3; they are named for their borders. */
const OTHER_V6 = [
  '0:0:0:0:0:0:0:0/96', // unspecified, loopback, IPv4-compatible
  '0:0:0:0:0:ffff:0:0/96', // IPv4-mapped
  '0:0:0:0:ffff:0:0:0/96', // IPv4-translated
  '64:ff9b:0:0:0:0:0:0/96', // NAT64
  '64:ff9b:1:0:0:0:0:0/48', // NAT64 within a network
  '100:0:0:0:0:0:0:0/64', // discard
  '100:0:0:1:0:0:0:0/64', // dummy
  '5f00:0:0:0:0:0:0:0/16', // segment routing
  'fc00:0:0:0:0:0:0:0/7', // unique local
  'fe80:0:0:0:0:0:0:0/10', // link-local
  'fec0:0:0:0:0:0:0:0/10', // site-local
  'ff00:0:0:0:0:0:0:0/8', // multicast
].map((text) => block(text));

function block(text: string): Block {
  const [address, length] = text.split('/') as [string, string];
  const isV4 = address.includes('.');
  const [parts, bits, base] = isV4 ? [address.split('.'), 8n, 10] : [address.split(':'), 16n, 16];
  const first = parts.reduce((value, part) => (value << bits) | BigInt(parseInt(part, base)), 0n);
  const size = 1n << ((isV4 ? 32n : 128n) - BigInt(length));
  return { first, last: first + size - 1n };
}

const isIn = (value: bigint, { first, last }: Block): boolean => value >= first && value <= last;
const isPublicV4 = (value: bigint): boolean => !SPECIAL_V4.some((one) => isIn(value, one));
const isPublicV6 = (value: bigint): boolean =>
  isIn(value, GLOBAL_V6) && !SPECIAL_V6.some((one) => isIn(value, one));

const partsOf = (value: bigint, count: number, bits: bigint): number[] =>
  Array.from({ length: count }, (_, index) =>
    Number((value >> (BigInt(count - 1 - index) * bits)) & ((1n << bits) - 1n)),
  );
const dotted = (value: bigint): string => partsOf(value, 4, 8n).join('.');

/** The ways in which one address is written. */
const V6_FORMS: ((value: bigint) => string)[] = [
  (value) => hex(value).join(':'),
  (value) => hex(value).join(':').toUpperCase(),
  (value) =>
    hex(value)
      .map((part) => part.padStart(4, '0'))
      .join(':'),
  // The shortest, as WHATWG writes it.
  (value) => new URL(`http://[${hex(value).join(':')}]/`).hostname.slice(1, -1),
  (value) => `${hex(value).slice(0, 6).join(':')}:${dotted(value & 0xffff_ffffn)}`,
];
const hex = (value: bigint): string[] => partsOf(value, 8, 16n).map((part) => part.toString(16));

/** Anywhere, within a block, or within a few of one of its ends. */
function addresses(blocks: readonly Block[], bits: bigint): fc.Arbitrary<bigint> {
  const most = (1n << bits) - 1n;
  const within = fc.constantFrom(...blocks).chain(({ first, last }) => fc.bigInt({ min: first, max: last }));
  const border = fc
    .tuple(fc.constantFrom(...blocks), fc.boolean(), fc.integer({ min: -2, max: 2 }))
    .map(([{ first, last }, atFirst, by]) => (atFirst ? first : last) + BigInt(by))
    .map((value) => (value < 0n ? 0n : value > most ? most : value));
  return fc.oneof(fc.bigInt({ min: 0n, max: most }), within, { weight: 3, arbitrary: border });
}
const v4 = addresses(SPECIAL_V4, 32n);
const v6 = addresses([GLOBAL_V6, ...SPECIAL_V6, ...OTHER_V6], 128n);

describe('isPublicUnicast, against IANA’s registries', () => {
  it('IPv4 addresses', () => {
    fc.assert(
      fc.property(v4, (value) => isPublicUnicast(dotted(value)) === isPublicV4(value)),
      RUNS,
    );
  });

  it('IPv6 addresses, however they are written', () => {
    fc.assert(
      fc.property(v6, fc.constantFrom(...V6_FORMS), (value, form) => {
        const text = form(value);
        return isIP(text) === 6 && isPublicUnicast(text) === isPublicV6(value);
      }),
      RUNS,
    );
  });

  it('both ends of every block, and their neighbours outside', () => {
    for (const { first, last } of SPECIAL_V4) {
      expect([dotted(first), isPublicUnicast(dotted(first))]).toEqual([dotted(first), false]);
      expect([dotted(last), isPublicUnicast(dotted(last))]).toEqual([dotted(last), false]);
      for (const value of [first - 1n, last + 1n].filter((one) => one >= 0n && one < 1n << 32n))
        expect([dotted(value), isPublicUnicast(dotted(value))]).toEqual([dotted(value), isPublicV4(value)]);
    }
    for (const { first, last } of [GLOBAL_V6, ...SPECIAL_V6, ...OTHER_V6]) {
      for (const value of [first - 1n, first, last, last + 1n].filter(
        (one) => one >= 0n && one < 1n << 128n,
      )) {
        const text = V6_FORMS[3]!(value);
        expect([text, isPublicUnicast(text)]).toEqual([text, isPublicV6(value)]);
      }
    }
  });

  it('the oracle and the guard both know public addresses', () => {
    for (const text of ['8.8.8.8', '1.1.1.1', '142.250.69.67', '192.0.1.1', '223.255.255.255', '172.32.0.1'])
      expect([text, isPublicUnicast(text), isPublicV4(block(`${text}/32`).first)]).toEqual([
        text,
        true,
        true,
      ]);
    for (const text of ['2606:4700:4700::1111', '2001:4860:4860::8888', '2a00::1', '2001:200::1', '2003::1'])
      expect([text, isPublicUnicast(text)]).toEqual([text, true]);
  });

  it('an IPv4 address in any IPv6 form of it is never public, not even a public one', () => {
    const forms: ((value: bigint) => string)[] = [
      (value) => `::ffff:${dotted(value)}`,
      (value) => `::FFFF:${hex(value).slice(6).join(':')}`,
      (value) => `0:0:0:0:0:ffff:${hex(value).slice(6).join(':')}`,
      (value) => `::${dotted(value)}`,
      (value) => `::ffff:0:${dotted(value)}`,
      (value) => `64:ff9b::${dotted(value)}`,
      (value) => `64:ff9b:1::${dotted(value)}`,
      (value) => `64:ff9b:1:abcd::${dotted(value)}`,
      (value) => `2002:${hex(value).slice(6).join(':')}::1`,
      (value) => `2001:0:${hex(value).slice(6).join(':')}::1`,
    ];
    const all = fc.oneof(v4, fc.constant(0x0808_0808n));
    fc.assert(
      fc.property(all, fc.constantFrom(...forms), (value, form) => {
        const text = form(value);
        return isIP(text) === 6 && !isPublicUnicast(text);
      }),
      RUNS,
    );
  });

  it('zones do not make an address public, and neither do notations of IPv4 that only some know', () => {
    for (const text of words(`
      fe80::1%eth0 ::1%lo fe80::1%25eth0 ::ffff:127.0.0.1%1 2130706433 0177.0.0.1 017700000001 0x7f.1
      0x7f000001 127.1 127.0.1 10.1 0xa9fea9fe 0251.0376.0251.0376 0
    `))
      expect([text, isPublicUnicast(text)]).toEqual([text, false]);
  });

  it('an invalid address is not public', () => {
    const rubbish = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc
        .string({ unit: fc.constantFrom(...'0123456789abcdefx:.%/[] \n') })
        .filter((text) => !/^[\dx.a-f]+$/.test(text)),
      fc.constantFrom(
        '8.8.8.8 ',
        ' 8.8.8.8',
        '8.8.8.8.',
        '8.8.8.8/8',
        '8.8.8.256',
        '[2606::1]',
        '2606::1::2',
      ),
      fc.constantFrom(
        '8.8.8.8\n',
        '８.8.8.8',
        '2606:4700::1111%',
        'example.org',
        '',
        '.',
        ':',
        '%',
        '-1',
        '8.8.8.8.8',
      ),
    );
    fc.assert(
      fc.property(rubbish, (text) => isIP(text) !== 0 || /^\d+$/.test(text) || !isPublicUnicast(text)),
      RUNS,
    );
  });
});

describe('addressFault', () => {
  it.each(
    words(`
    https://example.org https://example.org/ https://example.org:443/hook?key=a%20b
    https://sub.example.org./hook HTTPS://EXAMPLE.ORG/ https://bücher.example/ https://8.8.8.8/hook
    https://[2606:4700:4700::1111]/hook https://localhost.example.org/ https://internal.example.org/
    https://127.0.0.1.example.org/
  `),
  )('%s may be registered', (url) => {
    expect(addressFault(url)).toBeUndefined();
    expect(insecureAddressFault(url)).toBeUndefined();
  });

  it.each([
    ['', /is not an address/],
    ['example.org', /is not an address/],
    ['//example.org/', /is not an address/],
    ['https://', /is not an address/],
    ['https://exa mple.org/', /is not an address/],
    ['https://[::1/', /is not an address/],
    ['https://[fe80::1%25eth0]/', /is not an address/],
    ['https://1.2.3.256/', /is not an address/],
    ['https://example.org:99999/', /is not an address/],
    ['http://example.org/', /must begin with https/],
    ['ftp://example.org/', /must begin with https/],
    ['file:///etc/passwd', /must begin with https/],
    ['javascript:alert(1)', /must begin with https/],
    ['https://example.org:80/', /port 443/],
    ['https://example.org:8443/', /port 443/],
    ['https://127.0.0.1:6379/', /port 443/],
    ['https://user@example.org/', /user or a password/],
    ['https://:secret@example.org/', /user or a password/],
    ['https://example.org@127.0.0.1/', /user or a password/],
    ['https://example.org/#part', /fragment/],
    ['https://example.org/#', /fragment/],
    ['https://example.org#@127.0.0.1/', /fragment/],
  ])('%s: %s', (url, fault) => {
    expect(addressFault(url)?.en).toMatch(fault);
  });

  it.each([
    ...words(`
    https://localhost/ https://LOCALHOST/ https://localhost./ https://a.localhost/ https://a.localhost./
    https://printer.local/ https://metadata.google.internal/ https://router.home.arpa/ https://intranet/
    https://2130706433/ https://0x7f000001/ https://017700000001/ https://0177.0.0.1/ https://0x7f.1/
    https://127.1/ https://127.0.0.1./ https://127%2e0%2e0%2e1/ https://%31%32%37.0.0.1/ https://0/
    https://10.1.2.3/ https://172.16.0.1/ https://192.168.1.1/ https://100.64.0.1/
    https://169.254.169.254/latest/meta-data/ https://0xa9fea9fe/ https://224.0.0.1/
    https://255.255.255.255/ https://[::1]/ https://[::]/ https://[::ffff:8.8.8.8]/
    https://[::ffff:7f00:1]/ https://[::127.0.0.1]/ https://[64:ff9b::7f00:1]/ https://[2002:7f00:1::]/
    https://[fe80::1]/ https://[fd00:ec2::254]/ https:127.0.0.1 https:///127.0.0.1/
  `),
    'https://１２７.0.0.1/',
    'https://①②⑦.⓪.⓪.①/',
    'https://127。0。0。1/',
    'https:\\\\127.0.0.1\\',
    'https://127.0.0.1\\@example.org/',
    ' \thttps://127.\n0.0.1/',
    'https://loc\talhost/',
    'https://lo­calhost/',
  ])('%j is not of the public internet', (url) => {
    expect(addressFault(url)?.en).toBe('must be on the public internet');
  });
});

describe('insecureAddressFault', () => {
  it.each(['http://127.0.0.1:8080/hook', 'http://localhost/', 'https://[::1]:9/', 'http://worker:3000/'])(
    '%s may be registered in development',
    (url) => {
      expect(insecureAddressFault(url)).toBeUndefined();
    },
  );

  it.each([
    '',
    'localhost:3000',
    'ftp://localhost/',
    'file:///etc/passwd',
    'http://user@localhost/',
    'http://:secret@localhost/',
    'http://localhost/#part',
    'http://localhost/#',
  ])('%j may not even then', (url) => {
    expect(insecureAddressFault(url)?.en).toMatch(/^is not an address/);
  });
});
