import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import type * as Guardians from '../../packages/ballot/dist/guardians.js';
import {
  type Ceremony,
  type Group,
  guardians,
  sealWith,
  seeded,
  scalars,
  signedFile,
} from './support/ballot';
import { CAMPAIGN } from './support/ceremony';
import { plainCount, sha256 } from './support/count';
import { type Desk, Office, type Run } from './support/desk';

const NAMES = ['Élise Côté', 'Jean-Noël « Ti-Jean » Roy', 'Ω Guardian'];
const THRESHOLD = 2;
const OPTIONS = [2];
const random = seeded('command');

const uuid = (name: string): string =>
  createHash('sha256')
    .update(name)
    .digest('hex')
    .slice(0, 32)
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/** The files of a count, as the service makes them. */
interface Folder {
  readonly 'ceremonie.json': object;
  readonly 'scrutin.json': object;
  readonly 'bulletins.ndjson': string;
  readonly 'depouillement.json': { readonly sommes: readonly string[] } | string;
}

describe('mandat-gardien, with three guardians and a threshold of two', () => {
  const office = new Office(NAMES);
  const [first, second, third] = office.desks as [Desk, Desk, Desk];
  const fichiers: Guardians.CeremonyFile[] = [];
  const document = (files: readonly Guardians.CeremonyFile[] = fichiers) => ({
    campagneId: CAMPAIGN,
    seuil: THRESHOLD,
    gardiens: NAMES,
    fichiers: [...files],
  });
  let group: Group;
  let ceremony: Ceremony;

  beforeAll(async () => {
    group = await guardians.libsodium();
  });
  afterAll(() => office.remove());

  const expectRun = (
    { status, stdout, stderr }: Run,
    expected: number,
    ...parts: readonly string[]
  ): void => {
    for (const part of parts) expect(stdout + stderr).toContain(part);
    expect([status, status === expected ? '' : stderr]).toEqual([expected, '']);
  };

  describe('commencer', () => {
    it('makes a secret file that only its owner can read', async () => {
      for (const desk of office.desks)
        expectRun(await desk.begin(), 0, 'Your secret file is gardien.secret', 'Never send either');
      expect(statSync(first.path('gardien.secret')).mode & 0o777).toBe(0o600);
    });

    it('never overwrites one', async () => {
      const before = readFileSync(first.path('gardien.secret'));
      expectRun(await first.begin(), 1, 'gardien.secret is there already');
      expect(readFileSync(first.path('gardien.secret'))).toEqual(before);
    });

    const itOnTerminal = existsSync('/usr/bin/script') ? it : it.skip;
    itOnTerminal('asks on a terminal, and does not show the passphrase', async () => {
      const seen = await first.onTerminal(
        ['commencer', '--secret', 'terminal.secret'],
        [
          ['Your name', first.name],
          ['Your number', '1'],
          ['Passphrase: ', first.phrase],
          ['again: ', first.phrase],
        ],
      );
      // The question is on the line of its answer.
      expect(seen.replaceAll(/.*\u001b\[1G\u001b\[0J/g, '')).toContain('(the first guardian has 1): ');
      expect(seen).toContain(first.name);
      expect(seen).toContain('Your secret file is terminal.secret');
      expect(seen).not.toContain('secrète');
      // The environment's passphrase opens it, so it was read as it was typed.
      first.write('ceremonie.json', document([]));
      const real = { NODE_OPTIONS: '' };
      expectRun(await first.run(['tour', 'ceremonie.json', '--secret', 'terminal.secret'], [], real), 0);
    });

    it.each([
      ['a short passphrase', ['A', '1'], { MANDAT_PHRASE: 'court' }, 'at least 12 characters'],
      ['no name', ['', '1'], {}, 'A name is needed.'],
      ['the number 10', ['A', '10'], {}, 'from 1 to 9'],
      ['no answer', [], {}, 'There was no answer.'],
      ['no passphrase and no terminal', ['A', '1'], { MANDAT_PHRASE: '' }, 'Set MANDAT_PHRASE.'],
    ])('%s: makes no file', async (_, answers, env, message) => {
      expectRun(await first.run(['commencer', '--secret', 'autre.secret'], answers, env), 1, message);
      expect(first.has('autre.secret')).toBe(false);
    });
  });

  describe('tour', () => {
    it('round 1 shows the fingerprint and says when the vote is lost', async () => {
      for (const desk of office.desks) {
        expectRun(
          await desk.round(document()),
          0,
          '2 of 3 guardians must decrypt',
          'the vote is LOST',
          'Your fingerprint: ',
        );
        fichiers.push(desk.fileOfRound(1));
      }
    });

    it('makes the same file again if it was not sent', async () => {
      const made = second.fileOfRound(1);
      expectRun(await second.round(document(fichiers.slice(0, 1))), 0, 'you have made before');
      expect(second.fileOfRound(1)).toEqual(made);
    });

    it('waits for the others', async () => {
      expectRun(
        await first.round(document(fichiers.slice(0, 1))),
        0,
        'Round 1 waits for: Jean-Noël « Ti-Jean » Roy, Ω Guardian',
      );
    });

    it('another person’s file under the own number raises an alarm', async () => {
      const other = guardians.ceremonyOf(group, document([])) as Ceremony;
      const forged = guardians.makeKeys(other, 2, guardians.drawSecrets(random), random);
      const run = await second.round(document([fichiers[0]!, forged, fichiers[2]!]));
      expectRun(run, 1, 'STOP', 'somebody poses as you');
    });

    it('fingerprints not compared: round 2 makes no file', async () => {
      const run = await first.round(document(), ['non']);
      expectRun(run, 1, 'Nothing was done.', guardians.fingerprintOf(fichiers[2]!));
      expect(first.has('tour-2-gardien-1.json')).toBe(false);
    });

    it('round 2 in French', async () => {
      for (const desk of office.desks) {
        const run = await desk.round(document(), ['oui'], { LC_ALL: 'fr_CA.UTF-8' });
        expectRun(
          run,
          0,
          'Empreintes des gardiens :',
          '2 gardiens sur 3 doivent déchiffrer',
          'Écrit : tour-2',
        );
      }
      fichiers.push(...office.desks.map((desk) => desk.fileOfRound(2)));
    });

    it('other files of round 1 than before are an alarm', async () => {
      const known = guardians.ceremonyOf(group, document(fichiers.slice(0, 2))) as Ceremony;
      const forged = guardians.makeKeys(known, 3, guardians.drawSecrets(random), random);
      expectRun(
        await first.round(document([...fichiers.slice(0, 2), forged])),
        1,
        'STOP',
        'files of round 1',
      );
    });

    it('an older file of the ceremony is an alarm', async () => {
      expectRun(await first.round(document(fichiers.slice(0, 2))), 1, 'STOP', 'files of round 1');
    });

    it('a wrong file names its guardian', async () => {
      const change = { ...fichiers[4]!, precedent: guardians.base64url(new Uint8Array(32)) };
      const files = [...fichiers.slice(0, 4), change];
      expectRun(
        await first.round(document(files)),
        1,
        'Guardian 2 (Jean-Noël « Ti-Jean » Roy): The signature is wrong.',
        'anybody can have made it',
      );
    });

    it.each([
      [
        'a wrong passphrase',
        { MANDAT_PHRASE: 'une autre phrase' },
        'The passphrase is wrong, or gardien.secret is damaged.',
      ],
      ['no passphrase', { MANDAT_PHRASE: '' }, 'Set MANDAT_PHRASE.'],
    ])('%s is refused', async (_, env, message) => {
      expectRun(await first.round(document(), [], env), 1, message);
    });

    it('the passphrase is the same with accents in two parts', async () => {
      const env = { MANDAT_PHRASE: first.phrase.normalize('NFD') };
      expect(env.MANDAT_PHRASE).not.toBe(first.phrase);
      expectRun(await first.round(document(fichiers.slice(0, 3)), [], env), 0, 'you have made before');
    });

    it.each<[string, (content: string) => string, string]>([
      ['cut off', (content) => content.slice(0, 100), 'is not a secret file, or it is damaged'],
      ['empty', () => '', 'is not a secret file, or it is damaged'],
      [
        'with another byte',
        (content) =>
          content.replace(/(contenu":"..........)(.)/, (_, a, b) => `${a}${b === 'A' ? 'B' : 'A'}`),
        'is damaged',
      ],
      [
        'with a cheaper key derivation',
        (content) => content.replace('131072', '2'),
        'is not a secret file, or it is damaged',
      ],
    ])('a secret file that is %s is refused', async (_, damage, message) => {
      const content = readFileSync(first.path('gardien.secret'), 'utf8');
      const damaged = damage(content);
      expect(damaged).not.toBe(content);
      first.write('abime.secret', damaged);
      expectRun(await first.run(['tour', 'ceremonie.json', '--secret', 'abime.secret']), 1, message);
    });

    it('the secret file of another guardian or campaign is refused', async () => {
      first.write('autre.secret', readFileSync(second.path('gardien.secret'), 'utf8'));
      const env = { MANDAT_PHRASE: second.phrase };
      first.write('ceremonie.json', { ...document([]), gardiens: [NAMES[0], 'X', NAMES[2]] });
      expectRun(
        await first.run(['tour', 'ceremonie.json', '--secret', 'autre.secret'], [], env),
        1,
        'Guardian 2 of this ceremony is X',
      );
      first.write('ceremonie.json', { ...document([]), campagneId: uuid('another') });
      expectRun(await first.run(['tour', 'ceremonie.json']), 1, 'belongs to another campaign');
    });

    it('round 3 ends with the digest of the ceremony', async () => {
      for (const desk of office.desks) {
        expectRun(await desk.round(document()), 0, 'Your file of round 3 is made.');
        fichiers.push(desk.fileOfRound(3));
      }
      ceremony = guardians.ceremonyOf(group, document()) as Ceremony;
      const digest = guardians.base64url(ceremony.digest(3));
      for (const desk of office.desks)
        expectRun(await desk.round(document()), 0, `Digest of the ceremony: ${digest}`);
    });

    it('a complaint is made by itself, names the cheat, and ends the ceremony', async () => {
      const trial = new Office(NAMES);
      try {
        const [victim] = trial.desks as [Desk];
        expectRun(await victim.begin(), 0);
        const members = [2, 3].map((number) => ({ number, secrets: guardians.drawSecrets(random) }));
        expectRun(await victim.round(document([])), 0);
        const files: Guardians.CeremonyFile[] = [victim.fileOfRound(1)];
        const known = (): Ceremony => guardians.ceremonyOf(group, document(files)) as Ceremony;
        for (const { number, secrets } of members)
          files.push(guardians.makeKeys(known(), number, secrets, random));
        expectRun(await victim.round(document(files)), 0);
        files.push(victim.fileOfRound(2));
        for (const { number, secrets } of members)
          files.push(
            guardians.makeShares(known(), number, secrets, guardians.drawPolynomial(2, random), random),
          );
        const content = files.pop() as Guardians.SharesFile;
        const parts = content.parts.map((part) => ({
          ...part,
          valeur: guardians.base64url(scalars.encodeScalar(7n)),
        }));
        const cheat = Object.entries({ ...content, parts }).filter(([name]) => name !== 'signature');
        files.push(signedFile.sign(Object.fromEntries(cheat), members[1]!.secrets.seed) as never);
        expectRun(
          await victim.round(document(files)),
          1,
          'Guardian 3 (Ω Guardian) has sent you a WRONG share.',
        );
        files.push(victim.fileOfRound(3));
        expectRun(await victim.round(document(files)), 1, 'Guardian 3 (Ω Guardian) has CHEATED');
        expectRun(
          await victim.run(['verifier', 'ceremonie.json']),
          1,
          'The complaint of guardian 1 proves it',
        );
      } finally {
        trial.remove();
      }
    });
  });

  describe('verifier', () => {
    it('needs no secret file', async () => {
      third.write('ceremonie.json', document());
      const run = await third.run(['verifier', 'ceremonie.json', '--secret', 'none'], [], {
        MANDAT_PHRASE: '',
      });
      expectRun(
        run,
        0,
        '9 files: all signatures and proofs are right.',
        guardians.base64url(ceremony.digest(3)),
      );
    });

    it.each([
      ['text', 'no JSON'],
      ['another object', '{}'],
      ['ten guardians', { campagneId: CAMPAIGN, seuil: 1, gardiens: [...'abcdefghij'], fichiers: [] }],
    ])('%s is not a ceremony', async (_, content) => {
      third.write('autre.json', content);
      expectRun(await third.run(['verifier', 'autre.json']), 1, 'is not the file of a ceremony');
    });
  });

  describe('dechiffrer', () => {
    const choices = [[0], [1], [], [0], [0], [1], [], [0]].map((chosen) => [chosen]);
    const plain = choices.map((one, at) => ({
      classe: 1 + (at % 2),
      weight: 5_000n * BigInt(1 + (at % 3)),
      choices: one,
    }));
    let scrutin: { seuilAnonymat: number } & Record<string, unknown>;
    let ballots: Guardians.CountedBallot[];
    let right: Folder;

    const linesOf = (sums: Guardians.Sums<Uint8Array>): string[] =>
      [...sums.lines()].map((line) => guardians.lineOf(line).trimEnd());
    const sommesOf = (folder: Folder): readonly string[] =>
      (folder['depouillement.json'] as { sommes: readonly string[] }).sommes;
    const folderOf = (all: readonly Guardians.CountedBallot[], changes: Partial<Folder> = {}): Folder => {
      const sums = new guardians.Sums(group, OPTIONS);
      for (const ballot of all) sums.add(ballot);
      return {
        'ceremonie.json': document(),
        'scrutin.json': scrutin,
        'bulletins.ndjson': all.map((ballot) => guardians.ballotLine(ballot)).join(''),
        'depouillement.json': { sommes: linesOf(sums) },
        ...changes,
      };
    };
    const decrypt = (
      desk: Desk,
      folder: Folder,
      answers: readonly string[] = ['oui'],
      env = {},
    ): Promise<Run> => {
      for (const [name, content] of Object.entries(folder)) desk.write(name, content as string | object);
      return desk.run(['dechiffrer', '.'], answers, env);
    };
    const sealed = (votant: string, choix: readonly (readonly number[])[]): Uint8Array => {
      const ballot = sealWith(group, () => scalars.randomScalar(random), scrutin as never, votant, choix);
      return guardians.bytesOf(ballot.cast().BulletinChiffre)!;
    };
    const sorted = (all: readonly Guardians.CountedBallot[]): Guardians.CountedBallot[] =>
      [...all].sort((one, other) => Buffer.compare(sha256(one.bytes), sha256(other.bytes)));
    const voter = (votant: string): Uint8Array =>
      sha256(
        Buffer.concat([
          Buffer.from('mandat/chiffre/1/votant'),
          ...[CAMPAIGN, votant].map((id) => Buffer.from(id.replaceAll('-', ''), 'hex')),
        ]),
      );

    beforeAll(() => {
      scrutin = {
        campagneId: CAMPAIGN,
        ceremonie: guardians.base64url(ceremony.digest(3)),
        cle: guardians.base64url(ceremony.key),
        questions: [
          {
            ...{ QuestionId: uuid('q'), Titre: 'Question', MinReponses: 1, MaxReponses: 1 },
            ...{ Options: [uuid('o1'), uuid('o2')], Libelles: ['Oui', 'Non'] },
          },
        ],
        seuilAnonymat: 4,
      };
      ballots = sorted(
        plain.map(({ classe, weight, choices: choix }, at) => ({
          bytes: sealed(uuid(`v${at}`), choix),
          voter: voter(uuid(`v${at}`)),
          ...{ classe, weight },
        })),
      );
      right = folderOf(ballots);
    });

    it('digest not compared with the other guardians: nothing is decrypted', async () => {
      expectRun(
        await decrypt(first, right, ['non']),
        1,
        'Read this digest to the other guardians by telephone.',
        'Did every guardian whom you can reach read the same digest to you?',
        'Nothing was done.',
      );
      expect(first.has('dechiffrement-gardien-1.json')).toBe(false);
    });

    const CHEATS: readonly [string, () => Folder, string][] = [
      [
        'a ballot with a wrong proof',
        () => folderOf(ballots.map((ballot, at) => (at === 2 ? { ...ballot, voter: random(32) } : ballot))),
        'line 3: this ballot does not count, because its check fails (option)',
      ],
      [
        'a ballot twice',
        () => folderOf(sorted([...ballots, ballots[4]!])),
        'line 6: this ballot is there twice',
      ],
      ['ballots in another order', () => folderOf([...ballots].reverse()), 'not in their order'],
      [
        'a voter with two ballots',
        () =>
          folderOf(
            sorted([
              ...ballots,
              { ...ballots[0]!, bytes: sealed(uuid('v0'), [[0]]), voter: voter(uuid('v0')) },
            ]),
          ),
        'this voter has two ballots',
      ],
      [
        'a ballot that is left out of the sums',
        () => folderOf(ballots.slice(1), { 'bulletins.ndjson': right['bulletins.ndjson'] }),
        'of sommes: this is not the sum',
      ],
      [
        'a class that is left out of the sums',
        () => folderOf(ballots, { 'depouillement.json': { sommes: sommesOf(right).slice(1) } }),
        'entry 1 of sommes',
      ],
      [
        'a further class in the sums',
        () =>
          folderOf(ballots, { 'depouillement.json': { sommes: [...sommesOf(right), ...sommesOf(right)] } }),
        'entry 3 of sommes',
      ],
      [
        'sums in another form',
        () => folderOf(ballots, { 'depouillement.json': sommesOf(right).join('\n') }),
        'depouillement.json is not the answer of GET',
      ],
      [
        'no sums',
        () => folderOf(ballots, { 'depouillement.json': 'null' }),
        'depouillement.json is not the answer of GET',
      ],
      [
        'a class below the threshold',
        () => folderOf(ballots.map((ballot, at) => ({ ...ballot, classe: at === 0 ? 3 : ballot.classe }))),
        'at least 4 are needed',
      ],
      [
        'a lower threshold than that of the ballots',
        () => folderOf(ballots, { 'scrutin.json': { ...scrutin, seuilAnonymat: 1 } }),
        'line 1: this ballot does not count',
      ],
      [
        'another key',
        () => folderOf(ballots, { 'scrutin.json': { ...scrutin, cle: guardians.base64url(group.base) } }),
        'cle is another one',
      ],
      [
        'another ceremony in the vote',
        () =>
          folderOf(ballots, { 'scrutin.json': { ...scrutin, ceremonie: guardians.base64url(random(32)) } }),
        'ceremonie is another one',
      ],
      [
        'a vote without questions',
        () => folderOf(ballots, { 'scrutin.json': { ...scrutin, questions: [] } }),
        'scrutin.json is not a vote',
      ],
      [
        'a line that is not canonical',
        () =>
          folderOf(ballots, {
            'bulletins.ndjson': right['bulletins.ndjson'].replace('"classe":', '"classe": '),
          }),
        'line 1: this is not a ballot',
      ],
      [
        'a last line without its end',
        () => folderOf(ballots, { 'bulletins.ndjson': right['bulletins.ndjson'].slice(0, -1) }),
        'line 8: this is not a ballot',
      ],
      ['no ballots', () => folderOf([]), 'has no ballots'],
      [
        'an unfinished ceremony',
        () => folderOf(ballots, { 'ceremonie.json': document(fichiers.slice(0, 8)) }),
        'The ceremony is not complete',
      ],
    ];
    it.each(CHEATS)('%s is refused', async (_, folder, message) => {
      expectRun(await decrypt(first, folder()), 1, message);
      expect(first.has('dechiffrement-gardien-1.json')).toBe(false);
    });

    it('many ballots are checked in parts, by threads, and across the parts', async () => {
      const many = sorted(
        Array.from({ length: 70 }, (_, at) => ({
          bytes: sealed(uuid(`many ${at}`), [[at % 2]]),
          voter: voter(uuid(`many ${at}`)),
          ...{ classe: 1 + (at % 2), weight: 10_000n },
        })),
      );
      expectRun(
        await decrypt(first, folderOf(many), ['non']),
        1,
        '70 ballots in 2 classes',
        'Nothing was done.',
      );
      // The ballots of each part are in their order, the parts are not.
      const swapped = [...many.slice(32, 64), ...many.slice(0, 32), ...many.slice(64)];
      expectRun(await decrypt(first, folderOf(swapped)), 1, 'line 33: this ballot is there twice, or');
      const again = uuid('many 0');
      const doubled = sorted([...many, { ...many[0]!, bytes: sealed(again, [[0]]), voter: voter(again) }]);
      expectRun(await decrypt(first, folderOf(doubled)), 1, 'this voter has two ballots');
    });

    it('two of three guardians decrypt the count; the third is not needed', async () => {
      const run = await decrypt(first, right);
      expectRun(
        run,
        0,
        '8 ballots in 2 classes, the smallest one with 4',
        'Whoever knows all but one then reads the other one.',
        'Written: dechiffrement-gardien-1.json',
      );
      expectRun(
        await decrypt(second, right, ['oui'], { LC_ALL: 'fr_CA.UTF-8' }),
        0,
        '8 bulletins en 2 classes',
        'Écrit : dechiffrement-gardien-2.json',
      );
      const count = guardians.countOf(
        group,
        OPTIONS,
        sommesOf(right)
          .map((line) => `${line}\n`)
          .join(''),
        sha256(right['bulletins.ndjson']),
      )!;
      const decryptions = [first, second].map((desk) => {
        const decryption = guardians.decryptionOf(ceremony, count, desk.decryption());
        if ('nom' in decryption) throw new Error(decryption.nom);
        return decryption;
      });
      expect(guardians.combine(ceremony, count, decryptions)).toEqual(plainCount(OPTIONS, plain));
    });

    it('the same sums can be decrypted again', async () => {
      expectRun(await decrypt(first, right), 0);
    });

    it('other sums of the campaign are refused, whatever they are', async () => {
      const other = ballots.map((ballot) => ({ ...ballot, classe: 1 }));
      expectRun(await decrypt(first, folderOf(other)), 1, 'STOP: you have decrypted this campaign before');
      // Control: a guardian who has not decrypted takes them. Only the comparison of the digests shows that they differ.
      expectRun(await decrypt(third, folderOf(other), ['non']), 1, 'Nothing was done.');
    });

    it('the secret file shows nothing of the secret', () => {
      const content = JSON.parse(readFileSync(first.path('gardien.secret'), 'utf8')) as object;
      expect(Object.keys(content)).toEqual(['version', 'scrypt', 'iv', 'contenu']);
    });
  });

  describe('usage', () => {
    it.each([
      [['--help'], 0, 'Usage: mandat-gardien COMMAND'],
      [['--help', '--langue', 'fr'], 0, 'Usage : mandat-gardien COMMANDE'],
      [[], 2, 'Name a command'],
      [['voter'], 2, 'Name a command'],
      [['tour'], 2, 'takes one file or folder'],
      [['commencer', 'x'], 2, 'takes no argument'],
      [['tour', 'x', '--force'], 2, 'See mandat-gardien --help.'],
      [['tour', 'x', '--langue', 'de'], 2, '--langue must be fr or en.'],
      [['tour', 'nowhere.json'], 1, 'nowhere.json cannot be read (ENOENT).'],
      [['dechiffrer', 'nowhere'], 1, 'cannot be read (ENOENT).'],
    ])('%j: exit %d', async (args, status, message) => {
      expectRun(await first.run(args), status, message);
    });
  });
});
