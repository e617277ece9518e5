import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const ROOT = join(__dirname, '../..');

/** Contexts whose rules go by the clock of the data space (docs/adr/0058). */
const CONTEXTS = ['adhesion', 'consent', 'membership', 'voting'];

/** Readings of the real time, in SQL and in TypeScript; not methods of these names. */
const READINGS =
  /(?<!\.|async )\b(?:now|statement_timestamp|clock_timestamp|transaction_timestamp|localtimestamp)\s*\(\s*\)|\bcurrent_(?:date|time|timestamp)\b|\blocaltime(?:stamp)?\b|\bnew Date\(\)|\bDate\.now\b/gi;

/** Readings that `tenant_clock` converts to the clock of the tenant. */
const CONVERTED = /tenant_clock\(\s*(?:now|statement_timestamp|clock_timestamp)\s*\(\s*\)\s*\)/gi;

/** How often a file reads the real time, and why. */
type Reasons = Readonly<Record<string, readonly [count: number, why: string]>>;

const MODIFIED =
  'when a row was last written orders incremental reads and feeds, which continue over a reset';

const REAL_TIME: Reasons = {
  'libs/membership/src/persistence/emploi.sql.ts': [1, MODIFIED],
  'libs/membership/src/persistence/employes-v2.bulk.ts': [1, MODIFIED],
  'libs/membership/src/persistence/employeur.repository.ts': [1, MODIFIED],
  'libs/membership/src/persistence/fusion.repository.ts': [1, MODIFIED],
  'libs/membership/src/persistence/identifiant.repository.ts': [2, MODIFIED],
  'libs/membership/src/persistence/images.sql.ts': [2, MODIFIED],
  'libs/membership/src/persistence/member.repository.ts': [1, MODIFIED],
  'libs/membership/src/persistence/personal-data.sql.ts': [1, MODIFIED],
  'libs/membership/src/persistence/syndicats.bulk.ts': [1, MODIFIED],
  'libs/membership/src/sql/changement_mois.sql': [
    2,
    'tables of the months of the feed, whose ids have the real time',
  ],
  'libs/membership/src/sql/changement_mois_passes.sql': [1, 'a purge'],
  'libs/voting/src/ballot/persistence/engagement.repository.ts': [
    1,
    'how often checkpoints are signed is a limit of work and not a date of the vote',
  ],
  'libs/voting/src/ballot/sql/urne_constater.sql': [
    1,
    'when an administrator decided, as in the audit trail',
  ],
  'libs/voting/src/campagne/persistence/campagne.repository.ts': [1, MODIFIED],
  'libs/voting/src/campagne/persistence/due-campagnes.sql.ts': [
    2,
    'the scheduler reads all tenants: it adds the offset of each to this moment',
  ],
  'libs/voting/src/roll/persistence/votant.repository.ts': [
    1,
    'it is compared with the creation of electoral lists, which is the real time',
  ],
};

/** Sources of the contexts, and the function of the day. */
const sources = globSync(
  [`libs/{${CONTEXTS.join(',')}}/src/**/*.{ts,sql}`, 'libs/clients/src/sql/tenant_*.sql'],
  { cwd: ROOT },
)
  .filter((file) => !file.endsWith('.spec.ts'))
  .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }));

/** Returns a source without its comments. */
function withoutComments(file: string, text: string): string {
  if (file.endsWith('.sql')) return text.replaceAll(/--.*$/gm, '');
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return ts.createPrinter({ removeComments: true }).printFile(source);
}

/** How often each source reads the real time. */
function realTimes(all: readonly { file: string; text: string }[]): Record<string, number> {
  const readings = (text: string): number => [...text.matchAll(READINGS)].length;
  const found = all
    // Only few are worth parsing.
    .filter(({ text }) => readings(text) > 0)
    .map(({ file, text }) => {
      const rest = withoutComments(file, text).replaceAll(CONVERTED, '');
      return [file, readings(rest)] as const;
    });
  return Object.fromEntries(found.filter(([, count]) => count > 0));
}

const allowed = Object.fromEntries(Object.entries(REAL_TIME).map(([file, [count]]) => [file, count]));

describe('rules of votes, consents and memberships', () => {
  it('read the time by the clock of the data space, except where a reason is given', () => {
    expect(sources.length).toBeGreaterThan(200);
    expect(realTimes(sources)).toEqual(allowed);
  });

  it('some of them do: the search looks where they are', () => {
    const converted = sources.filter(({ text }) => /tenant_clock\(|requestNow\(/.test(text));
    expect(converted.map(({ file }) => file)).toEqual(
      expect.arrayContaining([
        'libs/adhesion/src/application/signing.service.ts',
        'libs/clients/src/sql/tenant_today.sql',
        'libs/consent/src/application/consentements.service.ts',
        'libs/voting/src/ballot/sql/urne_voter.sql',
        'libs/voting/src/campagne/persistence/campagne.sql.ts',
      ]),
    );
  });

  it.each([
    ['libs/voting/src/ballot/sql/urne_voter.sql', 'tenant_clock(clock_timestamp())', 'clock_timestamp()'],
    ['libs/clients/src/sql/tenant_today.sql', 'tenant_clock(now())', 'now()'],
    [
      'libs/voting/src/campagne/persistence/campagne.sql.ts',
      'tenant_clock(statement_timestamp())',
      'statement_timestamp()',
    ],
    [
      'libs/voting/src/campagne/persistence/campagne.repository.ts',
      'tenant_clock(clock_timestamp())',
      'current_timestamp',
    ],
    ['libs/consent/src/application/consentements.service.ts', 'requestNow()', 'new Date()'],
    ['libs/adhesion/src/application/signing.service.ts', 'requestNow()', 'new Date(Date.now())'],
  ])('control: %s with an unconverted reading is found', (file, from, to) => {
    const source = sources.find((one) => one.file === file)!;
    expect(source.text).toContain(from);
    const broken = sources.map((one) => (one === source ? { file, text: one.text.replace(from, to) } : one));
    expect(realTimes(broken)).not.toEqual(allowed);
  });

  it('control: a reading in a comment is none', () => {
    const file = 'libs/voting/src/campagne/sql/campagne_etat.sql';
    expect(realTimes([{ file, text: '-- now()\nSELECT 1' }])).toEqual({});
    expect(realTimes([{ file: 'a.ts', text: '/** `now()` */ const a = 1; // Date.now()' }])).toEqual({});
  });
});
