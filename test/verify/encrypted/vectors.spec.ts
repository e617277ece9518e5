import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as Ballot from '../../../packages/verify/dist/encrypted/ballot.js';
import type * as Ceremony from '../../../packages/verify/dist/encrypted/ceremony.js';
import type * as Decryptions from '../../../packages/verify/dist/encrypted/decryptions.js';
import type * as Group from '../../../packages/verify/dist/encrypted/group.js';
import type * as Structure from '../../../packages/verify/dist/encrypted/structure.js';
import type * as Sums from '../../../packages/verify/dist/encrypted/sums.js';
import { canonical } from '../support/bundle';
import { PACKAGE, run, verifier } from '../support/verifier';

/** The test vectors of the packages of voters and guardians, read by the verifier, which shares no line with them. */

interface Scrutin {
  readonly campagneId: string;
  readonly ceremonie: string;
  readonly cle: string;
  readonly seuilAnonymat: number;
  readonly questions: readonly {
    readonly QuestionId: string;
    readonly Titre: string;
    readonly Options: readonly string[];
    readonly Libelles: readonly string[];
    readonly MinReponses: number;
    readonly MaxReponses: number;
  }[];
}

interface Vectors {
  readonly hash: {
    readonly name: string;
    readonly parts: readonly string[];
    readonly H: string;
    readonly Hs: string;
  };
  readonly votes: readonly {
    readonly scrutin: Scrutin;
    readonly secret: string;
    readonly S: string;
    readonly bulletins: readonly {
      readonly VotantId: string;
      readonly choix: readonly (readonly number[])[];
      readonly V: string;
      readonly C: string;
      readonly bulletin: string;
      readonly recu: string;
    }[];
  }[];
  readonly audit: {
    readonly recu: string;
    readonly opened: Record<string, unknown> & { readonly aleas: string[] };
  };
}

const hash = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
const raw = (text: string): Buffer => Buffer.from(text, 'base64url');
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

describe('test vectors of ballots', () => {
  let vectors: Vectors;
  let group: typeof Group;
  let structure: typeof Structure;
  let ballot: typeof Ballot;

  const load = (name: string): Promise<unknown> => import(join(PACKAGE, `dist/encrypted/${name}.js`));

  beforeAll(async () => {
    vectors = JSON.parse(readFileSync(join(__dirname, '../../ballot/vectors.json'), 'utf8')) as Vectors;
    group = (await load('group')) as typeof Group;
    structure = (await load('structure')) as typeof Structure;
    ballot = (await load('ballot')) as typeof Ballot;
  });

  const electionOf = (scrutin: Scrutin): Structure.Election =>
    structure.electionOf(
      {
        ...scrutin,
        questions: scrutin.questions.map((question) => ({
          ...question,
          Options: question.Options.map((OptionId, place) => ({
            OptionId,
            Libelle: question.Libelles[place]!,
          })),
        })),
      },
      raw(scrutin.ceremonie),
      raw(scrutin.cle),
    );

  it('the hash and its scalar are equal', () => {
    const { name, parts, H, Hs } = vectors.hash;
    const given = parts.map((part) => Buffer.from(part, 'hex'));
    expect([text(group.hashOf(name, ...given)), text(group.challenge(name, ...given))]).toEqual([H, Hs]);
  });

  it('S, V, C and receipts are equal, proofs hold, and the secret decrypts the choices', () => {
    expect(vectors.votes.length).toBeGreaterThan(0);
    for (const { scrutin, S, bulletins, secret } of vectors.votes) {
      const election = electionOf(scrutin);
      expect(text(election.structure)).toBe(S);
      expect(text(group.timesBase(raw(secret)))).toBe(scrutin.cle);
      for (const { VotantId, choix, V, C, bulletin, recu } of bulletins) {
        expect(structure.voterOf(election.campaign, VotantId)).toBe(V);
        const sealed = ballot.readBallot(raw(bulletin), election.questions);
        const bound = group.hashOf('bulletin', election.ceremony, election.structure, raw(V), sealed.X);
        expect(text(bound)).toBe(C);
        expect(text(hash(raw(bulletin)))).toBe(recu);
        expect(() => ballot.assertProven(sealed, raw(V), election)).not.toThrow();
        const found = sealed.slots.map((slots) =>
          slots.map(({ alpha, beta }) =>
            group.isIdentity(group.minus(beta, group.times(raw(secret), alpha))) ? 0 : 1,
          ),
        );
        const expected = choix.map((chosen, place) => [
          Number(chosen.length === 0),
          ...scrutin.questions[place]!.Options.map((_, option) => Number(chosen.includes(option))),
        ]);
        expect(found).toEqual(expected);
        // The control: the proofs hold for no other voter.
        expect(() => ballot.assertProven(sealed, raw(S), election)).toThrow('does not hold');
      }
    }
  });

  it('mandat-verify accepts the opened ballot, and refuses it with another alea', () => {
    const { opened } = vectors.audit;
    const check = (audit: object): number | null =>
      run({ 'audit.json': JSON.stringify(audit) }, ['ballot', 'audit.json']).status;
    expect(check(opened)).toBe(0);
    expect(check({ ...opened, aleas: [...opened.aleas].reverse() })).toBe(1);
  });
});

interface GuardianVectors {
  readonly campagneId: string;
  readonly gardiens: readonly string[];
  readonly seuil: number;
  readonly fichiers: readonly object[];
  readonly empreintes: readonly string[];
  readonly tours: readonly string[];
  readonly cle: string;
  readonly partsPubliques: readonly string[];
  /** Numbers of options of the questions. */
  readonly options: readonly number[];
  /** Files of the bundle. The ballots have ciphertexts and no proofs. */
  readonly bulletins: string;
  readonly sommes: string;
  readonly depouillement: string;
  readonly dechiffrements: readonly object[];
  readonly resultats: readonly (readonly {
    abstentions: number;
    bulletins: number;
    classe: number;
    options: number[];
    poids: string[];
    poidsAbstentions: string;
    total: string;
  }[])[];
}

const GUARDIAN_FILE = join(__dirname, '../../guardian/vectors.json');

describe('test vectors of guardians', () => {
  let vectors: GuardianVectors;
  const load = (name: string): Promise<unknown> => import(join(PACKAGE, `dist/encrypted/${name}.js`));
  const linesOf = (files: readonly object[]): string => files.map((file) => `${canonical(file)}\n`).join('');
  const weight = (decimal: string): bigint => BigInt(Math.round(Number(decimal) * 10_000));

  beforeAll(() => {
    vectors = JSON.parse(readFileSync(GUARDIAN_FILE, 'utf8')) as GuardianVectors;
  });

  /** Checks ceremony, sums, decryptions and figures of the vectors after a change, and returns the differences. */
  async function checked(
    change: (vectors: GuardianVectors) => GuardianVectors,
  ): Promise<{ found: string[]; ceremony: Ceremony.Ceremony | undefined; output: string; result: string[] }> {
    const { checkCeremony } = (await load('ceremony')) as typeof Ceremony;
    const { checkSums } = (await load('sums')) as typeof Sums;
    const { checkDecryptions, checkFigures } = (await load('decryptions')) as typeof Decryptions;
    const group = (await load('group')) as typeof Group;
    const given = change(structuredClone(vectors));
    const { campagneId, gardiens, seuil, options, resultats } = given;
    const files: Record<string, string> = {
      'chiffrement/ceremonie.ndjson': linesOf(given.fichiers),
      'chiffrement/bulletins.ndjson': given.bulletins,
      'chiffrement/sommes.ndjson': given.sommes,
      'chiffrement/dechiffrements.ndjson': linesOf(given.dechiffrements),
    };
    const bundle = {
      entry: (name: string) => name,
      archive: {
        lines: (name: string) =>
          files[name]!.trimEnd()
            .split('\n')
            .map((line) => Buffer.from(line)),
        digest: (name: string) => hash(Buffer.from(files[name]!)),
      },
    };
    const vote = {
      chiffrement: { gardiens, seuil, cle: raw(given.cle), ceremonie: raw(given.tours[2]!) },
      classes: resultats.map(([first]) => ({
        ...{ classe: first!.classe, bulletins: first!.bulletins, poids: weight(first!.total) },
      })),
    };
    const ballots = given.bulletins
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { bulletin: string; classe: number; poids: string });
    const added = ballots.map(({ bulletin, classe, poids }) => {
      const bytes = raw(bulletin);
      const sums = Array.from({ length: (bytes.length - 1) / 32 }, (_, at) =>
        bytes.subarray(1 + 32 * at, 33 + 32 * at),
      );
      return { class: classe, weight: weight(poids), sums };
    });
    const answers = options.map((_, place) => ({
      ofClasses: resultats.map((questions, line) => {
        const { abstentions, poidsAbstentions, options: numbers, poids } = questions[place]!;
        const figure = (name: string, number: number, decimal: string): object => ({
          ...{ name, number, weightName: `weight of ${name}`, weight: weight(decimal) },
        });
        const figures = numbers.map((number, option) => figure(`options[${option}]`, number, poids[option]!));
        return { line, figures: [figure('abstentions', abstentions, poidsAbstentions), ...figures] };
      }),
    }));
    const findings = new verifier.Findings();
    const ceremony = checkCeremony(bundle as never, { campagneId } as never, vote as never, findings);
    const questions = options.map((number) => ({ options: number, least: 1, most: number }));
    const sums = checkSums(bundle as never, vote as never, questions, added, findings);
    const decrypted =
      ceremony && sums
        ? checkDecryptions(bundle as never, { campagneId } as never, ceremony, sums, findings, () => {})
        : undefined;
    if (decrypted)
      checkFigures({ ...vote, questions: options } as never, sums!, decrypted, answers as never, findings);
    return {
      found: findings.differences.map(({ fichier, ligne, chiffre }) => `${fichier}:${ligne}: ${chiffre}`),
      ceremony,
      output: findings.checks.map(({ en }) => en).join('\n'),
      result: (decrypted ?? []).map((point) => `${group.logOf(point, 1_000_000n)}`),
    };
  }

  it('ceremony, sums, decryptions and results hold; key, digest, public shares and fingerprints are equal', async () => {
    const { found, ceremony, output, result } = await checked((given) => given);
    expect(found).toEqual([]);
    expect([text(ceremony!.key), text(ceremony!.digest)]).toEqual([vectors.cle, vectors.tours[2]]);
    expect(ceremony!.guardians.map(({ share }) => text(share))).toEqual(vectors.partsPubliques);
    for (const [index, name] of vectors.gardiens.entries())
      expect(output).toContain(`${name} ${vectors.empreintes[index]}`);
    expect(result.length).toBeGreaterThan(0);
    expect(result).not.toContain('undefined');
  });

  it('a changed file, figure or sum differs', async () => {
    const last = vectors.fichiers.length;
    const ceremony = await checked((given) => ({
      ...given,
      fichiers: given.fichiers.map((file, at) => (at === last - 1 ? { ...file, gardien: 1 } : file)),
    }));
    expect(ceremony.found).toContain(`chiffrement/ceremonie.ndjson:${last}: signature`);
    const figure = await checked((given) => ({
      ...given,
      resultats: given.resultats.map((questions, at) =>
        at === 0
          ? [{ ...questions[0]!, abstentions: questions[0]!.abstentions + 1 }, ...questions.slice(1)]
          : questions,
      ),
    }));
    expect(figure.found).toContain('questions/00.ndjson:0: abstentions');
    const other = await checked((given) => ({
      ...given,
      bulletins: given.bulletins.replace('"classe":2', '"classe":1'),
    }));
    expect(other.found).toContain('chiffrement/dechiffrements.ndjson:1: depouillement');
    expect(other.found).toContain('chiffrement/sommes.ndjson:1: nombres[0][0]: α');
  });
});
