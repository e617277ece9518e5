import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleOf, canonical, tarOf } from './support/bundle';
import { RESULTS, SAMPLE } from './support/sample';
import { type Files, run, type Run, withFiles } from './support/verifier';

const made = bundleOf({ ...SAMPLE, resultats: RESULTS });
const given: Files = { 'dossier.tar': made.tar, 'jwks.json': made.jwks };
const BASIC = ['dossier.tar', '--cles', 'jwks.json'];

/** Expects an exit with a message and without a stack trace. */
function expectRefused({ status, stdout, stderr }: Run, code: number): void {
  expect(status).toBe(code);
  expect(stdout + stderr).not.toMatch(/\n\s+at |node:internal|TypeError|RangeError|undefined/);
  if (code === 2) expect(stderr).toMatch(/^mandat-verify: .+\n$/);
  else expect(stdout).toMatch(/expected .*, found /);
}

describe('wrong usage: exit 2 and what to do', () => {
  it.each([
    ['no arguments', [], 'Name one bundle'],
    ['no keys', ['dossier.tar'], 'with --cles'],
    ['two bundles', ['a', 'b', '--cles', 'jwks.json'], 'Name one bundle'],
    ['an unknown option', [...BASIC, '--autre'], "'--autre'"],
    ['another language', [...BASIC, '--langue', 'de'], 'fr or en'],
    ['an option without a value', [...BASIC, '--recu'], "'--recu"],
    ['a bundle that is missing', ['other.tar', '--cles', 'jwks.json'], 'Give the path of the bundle'],
    ['a bundle that is a folder', ['.', '--cles', 'jwks.json'], 'it is no file'],
    ['keys that are missing', ['dossier.tar', '--cles', 'other.json'], 'other.json cannot be read'],
    ['keys that are no JSON', ['dossier.tar', '--cles', 'dossier.tar'], 'GET /.well-known/jwks.json'],
    ['a note that is missing', [...BASIC, '--engagement', 'other'], 'other cannot be read'],
    ['a roll that is missing', [...BASIC, '--emargement', 'other'], 'other cannot be opened'],
    ['a report that cannot be written', [...BASIC, '--rapport', 'no/where.html'], 'cannot be written'],
  ])('%s', (_, args, message) => {
    const result = run(given, args);
    expectRefused(result, 2);
    expect(result.stderr).toContain(message);
  });

  it('with --json the reason is in the object', () => {
    const { status, stdout, stderr } = run({}, ['x.tar', '--cles', 'y', '--json']);
    expect([status, stderr]).toEqual([2, '']);
    expect(JSON.parse(stdout)).toEqual({
      verdict: 'illisible',
      erreur: expect.stringContaining('y cannot be read'),
    });
  });
});

describe('a bundle that is none: exit 2', () => {
  const header = (change: (bytes: Buffer) => void): Buffer => {
    const bytes = Buffer.from(made.tar);
    change(bytes);
    const blank = Buffer.from(bytes.subarray(0, 512)).fill(' ', 148, 156);
    const checksum = blank.reduce((all, byte) => all + byte, 0);
    bytes.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
    return bytes;
  };
  it.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(10_240)],
    ['text', Buffer.from('no tar\n'.repeat(512))],
    ['half of a tar', made.tar.subarray(0, 1536)],
    ['a huge size', header((bytes) => bytes.write('77777777777', 124, 'latin1'))],
    ['a size in another base', header((bytes) => bytes.writeUInt32BE(0x80000001, 124))],
    ['a link', header((bytes) => bytes.write('2', 156, 'latin1'))],
    ['a name that leads elsewhere', header((bytes) => bytes.write('../../etc/passwd\0', 0, 'latin1'))],
    ['a manifest that is no JSON', tarOf([['manifeste.json', Buffer.from('{')]])],
    [
      'a manifest with deep JSON',
      tarOf([['manifeste.json', Buffer.from('['.repeat(200_000) + ']'.repeat(200_000))]]),
    ],
    ['a manifest that is a number', tarOf([['manifeste.json', Buffer.from('1')]])],
    ['a manifest of other bytes', tarOf([['manifeste.json', Buffer.of(0xff, 0xfe)]])],
    ['a manifest that is too large', tarOf([['manifeste.json', Buffer.alloc(1 << 21, '1')]])],
    [
      'very many files',
      tarOf(Array.from({ length: 10_001 }, (_, index) => [`f${index}`, Buffer.alloc(0)] as const)),
    ],
  ])('%s', (_, tar) => expectRefused(run({ ...given, 'dossier.tar': tar }, BASIC), 2));
});

describe('a signed bundle with hostile content: exit 1', () => {
  const DEEP = '['.repeat(300_000) + ']'.repeat(300_000);
  const replaced = (name: string, content: string | Buffer): Files => {
    const { tar } = bundleOf({
      ...{ ...SAMPLE, resultats: RESULTS },
      forge: (files) => files.set(name, Buffer.from(content as string)),
    });
    return { ...given, 'dossier.tar': tar };
  };
  const results = canonical(RESULTS);
  const line = (member: string): string => `{"bulletins":${member},"classe":1,"poids":"1","reponse":[0]}\n`;
  it.each<[string, Files]>([
    ['scrutin.json without members', replaced('scrutin.json', '{}')],
    ['scrutin.json as a list', replaced('scrutin.json', '[]')],
    ['scrutin.json with a prototype', replaced('scrutin.json', '{"__proto__":{"classes":[]}}')],
    ['a deep scrutin.json', replaced('scrutin.json', DEEP)],
    ['a deep resultats.json', replaced('resultats.json', `{"filtres":${DEEP},"tout":{}}`)],
    ['resultats.json as null', replaced('resultats.json', 'null')],
    ['resultats.json without questions', replaced('resultats.json', '{"filtres":[null,1,"x",[]],"tout":{}}')],
    ['resultats.json with a mark at its beginning', replaced('resultats.json', `\ufeff${results}`)],
    [
      'resultats.json with half of a character',
      replaced('resultats.json', results.replace('Élection', '\\ud800')),
    ],
    ['a number that is too large', replaced('questions/00.ndjson', line('1e999'))],
    ['a number of many digits', replaced('questions/00.ndjson', line('9'.repeat(100_000)))],
    ['a number below 0', replaced('questions/00.ndjson', line('-1'))],
    ['a long line', replaced('questions/00.ndjson', 'x'.repeat(3 << 20))],
    ['empty lines', replaced('questions/00.ndjson', '\n'.repeat(1000))],
    ['a deep line', replaced('questions/00.ndjson', `${DEEP}\n`)],
    ['a file of answers that is empty', replaced('questions/00.ndjson', '')],
    [
      'lines of checkpoints that are none',
      replaced('engagements.ndjson', 'null\n{}\n{"note":"","racine":"","taille":1}\n'),
    ],
    ['receipts of another length', replaced('recus.bin', Buffer.alloc(33))],
    ['a roll of another length', replaced('liste.bin', Buffer.alloc(31))],
    ['no roll', replaced('liste.bin', '')],
  ])('%s', (_, files) => expectRefused(run(files, BASIC), 1));

  it.each<[string, string]>([
    ['--engagement', '\n\n\n\n\n'],
    ['--engagement', '{"note":1}\n{\n'],
    ['--preuve', DEEP],
    ['--preuve', '{"Chemin":[]}'],
    ['--votant', 'null'],
    ['--coherence', '{"a":1e300,"de":0,"preuve":[]}'],
    ['--attestation', '..'],
    ['--attestation', 'a.b.c.d'],
    ['--emargement', 'x'.repeat(1 << 18)],
    ['--emargement', `{}\nnull\n${DEEP.slice(0, 30_000)}\n\u0000`],
  ])('%s with other content', (option, content) =>
    expectRefused(run({ ...given, file: content }, [...BASIC, option, 'file']), 1),
  );
});

describe('text of the bundle', () => {
  const titre = '<script>alert(1)</script> & "x" \u001b[31m \u202e';
  const tout = { ...RESULTS.tout, titre };
  const { tar } = bundleOf({ ...SAMPLE, titre, resultats: { ...RESULTS, tout } });

  it('is escaped in the report, which loads nothing', () => {
    const html = withFiles({ ...given, 'dossier.tar': tar }, (folder) => {
      const files = ['dossier.tar', 'jwks.json', 'report.html'].map((name) => join(folder, name));
      const { status } = run({}, [files[0]!, '--cles', files[1]!, '--rapport', files[2]!]);
      expect(status).toBe(0);
      return readFileSync(files[2]!, 'utf8');
    });
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;x&quot;');
    expect(html).not.toMatch(/<script|<link|<img|<iframe|src=|href=|@import|url\(|[\u001b\u202e]/);
    expect(html).toContain("default-src 'none'");
  });

  it('cannot write control characters to the terminal', () => {
    const { stdout } = run({ ...given, 'dossier.tar': tar }, BASIC);
    expect(stdout).toContain('<script>');
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  });
});
