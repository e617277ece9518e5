import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundleOf, CAMPAIGN, canonical, keyOf, type Spec } from './support/bundle';
import { RESULTS, SAMPLE } from './support/sample';
import { type Files, PACKAGE, type Report, run, type Run, withFiles } from './support/verifier';
import { verified } from './support/vote';

const made = bundleOf({ ...SAMPLE, resultats: RESULTS });
const given: Files = { 'dossier.tar': made.tar, 'jwks.json': made.jwks };
const BASIC = ['dossier.tar', '--cles', 'jwks.json'];
const BIN = join(PACKAGE, 'bin/mandat-verify.js');

/** Runs the verifier with further files and arguments and returns its status and object. */
function check(files: Files, ...args: string[]): { status: number | null; report: Report; found: string[] } {
  const { status, stdout, stderr } = run({ ...given, ...files }, [...BASIC, ...args, '--json']);
  expect(stderr).toBe('');
  const report = JSON.parse(stdout) as Report;
  const found = (report.differences ?? []).map(({ fichier, chiffre }) => `${fichier}: ${chiffre}`);
  return { status, report, found };
}

/** Checks a bundle whose files were changed before the signature. */
const forged = (change: Partial<Spec>): ReturnType<typeof check> =>
  check({ 'dossier.tar': bundleOf({ ...SAMPLE, resultats: RESULTS, ...change }).tar });

/** Changes a file of the bundle as text before the signature. */
const withText = (name: string, from: string | RegExp, to: string): ReturnType<typeof check> =>
  forged({
    forge: (files) => {
      const before = files.get(name)!.toString();
      const after = before.replace(from, to);
      expect(after).not.toBe(before);
      files.set(name, Buffer.from(after));
    },
  });

/** Starts the command as its users do, after a script that changes Node. */
const started = (script: string, args: readonly string[]): Run =>
  withFiles(given, (cwd) => {
    const all = ['--import', `data:text/javascript,${encodeURIComponent(script)}`, BIN, ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, all, { cwd, encoding: 'utf8' });
    return { status, stdout, stderr };
  });

describe('mandat-verify', () => {
  it('a manually counted vote is equal', () => {
    const { status, report } = check({});
    expect([status, report.verdict, report.differences]).toEqual([0, 'egal', []]);
    expect(report.questions).toHaveLength(5);
  });

  it('runs without the functions that Node 20 does not have', () => {
    const script = `for (const [holder, names] of [
      [Map, ['groupBy']], [Object, ['groupBy']], [Promise, ['withResolvers', 'try']], [Array, ['fromAsync']],
      [RegExp, ['escape']], [Uint8Array, ['fromBase64', 'fromHex']], [Math, ['sumPrecise', 'f16round']],
      [Uint8Array.prototype, ['toBase64', 'toHex']], [ArrayBuffer.prototype, ['transfer', 'resize']],
      [Set.prototype, ['union', 'intersection', 'difference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom']],
      [Object.getPrototypeOf(Object.getPrototypeOf([].values())),
        ['map', 'filter', 'take', 'drop', 'flatMap', 'reduce', 'toArray', 'forEach', 'some', 'every', 'find']],
    ]) for (const name of names) delete holder[name]; delete globalThis.Iterator;`;
    const { status, stdout, stderr } = started(script, BASIC);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('ALL EQUAL');
  });

  it('an older Node: exit 2, and which one is needed', () => {
    const script = `Object.defineProperty(process, 'versions', { value: { node: '18.20.4' } });`;
    const { status, stdout, stderr } = started(script, BASIC);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toBe(
      'mandat-verify: needs Node 20.12 or later; this is Node 18.20.4. Install a newer one.\n',
    );
  });

  it('the first line says what a recount proves and what it does not', () => {
    const { status, stdout } = run(given, BASIC);
    const [first] = stdout.split('\n');
    expect(status).toBe(0);
    expect(first).toContain('proves that the published figures follow');
    expect(first).toContain('does not prove that ballots were cast as the voters meant');
    expect(stdout).toContain('ALL EQUAL');
  });

  it('each check has a mark: a cross where it found a difference, whatever else differs', () => {
    const { stdout } = run(given, BASIC);
    expect(stdout.match(/^  ✓ /gm)!.length).toBeGreaterThan(10);
    expect(stdout).not.toContain('✗');
    const marked = (change: Partial<Spec>, ...args: string[]): string[] => {
      const { tar } = bundleOf({ ...SAMPLE, resultats: RESULTS, ...change });
      const { stdout: text } = run({ ...given, 'dossier.tar': tar }, [...BASIC, ...args]);
      return [...text.matchAll(/^  ✗ (.*)$/gm)].map(([, check]) => check!);
    };
    expect(marked({ key: keyOf('stranger') }).map((check) => check.split(':')[0])).toEqual([
      'manifeste.jws',
      'engagements.ndjson',
    ]);
    expect(marked({ forge: (files) => files.get('liste.bin')!.copyWithin(0, 288) })).toEqual([
      expect.stringContaining('liste.bin: number of leaves'),
    ]);
    expect(marked({}, '--recu', 'another')).toEqual(['--recu: the receipt is in the log']);
  });

  it('--langue fr: output and report are French, the report has dates, turnout, seeds and marks', () => {
    const files = { ...given, 'dossier.tar': bundleOf({ ...SAMPLE, resultats: RESULTS }).tar };
    const html = withFiles(files, (folder) => {
      const [tar, keys, report] = ['dossier.tar', 'jwks.json', 'r.html'].map((name) => join(folder, name));
      const { status, stdout } = run({}, [tar!, '--cles', keys!, '--rapport', report!, '--langue', 'fr']);
      expect([status, stdout.split('\n').at(-2)]).toEqual([0, 'TOUT CONCORDE']);
      expect(stdout).toContain('  ✓ manifeste.jws : signé par une clé du service\n');
      return readFileSync(report!, 'utf8');
    });
    expect(html).toContain('<html lang="fr">');
    expect(html).toMatch(/<dt>Ouverture<\/dt><dd>\d{4}-\d\d-\d\d \d\d:\d\d UTC<\/dd>/);
    expect(html).toMatch(/<dt>Fermeture<\/dt><dd>\d{4}-\d\d-\d\d \d\d:\d\d UTC<\/dd>/);
    expect(html).toContain('<dt>Participation</dt><dd>88.89 %</dd>');
    expect(html).toMatch(
      /Engagement du service.*<code>[0-9a-f]{64}<\/code>.*Graine du service.*<code>[0-9a-f]+<\/code>/,
    );
    expect(html.match(/<li class="holds">/g)!.length).toBeGreaterThan(10);
    expect(html).not.toMatch(/<li class="fails">|\b(the|voters|ballots|Round)\b/);
  });

  it('a difference has file, figure, expected and found', () => {
    const { status, report } = withText('resultats.json', '"Pourcentage":"66.67"', '"Pourcentage":"66.66"');
    expect(status).toBe(1);
    expect(report.differences).toEqual([
      {
        fichier: 'resultats.json',
        chiffre: 'filtres[1].questions[0].Options[0].Pourcentage',
        attendu: '66.67',
        trouve: '66.66',
      },
    ]);
  });

  describe('files of voters, witnesses and partners', () => {
    const listed = [3, 8].map((taille) => ({ note: made.noteOf(taille), racine: '', taille }));
    const eventOf = (campagneId: string, note: string): object => ({
      type: 'campagne.engagee',
      timestamp: '2026-11-25T12:00:00.000Z',
      data: { campagneId, taille: 8, racine: '', note },
    });
    const files: Files = {
      'note.txt': made.noteOf(4),
      'notes.ndjson': [3, 8].map((size) => `${JSON.stringify({ note: made.noteOf(size) })}\n`).join(''),
      'proof.json': JSON.stringify(made.proofOf(2, 5)),
      'growth.json': JSON.stringify(made.growthOf(3, 8)),
      'voter.json': JSON.stringify(made.voterOf(9)),
      'roll.ndjson': made.emargement,
      'page.json': JSON.stringify(listed),
      'indented.json': JSON.stringify(listed, null, 2),
      'events.json': JSON.stringify([eventOf(CAMPAIGN, made.noteOf(8)), eventOf('other', 'of another')]),
      'webhook.json': JSON.stringify(eventOf(CAMPAIGN, made.noteOf(4)), null, 2),
      'ballot.json': JSON.stringify({ Recu: made.receipts[7], Attestation: made.attestationOf(7) }),
    };
    const args: [string, string[]][] = [
      ['notes', ['--engagement', 'note.txt', '--engagement', 'notes.ndjson']],
      ['a saved answer of GET …/engagements', ['--engagement', 'page.json']],
      ['the same with indentation', ['--engagement', 'indented.json']],
      ['a saved answer of GET …/evenement, with another campaign', ['--engagement', 'events.json']],
      ['the body of a webhook', ['--engagement', 'webhook.json']],
      ['a saved answer to a ballot', ['--recu', 'ballot.json', '--attestation', 'ballot.json']],
      ['a receipt with its proof', ['--recu', made.receipts[2]!, '--preuve', 'proof.json']],
      ['an attestation', ['--attestation', made.attestationOf(7)]],
      ['a proof of growth', ['--coherence', 'growth.json']],
      ["a voter's line", ['--votant', 'voter.json']],
      ['the roll', ['--emargement', 'roll.ndjson']],
    ];
    it.each(args)('%s: accepted', (_, options) => {
      const { status, report } = check(files, ...options);
      expect([status, report.differences]).toEqual([0, []]);
      expect(report.controles.length).toBeGreaterThan(check({}).report.controles.length);
    });

    it('a receipt that begins with a dash: accepted', () => {
      // One receipt in 64 does, because the alphabet of base64url has a dash.
      for (let seed = 0; ; seed++) {
        const { tar, receipts } = bundleOf({ ...SAMPLE, resultats: RESULTS, receipts: `${seed}` });
        const receipt = receipts.find((one) => one.startsWith('-'));
        if (!receipt) continue;
        const { status, report } = check({ 'dossier.tar': tar }, '--recu', receipt);
        expect([status, report.differences]).toEqual([0, []]);
        return;
      }
    });

    const other = bundleOf({
      ...{ ...SAMPLE, resultats: RESULTS },
      ballots: [...SAMPLE.ballots.slice(0, 7), { reponses: [[], [], [], [], []] }, SAMPLE.ballots[7]!],
    });
    const stranger = bundleOf({ ...SAMPLE, resultats: RESULTS, key: keyOf('stranger') });
    const wrong = (
      name: string,
      content: string,
      found: string,
      ...options: string[]
    ): [string, Files, string[], string] => [name, { ...files, given: content }, options, found];
    const changed = (object: object, change: object): string => JSON.stringify({ ...object, ...change });
    const [first, ...lines] = made.emargement.trimEnd().split('\n') as [string, ...string[]];
    const weightier = changed(JSON.parse(first) as object, { Poids: '3' });
    it.each([
      wrong('a note of another log', other.noteOf(9), 'size of the log', '--engagement', 'given'),
      wrong(
        'a note of other receipts',
        bundleOf({ ...SAMPLE, resultats: RESULTS, receipts: 'other' }).noteOf(2),
        'root of 2 receipts',
        '--engagement',
        'given',
      ),
      wrong('a note of another key', stranger.noteOf(4), 'signature of the note', '--engagement', 'given'),
      wrong(
        'a saved answer with a note of another log',
        JSON.stringify([{ note: made.noteOf(3) }, { note: other.noteOf(9) }]),
        'size of the log',
        '--engagement',
        'given',
      ),
      wrong('a saved answer without notes', '[{"a":1}]', '[0].note', '--engagement', 'given'),
      wrong('a note without an end', made.noteOf(4).trimEnd(), 'note', '--engagement', 'given'),
      wrong('a foreign receipt', 'another', 'receipt', '--recu', 'given'),
      wrong('a foreign receipt with a dash', '', 'receipt', '--recu', '-another'),
      wrong('a foreign receipt like an option', '', 'receipt', '--recu', '--recus'),
      wrong(
        'a proof at another index',
        changed(made.proofOf(2, 5), { Index: 3 }),
        'receipt at index 3',
        '--preuve',
        'given',
      ),
      wrong(
        'a proof with another path',
        changed(made.proofOf(2, 5), { Chemin: (made.proofOf(3, 5) as { Chemin: string[] }).Chemin }),
        'root of Chemin',
        '--preuve',
        'given',
      ),
      wrong(
        'a proof of another receipt',
        changed(made.proofOf(3, 5), {}),
        'EmpreinteRecu',
        '--preuve',
        'given',
        '--recu',
        made.receipts[2]!,
      ),
      wrong(
        'a proof of another size',
        changed(made.proofOf(2, 5), { Taille: 6 }),
        'size of Engagement',
        '--preuve',
        'given',
      ),
      wrong(
        'an attestation of another key',
        stranger.attestationOf(1),
        'signature',
        '--attestation',
        'given',
      ),
      wrong(
        'a growth that is none',
        changed(made.growthOf(3, 8), { de: 2 }),
        'proof of growth',
        '--coherence',
        'given',
      ),
      wrong(
        'a voter with another line',
        changed(made.voterOf(9), { Ligne: made.voterOf(8)['Ligne'] }),
        'VotantId of Ligne',
        '--votant',
        'given',
      ),
      wrong(
        'a voter with another salt',
        changed(made.voterOf(9), { Sel: made.voterOf(8)['Sel'] }),
        'Feuille',
        '--votant',
        'given',
      ),
      wrong(
        'a roll without a voter',
        [first, ...lines.slice(1)].join('\n'),
        'leaves without a line',
        '--emargement',
        'given',
      ),
      wrong(
        'a roll with a voter twice',
        [first, first, ...lines].join('\n'),
        'line',
        '--emargement',
        'given',
      ),
      wrong(
        'a roll with another weight',
        [weightier, ...lines].join('\n'),
        'poidsVotants',
        '--emargement',
        'given',
      ),
    ])('%s: exit 1', (_, all, options, found) => {
      const result = check(all, ...options);
      expect(result.status).toBe(1);
      expect(result.found.some((one) => one.endsWith(`: ${found}`))).toBe(true);
    });
  });

  describe('a signed bundle that contradicts itself: exit 1', () => {
    const total = (name: string, value: unknown): Partial<Spec> => ({
      forgeManifest: (manifest) => (manifest[name] = value),
    });
    it.each([
      ['bulletins', total('bulletins', 9), 'manifeste.json: bulletins, which votantsAyantVote has'],
      ['recus', total('recus', 7), 'manifeste.json: recus, of which each ballot has one'],
      ['totalVotants', total('totalVotants', 11), 'liste.bin: number of leaves'],
      [
        'droit de vote',
        total('totalVotantsAvecDroitDeVote', 7),
        'manifeste.json: votantsAyantVote <= totalVotantsAvecDroitDeVote',
      ],
      ['poidsBulletins', total('poidsBulletins', '8.25'), 'scrutin.json: poids of all classes (in 1/10,000)'],
      [
        'a larger poidsBulletins',
        total('poidsBulletins', '10'),
        'manifeste.json: poidsBulletins <= poidsVotantsAvecDroitDeVote',
      ],
      [
        'modifications',
        total('modificationsApresOuverture', { ajoutes: 1, retires: 0, modifies: 0 }),
        'resultats.json: tout.modificationsApresOuverture.ajoutes',
      ],
      ['another campaign', total('campagneId', 'another'), 'scrutin.json: campagneId'],
      [
        'another order of files',
        { forgeManifest: (manifest) => (manifest['fichiers'] as unknown[]).reverse() },
        'archive: file 3',
      ],
      [
        'a further file',
        { forge: (files) => files.set('more.txt', Buffer.from('x')) },
        'manifeste.json: names of fichiers',
      ],
      [
        'a missing file',
        { forge: (files) => files.delete('engagements.ndjson') },
        'engagements.ndjson: file',
      ],
      [
        'two classes as one',
        { ballots: SAMPLE.ballots.map((ballot) => ({ ...ballot, classe: ballot.classe === 2 ? 1 : 2 })) },
        'resultats.json: filtres[1]',
      ],
      ['a class below k', { seuilAnonymat: 3 }, 'scrutin.json: classes[1].bulletins'],
      [
        'a receipt twice',
        { forge: (files) => files.get('recus.bin')!.copyWithin(32, 0, 32) },
        'recus.bin: receipt',
      ],
      [
        'a log that is not the signed one',
        { forge: (files) => files.get('recus.bin')!.fill(7, 224) },
        'engagements.ndjson: root of 8 receipts',
      ],
      [
        'a roll in another order',
        { forge: (files) => files.get('liste.bin')!.copyWithin(0, 288) },
        'liste.bin: leaf 1',
      ],
      ['checkpoints that do not grow', { sizes: [5, 3] }, 'engagements.ndjson: size'],
      [
        'a log without the last checkpoint',
        { forge: (files) => files.set('engagements.ndjson', Buffer.alloc(0)) },
        'engagements.ndjson: size of the last checkpoint',
      ],
    ] satisfies [string, Partial<Spec>, string][])('%s', (_, change, found) => {
      const result = forged(change);
      expect(result.status).toBe(1);
      expect(result.found).toContain(found);
    });

    const filters = (change: (filtres: unknown[]) => unknown[]): Partial<Spec> => ({
      resultats: { ...RESULTS, filtres: change([...RESULTS.filtres]) },
    });
    it.each([
      [
        'a filter that divides a class',
        filters((all) => [...all, { ...(all[1] as object), syndicatIdExterne: null }]),
        'filtres[3]',
      ],
      ['a missing filter', filters((all) => all.slice(1)), 'filtres: ["SYN-1",null]'],
      ['a filter twice', filters((all) => [...all, all[0]]), 'filtres[3]'],
      [
        'a filter without voters that has votes',
        filters((all) => [...all, { ...(all[1] as object), syndicatIdExterne: 'SYN-9' }]),
        'filtres[3]',
      ],
      [
        'a filter without its options',
        filters((all) => [{ ...(all[0] as object), questions: [] }, ...all.slice(1)]),
        'filtres[0].questions: number of items',
      ],
    ])('%s', (_, change, found) => {
      const result = forged(change);
      expect(result.status).toBe(1);
      expect(result.found).toContain(`resultats.json: ${found}`);
    });

    const QUESTION = 'questions/03.ndjson';
    it.each([
      ['a place that is no option', '"reponse":[2]', '"reponse":[4]', 'reponse'],
      ['an option twice', '"reponse":[0,1]', '"reponse":[0,0]', 'reponse'],
      ['an answer twice in a class', '"reponse":[0,3]', '"reponse":[0,1]', 'reponse'],
      ['a class that is none', '"classe":3', '"classe":4', 'classe'],
      ['no ballots', '"bulletins":1', '"bulletins":0', 'bulletins'],
      ['a number that is none', '"bulletins":1', '"bulletins":1.5', 'bulletins'],
      ['a weight that is a number', '"poids":"1"', '"poids":1', 'poids'],
      ['a weight with a zero at its end', '"poids":"0.25"', '"poids":"0.250"', 'poids'],
      ['a finer weight than Decimales', '"poids":"0.25"', '"poids":"0.245"', 'poids'],
      ['a name twice', '{"bulletins":1,', '{"bulletins":1,"bulletins":1,', 'canonical JSON (RFC 8785)'],
      ['a space', '"classe":1', '"classe": 1', 'canonical JSON (RFC 8785)'],
      ['a number that is not canonical', '"classe":1', '"classe":1e0', 'canonical JSON (RFC 8785)'],
      ['an unknown member', '{"bulletins"', '{"autre":1,"bulletins"', 'autre'],
      ['a missing newline', /\n$/, '', 'end of the file'],
      ['another order', /^(.*\n)(.*\n)/, '$2$1', 'order of the lines'],
      [
        'a ranking behind its last rest',
        '"reponse":[0]',
        '"reponse":[0,2]',
        'ranking without the options at which no ballot rested',
      ],
    ])('%s in a file of answers', (_, from, to, found) => {
      const result = withText(QUESTION, from, to);
      expect(result.status).toBe(1);
      expect(result.found).toContain(`${QUESTION}: ${found}`);
    });
    it('an answer that is not ascending, and one with too many options', () => {
      const descending = withText('questions/01.ndjson', '"reponse":[0,1]', '"reponse":[1,0]');
      const many = withText('questions/00.ndjson', '"reponse":[0]', '"reponse":[0,1]');
      expect([descending.status, many.status]).toEqual([1, 1]);
      expect(descending.found).toContain('questions/01.ndjson: reponse');
      expect(many.found).toContain('questions/00.ndjson: reponse');
    });
  });

  it('every figure of resultats.json that is changed is found', () => {
    const text = canonical(RESULTS);
    const changes = [...text.matchAll(/"(\w+)":("?)(\d+(?:\.\d+)?)(?=["\],}])/g)];
    expect(changes.length).toBeGreaterThan(150);
    const missed = changes.filter(({ 0: whole, 1: name, 2: quote, 3: figure, index }) => {
      // The roll has the participation of a filter (next test).
      if (index < text.indexOf('"tout"') && /otants/.test(name!)) return false;
      const after = `${text.slice(0, index)}"${name}":${quote}${figure === '1' ? '2' : '1'}${text.slice(index + whole.length)}`;
      return verified(bundleOf({ ...SAMPLE, resultats: JSON.parse(after) })).findings.count === 0;
    });
    expect(missed.map(([whole]) => whole)).toEqual([]);
  });

  it('the roll finds a changed participation of a filter', () => {
    const [first, ...rest] = RESULTS.filtres as Record<string, unknown>[];
    const filtres = [{ ...first, totalVotants: 7 }, ...rest];
    const { tar, emargement } = bundleOf({ ...SAMPLE, resultats: { ...RESULTS, filtres } });
    const { status, found } = check({ 'dossier.tar': tar, roll: emargement }, '--emargement', 'roll');
    expect([status, found]).toEqual([1, ['resultats.json: filtres[0].totalVotants']]);
  });
});
