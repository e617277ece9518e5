import { gunzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleOf, canonical, optionId, questionId, type Spec } from './support/bundle';
import { DENSE_RESULTS, RESULTS, SAMPLE, SEED } from './support/sample';
import { differences as encryptedDifferences } from './encrypted/support/check';
import { type Report, run } from './support/verifier';
import { type Plain, recountedItems, toutOf, verified } from './support/vote';

const FIXTURES = join(__dirname, 'fixtures');

/** Returns the figures that differ. */
const differences = (spec: Spec): string[] =>
  verified(bundleOf(spec)).findings.differences.map(({ fichier, chiffre }) => `${fichier}: ${chiffre}`);

const sample = (change: Partial<Spec>): string[] => differences({ ...SAMPLE, resultats: RESULTS, ...change });

describe('version 1', () => {
  it('a bundle that the service built in version 1 is equal, with its roll', () => {
    const files = Object.fromEntries(
      ['dossier.tar', 'jwks.json', 'emargement.ndjson'].map((name) => [
        name,
        gunzipSync(readFileSync(join(FIXTURES, `version-1.${name}.gz`))),
      ]),
    );
    const args = ['dossier.tar', '--cles', 'jwks.json', '--emargement', 'emargement.ndjson', '--json'];
    const { status, stdout } = run(files, args);
    expect([status, (JSON.parse(stdout) as Report).differences]).toEqual([0, []]);
    expect(canonical(JSON.parse(stdout))).toContain('filters');
  });

  it('a vote that was counted manually is equal, with all options of its filters', () => {
    expect(sample({ version: 1, resultats: DENSE_RESULTS })).toEqual([]);
  });

  it('a bundle without the options that have no votes is refused', () => {
    expect(sample({ version: 1 })).toContain(
      'resultats.json: filtres[0].questions[2].Options: number of items',
    );
  });

  it('a bundle with the commitment of the seed is refused', () => {
    const forge = (files: Map<string, Buffer>): unknown =>
      files.set(
        'scrutin.json',
        Buffer.from(canonical({ ...subjectIn(files), empreinteGraineDepartage: '' })),
      );
    expect(sample({ version: 1, resultats: DENSE_RESULTS, forge })).toEqual([
      'scrutin.json: empreinteGraineDepartage',
    ]);
  });
});

const subjectIn = (files: Map<string, Buffer>): Record<string, unknown> =>
  JSON.parse(files.get('scrutin.json')!.toString()) as Record<string, unknown>;

/** Two voters of a union choose in the first question. The second one has no answers. The other union abstains. */
const QUIET: Plain = {
  questions: [
    { Type: 'ChoixLibre', EstPreferentiel: false, MaxReponses: 1, options: [...'ABC'] },
    { Type: 'ChoixLibre', EstPreferentiel: false, MaxReponses: 1, options: [...'XY'] },
  ],
  ballots: [
    { classe: 1, syndicat: 'SYN-1', reponses: [[0], []] },
    { classe: 1, syndicat: 'SYN-1', reponses: [[2], []] },
    { classe: 2, syndicat: 'SYN-2', reponses: [[], []] },
  ],
};

const figures = (option: number, Votes = 1, PoidsTotal = '1', Pourcentage = '50'): object => ({
  ...{ OptionId: optionId(0, option), Votes, PoidsTotal, Pourcentage },
});
const ANSWERED = {
  ...{ QuestionId: questionId(0), Exprimes: 2, Abstentions: 0 },
  Options: [figures(0), figures(2)],
};
const filter = (syndicat: string, voters: number, questions: object[]): object => ({
  ...{ syndicatIdExterne: syndicat, employeurIdentifiantExterne: null, tauxParticipation: '100', questions },
  ...{ totalVotants: voters, totalVotantsAvecDroitDeVote: voters, votantsAyantVote: voters },
});
const UNION = filter('SYN-1', 2, [ANSWERED]);
const QUIET_UNION = filter('SYN-2', 1, []);

const quiet = (filtres: readonly object[]): string[] =>
  differences({ ...QUIET, resultats: { filtres, tout: toutOf(QUIET, recountedItems(QUIET)) } });

describe('version 2', () => {
  it('a filter without unanswered questions and options without votes is equal', () => {
    expect(quiet([UNION, QUIET_UNION])).toEqual([]);
  });

  const unanswered = { QuestionId: questionId(1), Exprimes: 0, Abstentions: 2, Options: [] };
  const withOptions = (...Options: object[]): object => filter('SYN-1', 2, [{ ...ANSWERED, Options }]);
  it.each<[string, object[], string]>([
    [
      'an option without votes',
      [withOptions(figures(0), figures(1, 0, '0', '0'), figures(2)), QUIET_UNION],
      'filtres[0].questions[0].Options: number of items',
    ],
    [
      'a missing option with a vote',
      [withOptions(figures(0)), QUIET_UNION],
      'filtres[0].questions[0].Options: number of items',
    ],
    [
      'an unanswered question',
      [filter('SYN-1', 2, [ANSWERED, unanswered]), QUIET_UNION],
      'filtres[0].questions: number of items',
    ],
    [
      'a missing question with answers',
      [filter('SYN-1', 2, []), QUIET_UNION],
      'filtres[0].questions: number of items',
    ],
    ['a missing filter of voters who abstained', [UNION], 'filtres: ["SYN-2",null]'],
    ['a filter without ballots', [UNION, QUIET_UNION, filter('SYN-3', 0, [])], 'filtres[2]'],
    [
      'options in another order',
      [withOptions(figures(2), figures(0)), QUIET_UNION],
      'filtres[0].questions[0].Options[0].OptionId',
    ],
  ])('a bundle with %s is refused', (_, filtres, found) => {
    expect(quiet(filtres)).toContain(`resultats.json: ${found}`);
  });

  it('a bundle with all options is refused', () => {
    expect(sample({ resultats: DENSE_RESULTS })).not.toEqual([]);
  });

  const SEED_CHECK = 'scrutin.json: SHA-256 of graineDepartage (empreinteGraineDepartage)';
  const withSubject = (change: Record<string, unknown>): string[] =>
    sample({
      forge: (files) =>
        files.set(
          'scrutin.json',
          // Without the members that are undefined.
          Buffer.from(canonical(JSON.parse(JSON.stringify({ ...subjectIn(files), ...change })))),
        ),
    });
  it.each<[string, Record<string, unknown>, string]>([
    ['another commitment', { empreinteGraineDepartage: 'ab'.repeat(32) }, SEED_CHECK],
    ['a seed that was changed', { graineDepartage: `${SEED}00` }, SEED_CHECK],
    ['a seed that is no hex', { graineDepartage: 'Z3JhaW5l' }, SEED_CHECK],
    ['a seed in capital hex', { graineDepartage: SEED.toUpperCase() }, SEED_CHECK],
    [
      'a commitment of one byte',
      { empreinteGraineDepartage: 'ab' },
      'scrutin.json: empreinteGraineDepartage',
    ],
    [
      'a missing commitment',
      { empreinteGraineDepartage: undefined },
      'scrutin.json: empreinteGraineDepartage',
    ],
  ])('a bundle with %s is refused', (_, change, found) => {
    expect(withSubject(change)).toContain(found);
  });

  it('names the commitment, for comparison with that of the campaign', () => {
    const { checks } = verified(bundleOf({ ...SAMPLE, resultats: RESULTS })).findings;
    expect(checks.some(({ en }) => /^scrutin.json: .* commitment [0-9a-f]{64}$/.test(en))).toBe(true);
  });
});

it('an unknown version cannot be read', () => {
  const read = () => sample({ forgeManifest: (manifest) => (manifest['version'] = 5) });
  expect(read).toThrow('no such member');
});

describe('version 4', () => {
  it('is no plain vote', () => {
    expect(() => sample({ version: 4 })).toThrow('The vote is encrypted');
  });

  it('without keys of guardians differs; version 3 with them, too', async () => {
    const plain = bundleOf({ ...SAMPLE, resultats: RESULTS, version: 4 });
    expect(await encryptedDifferences(plain)).toContain('scrutin.json: chiffrement');
    const forge = (files: Map<string, Buffer>): unknown =>
      files.set('scrutin.json', Buffer.from(canonical({ ...subjectIn(files), chiffrement: {} })));
    expect(sample({ version: 3, forge })).toContain('scrutin.json: chiffrement');
  });
});

describe('version 3', () => {
  it('a bundle with the digests of the roll’s lists is equal; so is one of version 2', () => {
    expect(sample({ version: 3 })).toEqual([]);
    expect(sample({ version: 2 })).toEqual([]);
  });

  it.each<[string, (manifest: Record<string, unknown>) => unknown]>([
    ['no digests', (manifest) => delete manifest['listes']],
    [
      'a digest that is none',
      (manifest) => (manifest['listes'] = { nombre: 1, empreinteCriteres: '', empreinteMotifs: '' }),
    ],
    ['version 2', (manifest) => (manifest['version'] = 2)],
  ])('a manifest with %s cannot be read', (_what, forgeManifest) => {
    expect(() => sample({ forgeManifest })).toThrow('manifeste.json cannot be read');
  });
});
