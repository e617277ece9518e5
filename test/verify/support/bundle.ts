import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from 'node:crypto';
import { consistency, inclusion, root, sha256 } from './merkle';

/** Writes bundles in the format of docs/verification.md from plain ballots, without code of the verifier or service. */

export interface Question {
  readonly Titre?: string;
  readonly Type: 'Proposition' | 'ChoixLibre' | 'Election';
  readonly EstPreferentiel: boolean;
  readonly MinReponses?: number;
  readonly MaxReponses?: number;
  readonly NombreElus?: number | null;
  readonly Decimales?: number;
  /** Labels of the options. */
  readonly options: readonly string[];
}

export interface Ballot {
  readonly classe?: number;
  readonly poids?: string;
  readonly syndicat?: string | null;
  readonly employeur?: string | null;
  /** Places of the options for each question. */
  readonly reponses: readonly (readonly number[])[];
}

export interface Spec {
  /** Version of the format. */
  readonly version?: 1 | 2 | 3 | 4;
  readonly titre?: string;
  readonly seuilAnonymat?: number;
  /** Lowercase hex. */
  readonly graine?: string;
  readonly grainePartenaire?: string | null;
  readonly questions: readonly Question[];
  readonly ballots: readonly Ballot[];
  /** Voters who have not voted. */
  readonly others?: readonly { poids?: string; syndicat?: string | null; droit?: boolean }[];
  /** The body of resultats.json. */
  readonly resultats: unknown;
  /** Sizes of the checkpoints before the last one. */
  readonly sizes?: readonly number[];
  /** Changes files before they are signed. */
  readonly forge?: (files: Map<string, Buffer>) => void;
  readonly forgeManifest?: (manifest: Record<string, unknown>) => void;
  readonly key?: KeyObject;
  /** Makes other receipts. */
  readonly receipts?: string;
  /** The digests in recus.bin, if they are not those of the receipts. */
  readonly leaves?: readonly Buffer[];
}

export interface Made {
  readonly tar: Buffer;
  readonly jwks: string;
  readonly emargement: string;
  readonly receipts: readonly string[];
  noteOf(size: number): string;
  proofOf(index: number, size: number): object;
  growthOf(de: number, a: number): object;
  attestationOf(index: number): string;
  voterOf(index: number): Record<string, string>;
}

/** Deterministic bytes. A fixture has the same bytes in each run. */
const bytesOf = (text: string): Buffer => createHash('sha256').update(text).digest();
export const GRAINE = '677261696e65';
export const CAMPAIGN = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c01';
export const idOf = (kind: string, index: number): string => {
  const hex = bytesOf(`${kind} ${index}`).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};
export const questionId = (question: number): string => idOf('question', question);
export const optionId = (question: number, option: number): string =>
  idOf(`option of question ${question}`, option);

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
export const keyOf = (seed: string): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8, bytesOf(seed)]), format: 'der', type: 'pkcs8' });

export function canonical(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical((value as Record<string, unknown>)[name])}`).join(',')}}`;
}

/** Sums decimals of up to four decimals. */
export function sum(decimals: readonly string[]): string {
  const parts = decimals.reduce((all, one) => all + BigInt(Math.round(Number(one) * 10_000)), 0n);
  const behind = (parts % 10_000n).toString().padStart(4, '0').replace(/0+$/, '');
  return `${parts / 10_000n}${behind === '' ? '' : `.${behind}`}`;
}

export function tarOf(files: Iterable<readonly [string, Buffer]>): Buffer {
  const parts: Buffer[] = [];
  for (const [name, content] of files) {
    const header = Buffer.alloc(512);
    const octal = (value: number, length: number): string => value.toString(8).padStart(length - 1, '0');
    for (const [at, field] of [
      [0, name],
      [100, octal(0o644, 8)],
      [108, octal(0, 8)],
      [116, octal(0, 8)],
      [124, octal(content.length, 12)],
      [136, octal(0, 12)],
      [148, '        '],
      [156, '0'],
      [257, 'ustar\x0000'],
    ] as const)
      header.write(field, at, 'latin1');
    const checksum = header.reduce((all, byte) => all + byte, 0);
    header.write(`${octal(checksum, 7)}\0 `, 148, 'latin1');
    parts.push(header, content, Buffer.alloc((512 - (content.length % 512)) % 512));
  }
  return Buffer.concat([...parts, Buffer.alloc(1024)]);
}

export function bundleOf(spec: Spec): Made {
  const { version = 3, ballots, others = [], seuilAnonymat = 1 } = spec;
  const { graine = GRAINE, grainePartenaire = null } = spec;
  const key = spec.key ?? keyOf('service');
  const jwk = createPublicKey(key).export({ format: 'jwk' });
  const x = jwk.x!;
  const kid = sha256(canonical({ crv: 'Ed25519', kty: 'OKP', x })).toString('base64url');
  const header = Buffer.from(canonical({ alg: 'EdDSA', kid })).toString('base64url');
  const jws = (payload: Buffer | string): string[] => {
    const body = Buffer.from(payload).toString('base64url');
    return [header, body, sign(null, Buffer.from(`${header}.${body}`), key).toString('base64url')];
  };

  const receipts = ballots.map((_, index) =>
    bytesOf(`${spec.receipts ?? 'receipt'} ${index}`).toString('base64url'),
  );
  const leaves = spec.leaves ?? receipts.map((receipt) => sha256(receipt));
  const origin = `mandat/campagnes/${CAMPAIGN}`;
  const noteOf = (size: number): string => {
    const body = `${origin}\n${size}\n${root(leaves.slice(0, size)).toString('base64')}\n`;
    const id = sha256(`${origin}\n`, Buffer.of(1), Buffer.from(x, 'base64url')).subarray(0, 4);
    const signature = Buffer.concat([id, sign(null, Buffer.from(body), key)]).toString('base64');
    return `${body}\n— ${origin} ${signature}\n`;
  };

  const voters = [
    ...ballots.map(({ poids = '1', syndicat = null, employeur = null }) => ({
      ...{ ADroitDeVote: true, AVote: true, EmployeurIdentifiantExterne: employeur, Poids: poids },
      SyndicatIdExterne: syndicat,
    })),
    ...others.map(({ poids = '1', syndicat = null, droit = true }) => ({
      ...{ ADroitDeVote: droit, AVote: false, EmployeurIdentifiantExterne: null, Poids: poids },
      SyndicatIdExterne: syndicat,
    })),
  ].map((voter, index) => {
    const line = { ...voter, VotantId: idOf('voter', index) };
    const salt = bytesOf(`salt ${index}`);
    return { line, salt, leaf: sha256(Buffer.of(0), salt, canonical(line)) };
  });

  const classOf = ({ classe = 1 }: Ballot): number => classe;
  const numbers = [...new Set(ballots.map(classOf))].sort((one, other) => one - other);
  const weightsOf = (those: readonly { poids?: string }[]): string =>
    sum(those.map(({ poids = '1' }) => poids));
  const scrutin = {
    ...{ campagneId: CAMPAIGN, titre: spec.titre ?? 'Élection du comité', seuilAnonymat },
    ouvertureDuVoteUtc: '2026-11-02T08:00:00.000Z',
    fermetureDuVoteUtc: '2026-11-09T17:00:00.000Z',
    ...(version === 1
      ? {}
      : { empreinteGraineDepartage: sha256(Buffer.from(graine, 'hex')).toString('hex') }),
    ...{ graineDepartage: graine, grainePartenaire },
    questions: spec.questions.map((question, place) => ({
      QuestionId: questionId(place),
      Titre: question.Titre ?? `Question ${place}`,
      Type: question.Type,
      EstPreferentiel: question.EstPreferentiel,
      MinReponses: question.MinReponses ?? 1,
      MaxReponses: question.MaxReponses ?? question.options.length,
      NombreElus: question.Type === 'Election' ? (question.NombreElus ?? 1) : null,
      Decimales: question.Decimales ?? 0,
      Options: question.options.map((Libelle, option) => ({ OptionId: optionId(place, option), Libelle })),
    })),
    classes: numbers.map((classe) => {
      const those = ballots.filter((ballot) => classOf(ballot) === classe);
      const pairs = those.map(({ syndicat = null, employeur = null }) =>
        canonical({ syndicatIdExterne: syndicat, employeurIdentifiantExterne: employeur }),
      );
      return {
        ...{ classe, bulletins: those.length, poids: weightsOf(those) },
        perimetres: [...new Set(pairs)].sort().map((pair) => JSON.parse(pair) as unknown),
      };
    }),
  };

  const files = new Map<string, Buffer>();
  const add = (name: string, content: string | Buffer): unknown =>
    files.set(name, Buffer.from(content as Buffer));
  add('scrutin.json', canonical(scrutin));
  for (const place of spec.questions.keys()) {
    const groups = Map.groupBy(ballots, (ballot) => `${classOf(ballot)} ${ballot.reponses[place]!.join()}`);
    const lines = [...groups.values()].map((those) =>
      canonical({
        ...{ bulletins: those.length, classe: classOf(those[0]!), poids: weightsOf(those) },
        reponse: those[0]!.reponses[place],
      }),
    );
    const name = `questions/${String(place).padStart(2, '0')}.ndjson`;
    add(
      name,
      lines
        .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
        .map((line) => `${line}\n`)
        .join(''),
    );
  }
  add('recus.bin', Buffer.concat(leaves));
  add(
    'liste.bin',
    Buffer.concat(voters.map(({ leaf }) => leaf).sort((one, other) => Buffer.compare(one, other))),
  );
  const sizes = ballots.length === 0 ? [] : [...(spec.sizes ?? []), ballots.length];
  add(
    'engagements.ndjson',
    sizes
      .map(
        (taille) =>
          `${canonical({ note: noteOf(taille), racine: root(leaves.slice(0, taille)).toString('base64url'), taille })}\n`,
      )
      .join(''),
  );
  add('resultats.json', canonical(spec.resultats));

  const entitled = voters.filter(({ line }) => line.ADroitDeVote);
  const poidsOf = (those: typeof voters): string => sum(those.map(({ line }) => line.Poids));
  spec.forge?.(files);
  const manifest: Record<string, unknown> = {
    ...{ version, campagneId: CAMPAIGN },
    totalVotants: voters.length,
    totalVotantsAvecDroitDeVote: entitled.length,
    ...{ votantsAyantVote: ballots.length, bulletins: ballots.length, recus: ballots.length },
    ...{ poidsVotants: poidsOf(voters), poidsVotantsAvecDroitDeVote: poidsOf(entitled) },
    poidsBulletins: weightsOf(ballots),
    modificationsApresOuverture: { ajoutes: 0, retires: 0, modifies: 0 },
    ...(version >= 3
      ? {
          listes: {
            nombre: 1,
            empreinteCriteres: sha256('{}\n').toString('hex'),
            empreinteMotifs: sha256('{}').toString('hex'),
          },
        }
      : {}),
    fichiers: [...files].map(([nom, content]) => ({
      ...{ nom, octets: content.length },
      sha256: sha256(content).toString('hex'),
    })),
  };
  spec.forgeManifest?.(manifest);
  const signed = Buffer.from(canonical(manifest));
  const [, , signature] = jws(signed);
  const all: [string, Buffer][] = [
    ['manifeste.json', signed],
    ['manifeste.jws', Buffer.from(`${header}..${signature}`)],
    ...files,
  ];
  return {
    tar: tarOf(all),
    jwks: JSON.stringify({ keys: [{ kty: 'OKP', crv: 'Ed25519', x, kid, use: 'sig', alg: 'EdDSA' }] }),
    emargement: voters
      .map(({ line, salt }) => `${JSON.stringify({ ...line, Sel: salt.toString('base64url') })}\n`)
      .join(''),
    receipts,
    noteOf,
    proofOf: (index, size) => ({
      EmpreinteRecu: leaves[index]!.toString('base64url'),
      ...{ Index: index, Taille: size },
      Chemin: inclusion(index, leaves.slice(0, size)).map((hash) => hash.toString('base64url')),
      Engagement: noteOf(size),
    }),
    growthOf: (de, a) => ({
      ...{ de, a },
      preuve: consistency(de, leaves.slice(0, a)).map((hash) => hash.toString('base64url')),
    }),
    attestationOf: (index) =>
      jws(canonical({ campagneId: CAMPAIGN, empreinteRecu: leaves[index]!.toString('base64url') })).join('.'),
    voterOf: (index) => {
      const { line, salt, leaf } = voters[index]!;
      return {
        ...{ VotantId: line.VotantId, Ligne: canonical(line) },
        ...{ Sel: salt.toString('base64url'), Feuille: leaf.toString('base64url') },
      };
    },
  };
}
