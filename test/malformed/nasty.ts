import fc from 'fast-check';
import { METHODS } from 'node:http';

/** Values that callers send by mistake or on purpose, for every part of a request. */

const DEEP = 100_000;
const GUID = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4b11';

const dates = [
  '+275760-09-13T00:00:00Z',
  '275760-09-13T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '0000-01-01T00:00:00Z',
  '2026-02-30',
  '2025-02-29T00:00:00Z',
  '2016-12-31T23:59:60Z',
  '2026-01-31T24:00:00Z',
  '2026-01-31T13:00:00',
  '2026-01-31T13:00:00+99:99',
  '0001-01-01T00:00:00+23:59',
  '9999-12-31T23:59:59-23:59',
  '1800-01-01T00:00:00Z',
  '31/01/2026',
  '1764000000000',
];

const texts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udc00',
  '\u001f\u007f\u0085',
  '\ufeff\uffff\ufffe',
  '\u202e\u2028\u2029\u200f',
  "'; DROP TABLE employe; --",
  "' OR '1'='1",
  '%',
  '_%_',
  '\\',
  '\\N',
  '\\.',
  '"',
  '$1',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'NaN',
  '🏳️‍🌈',
  'x'.repeat(255),
  'x'.repeat(256),
  'x'.repeat(3_000),
  '😀'.repeat(255),
  // Each is two characters that some rules of length count as one.
  '☎\ufe0f'.repeat(200),
  'e\u0301'.repeat(255),
  `${'x'.repeat(300)}@example.org`,
  `${'@'.repeat(3_000)}`,
  GUID.toUpperCase(),
  ...dates,
];

const deep = (open: string, inner: string, close: string): string =>
  open.repeat(DEEP) + inner + close.repeat(DEEP);

/** JSON texts of values that no property expects. */
export const jsonValue: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...texts).map((text) => JSON.stringify(text)) },
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      ...['null', 'true', 'false', '0', '-0', '-1', '1.5', '1e999', '-1e999', '1e-999', '9007199254740993'],
      ...[
        '2147483648',
        '9223372036854775808',
        '9'.repeat(400),
        '[]',
        '{}',
        '[null]',
        '[[]]',
        '[{}]',
        '[1,[2]]',
      ],
      ...[
        '{"__proto__":null}',
        '{"constructor":{"prototype":{}}}',
        '{"toString":1}',
        '{"length":-1}',
        '{"then":1}',
      ],
    ),
  },
  { weight: 3, arbitrary: fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)) },
  { weight: 3, arbitrary: fc.json({ maxDepth: 3 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      deep('[', '', ']'),
      deep('{"a":', '1', '}'),
      deep('[{"nom":', '[]', '}]'),
      deep('[', '', ''),
    ),
  },
);

/** JSON texts of property names. */
export const jsonKey: fc.Arbitrary<string> = fc
  .oneof(
    fc.constantFrom(...texts),
    fc.constantFrom(
      'nom',
      'Nom',
      'idExterne',
      'IDEXTERNE',
      'tenantId',
      'idUnique',
      'drapeaux',
      'a~b/c',
      'valueOf',
    ),
  )
  .map((text) => JSON.stringify(text));

/** Texts after a JSON text that are not part of it. */
export const jsonTail = fc.constantFrom('}', ',', ']]', '{}', '\u0000', '// x', 'null', ' '.repeat(1000));

/** Bytes that are no UTF-8, or are where they do not belong. */
export const bytes: fc.Arbitrary<Buffer> = fc.oneof(
  fc
    .constantFrom(
      '80',
      'c0af',
      'c080',
      'eda080',
      'eda0bdedb880',
      'f4908080',
      'ff',
      'fffe',
      'e282',
      '00',
      '0a',
      'e280a8',
    )
    .map((hex) => Buffer.from(hex, 'hex')),
  fc.uint8Array({ minLength: 1, maxLength: 8 }).map((array) => Buffer.from(array)),
);

const encoded = texts.map((text) => encodeURIComponent(text.toWellFormed()));
const misencoded = [
  ...[
    '%00',
    '%E0%A4%A',
    '%',
    '%zz',
    '%C0%AF',
    '%c0%80',
    '%ED%A0%80',
    '%F4%90%80%80',
    '%FF',
    '%u0041',
    '%25',
    '%252e',
  ],
  ...[
    '\xff\xfe',
    '\xc3\xa9',
    '\x80',
    "'",
    '"',
    '\\',
    '<>',
    '{}',
    '|',
    '^',
    '`',
    '[',
    ']',
    ';a=b',
    ':x',
    '@',
    '!',
    '~',
    '+',
  ],
];

/** Parts of a path as they are sent. */
export const pathPart: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...encoded),
  fc.constantFrom(...misencoded),
  fc.constantFrom(
    '.',
    '..',
    '%2e%2e',
    '..%2f..%2fetc%2fpasswd',
    '%2F',
    '%0d%0aX:y',
    '%20',
    'swagger-ui.css',
    'sync',
    '*',
    ':idExterne',
  ),
  fc.constantFrom(
    GUID,
    `{${GUID}}`,
    GUID.replaceAll('-', ''),
    `urn:uuid:${GUID}`,
    `${GUID}x`,
    'a'.repeat(3_000),
    '%F0%9F%98%80'.repeat(256),
  ),
);

const cursor = (text: string): string => Buffer.from(text).toString('base64url');

export const queryName: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    'limite',
    'curseur',
    'modifieDepuis',
    'simulation',
    'Limite',
    'limite[]',
    'a[b]',
    'limite[$gt]',
  ),
  fc.constantFrom(
    '__proto__',
    '__proto__[x]',
    'constructor',
    'toString',
    'hasOwnProperty',
    '',
    'x'.repeat(3_000),
  ),
  fc.constantFrom(...encoded, ...misencoded),
);

export const queryValue: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...encoded),
  fc.constantFrom(...misencoded),
  fc.constantFrom(
    '',
    '1',
    '007',
    '0',
    '-1',
    '1001',
    '1e3',
    '0x10',
    '1.5',
    '9'.repeat(400),
    'true',
    'TRUE',
    '2026-01-31T08:00:00+05:00',
  ),
  fc
    .constantFrom(
      '0',
      '-1',
      '999999999999999',
      '-999999999999999',
      '-210866803200001',
      '1764000000000',
      '99999999999999999',
    )
    .map((time) => cursor(`${time}.${GUID}`)),
  fc.constantFrom(cursor(`NaN.${GUID}`), cursor(`1.'; --`), cursor('\u0000'), '=', '&', '#', '?', '&&&=&='),
);

const junk = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    ',',
    ',,,',
    '*',
    '"',
    '""',
    '"x"',
    'W/"x"',
    '"x", "y"',
    '\xe9\xff',
    '\t',
    'é'.repeat(10),
    'x'.repeat(255),
  ),
  fc.constantFrom(
    'x'.repeat(256),
    'x'.repeat(8_000),
    '__proto__',
    'undefined',
    '%00',
    "'; --",
    '-1',
    '9'.repeat(30),
    GUID,
  ),
);

/** Headers; undefined takes the header away. */
export const header: fc.Arbitrary<[name: string, value: string | string[] | undefined]> = fc.oneof(
  fc.tuple(
    fc.constant('Content-Type'),
    fc.constantFrom(
      ...[
        undefined,
        '',
        'text/plain',
        'application/xml',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
      ],
      ...[
        'application/json; charset=utf-16',
        'application/json; charset=latin1',
        'application/json;charset="UTF-8"',
        'application/json;',
      ],
      ...[
        'application/problem+json',
        'application/json, text/plain',
        'APPLICATION/JSON',
        'json',
        'application/json; charset=__proto__',
        '\xff',
      ],
    ),
  ),
  fc.tuple(
    fc.constant('Content-Encoding'),
    fc.constantFrom('gzip', 'br', 'deflate', 'compress', 'identity', 'gzip, gzip', 'x', '__proto__', ''),
  ),
  fc.tuple(
    fc.constantFrom(
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      'traceparent',
      'X-Request-Id',
      'X-Api-Key',
      'Range',
      'Prefer',
    ),
    fc.oneof(junk, fc.tuple(junk, junk)),
  ),
  fc.tuple(fc.constant('Idempotency-Key'), fc.constantFrom('key-1', 'key-2', 'key-3')),
  fc.tuple(
    fc.constant('X-Api-Key'),
    fc.constantFrom(undefined, `mdt_stg_${'0'.repeat(36)}`, `mdt_prod_${'Z'.repeat(36)}`, 'mdt_admin_'),
  ),
  fc.tuple(
    fc.constant('traceparent'),
    fc.constantFrom(
      `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`,
      `00-${'a'.repeat(32)}-${'b'.repeat(16)}-ff`,
      `ff-${'a'.repeat(32)}`,
    ),
  ),
  fc.tuple(
    fc.constant('Range'),
    fc.constantFrom('bytes=0-0', 'bytes=99999999-', 'bytes=5-2', 'bytes=0-1,3-4', 'x=1'),
  ),
  fc.tuple(
    fc.constantFrom(
      'Accept',
      'Accept-Encoding',
      'Accept-Language',
      'Cookie',
      'Host',
      'Origin',
      'X-HTTP-Method-Override',
    ),
    junk,
  ),
  fc.tuple(
    fc.constantFrom('If-Modified-Since', 'If-Unmodified-Since'),
    fc.constantFrom('Thu, 01 Jan 1970 00:00:00 GMT', 'x'),
  ),
);

export const method = fc.constantFrom(...METHODS.filter((name) => name !== 'CONNECT'));
