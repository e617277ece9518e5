import { type Archive, type Entry } from './archive.js';
import { sha256 } from './bytes.js';
import { type Findings, Malformed, Unreadable } from './findings.js';
import { parsed, parsedCanonical } from './json.js';
import { DIGEST } from './merkle.js';
import { count, digest, exactly, flag, list, nullable, record, type Shape, text, weight } from './shapes.js';

/** The limits of the contract. */
const MOST_QUESTIONS = 200;

const MOST_OPTIONS = 500;

const MOST_GUARDIANS = 9;

const manifestMembers = {
  version: exactly(1, 2, 3, 4),
  campagneId: text,
  totalVotants: count,
  totalVotantsAvecDroitDeVote: count,
  votantsAyantVote: count,
  bulletins: count,
  recus: count,
  poidsVotants: weight,
  poidsVotantsAvecDroitDeVote: weight,
  poidsBulletins: weight,
  modificationsApresOuverture: record({ ajoutes: count, retires: count, modifies: count }),
  fichiers: list(record({ nom: text, octets: count, sha256: digest('hex') }), MOST_QUESTIONS + 10),
};
const manifestShape = record(manifestMembers);
/** From version 3 on. */
const listedShape = record({
  ...manifestMembers,
  listes: record({ nombre: count, empreinteCriteres: digest('hex'), empreinteMotifs: digest('hex') }),
});

const voteMembers = {
  campagneId: text,
  titre: text,
  ouvertureDuVoteUtc: text,
  fermetureDuVoteUtc: text,
  seuilAnonymat: count,
  graineDepartage: text,
  grainePartenaire: nullable(text),
  questions: list(
    record({
      QuestionId: text,
      Titre: text,
      Type: exactly('Proposition', 'ChoixLibre', 'Election'),
      EstPreferentiel: flag,
      MinReponses: count,
      MaxReponses: count,
      NombreElus: nullable(count),
      Decimales: exactly(0, 1, 2, 3, 4),
      Options: list(record({ OptionId: text, Libelle: text }), MOST_OPTIONS),
    }),
    MOST_QUESTIONS,
  ),
  classes: list(
    record({
      classe: count,
      bulletins: count,
      poids: weight,
      perimetres: list(
        record({ syndicatIdExterne: nullable(text), employeurIdentifiantExterne: nullable(text) }),
      ),
    }),
  ),
};
const voteShape = record(voteMembers);
/** From version 2 on. */
const committedMembers = { ...voteMembers, empreinteGraineDepartage: digest('hex') };
const committedShape = record(committedMembers);
/** Version 4. */
const encryptedShape = record({
  ...committedMembers,
  chiffrement: record({
    ceremonie: digest('base64url'),
    cle: digest('base64url'),
    gardiens: list(text, MOST_GUARDIANS),
    seuil: count,
  }),
});

type Of<S> = S extends Shape<infer T> ? T : never;
export type Manifest = Of<typeof manifestShape>;
export type Vote = Of<typeof voteShape> &
  Partial<Pick<Of<typeof encryptedShape>, 'empreinteGraineDepartage' | 'chiffrement'>>;
export type Question = Vote['questions'][number];
export type Perimeter = Vote['classes'][number]['perimetres'][number];

export const MANIFEST = 'manifeste.json';
export const SIGNATURE = 'manifeste.jws';
export const VOTE = 'scrutin.json';
export const RECEIPTS = 'recus.bin';
export const ROLL = 'liste.bin';
export const CHECKPOINTS = 'engagements.ndjson';
export const RESULTS = 'resultats.json';

/** The version of encrypted votes, and the files that only they have. */
export const ENCRYPTED = 4;
export const CEREMONY = 'chiffrement/ceremonie.ndjson';
export const BALLOTS = 'chiffrement/bulletins.ndjson';
export const SUMS = 'chiffrement/sommes.ndjson';
export const DECRYPTIONS = 'chiffrement/dechiffrements.ndjson';

/** Names of the questions' files; three digits from 100 on. */
export const questionFile = (place: number): string => `questions/${String(place).padStart(2, '0')}.ndjson`;

/** Sizes up to which a file is read as a whole. */
const MOST_BYTES: Record<string, number> = {
  [MANIFEST]: 1 << 20,
  [SIGNATURE]: 1 << 12,
  [VOTE]: 500 * 1024 * 1024,
  [RESULTS]: 500 * 1024 * 1024,
  [RECEIPTS]: 1 << 30,
  [ROLL]: 1 << 30,
};

/** The files of a bundle. */
export class Bundle {
  private readonly byName: ReadonlyMap<string, Entry>;

  constructor(readonly archive: Archive) {
    this.byName = new Map(archive.entries.map((entry) => [entry.name, entry]));
  }

  /** @throws Malformed if the file is missing. */
  entry(name: string): Entry {
    const entry = this.byName.get(name);
    if (!entry) throw new Malformed('file', 'present', 'missing');
    return entry;
  }

  bytes(name: string): Buffer {
    return this.archive.read(this.entry(name), MOST_BYTES[name]!);
  }

  /** Returns the value of a JSON file. Every file except the results must be canonical. */
  json(name: string): unknown {
    return (name === RESULTS ? parsed : parsedCanonical)(this.bytes(name));
  }

  /** Returns the digests of a file of 32 bytes each. */
  digests(name: string): Buffer {
    const bytes = this.bytes(name);
    if (bytes.length % DIGEST !== 0) throw new Malformed('size', 'a multiple of 32', `${bytes.length}`);
    return bytes;
  }
}

/** Returns the manifest. @throws Unreadable if it cannot be read, because every check needs it. */
export function readManifest(bundle: Bundle): Manifest {
  try {
    const found = bundle.json(MANIFEST);
    const version = (found as { version?: unknown } | null)?.version;
    const shape = version === 3 || version === ENCRYPTED ? listedShape : manifestShape;
    return shape(found, '');
  } catch (error) {
    if (error instanceof Malformed)
      throw new Unreadable(`manifeste.json cannot be read: ${error.message}. Download the bundle again.`);
    throw error;
  }
}

/** Returns what was voted on, and records what contradicts the manifest or itself. */
export function readVote(bundle: Bundle, manifest: Manifest, findings: Findings): Vote | undefined {
  const checked = findings.begin();
  const vote = findings.attempt(VOTE, (): Vote => {
    const found = bundle.json(VOTE);
    if (manifest.version === 1) return voteShape(found, '');
    const committed = (manifest.version === ENCRYPTED ? encryptedShape : committedShape)(found, '');
    checkSeed(committed, findings);
    return committed;
  });
  if (!vote) return undefined;
  const same = findings.same.bind(findings, VOTE);
  same('campagneId', manifest.campagneId, vote.campagneId);
  if (vote.questions.length === 0) findings.differs(VOTE, 'questions', 'at least one', 0);
  const isUnique = (names: readonly string[]): boolean => new Set(names).size === names.length;
  same('QuestionId are different', true, isUnique(vote.questions.map(({ QuestionId }) => QuestionId)));
  for (const [place, question] of vote.questions.entries()) {
    const { Type, EstPreferentiel, MinReponses, MaxReponses, NombreElus, Options } = question;
    const at = `questions[${place}]`;
    same(`${at}: OptionId are different`, true, isUnique(Options.map(({ OptionId }) => OptionId)));
    same(`${at}.NombreElus is null`, Type !== 'Election', NombreElus === null);
    if (NombreElus === 0) findings.differs(VOTE, `${at}.NombreElus`, 'at least 1', 0);
    if (Type === 'Proposition') same(`${at}.EstPreferentiel`, false, EstPreferentiel);
    same(`${at}: MinReponses <= MaxReponses`, true, MinReponses <= MaxReponses);
    if (vote.chiffrement) {
      same(`${at}.EstPreferentiel of an encrypted vote`, false, EstPreferentiel);
      same(`${at}: MinReponses <= number of options`, true, Math.max(1, MinReponses) <= Options.length);
    }
  }
  if (vote.chiffrement) {
    const { gardiens, seuil } = vote.chiffrement;
    same(
      'chiffrement.seuil is from 1 to the number of gardiens',
      true,
      seuil >= 1 && seuil <= gardiens.length,
    );
  }
  checkClasses(vote, manifest, findings);
  checked({
    en: `scrutin.json: questions, and ${vote.classes.length} classes: numbers, sums, and at least ${vote.seuilAnonymat} ballots in each`,
    fr: `scrutin.json : questions, et ${vote.classes.length} classes : numéros, sommes, et au moins ${vote.seuilAnonymat} bulletins dans chacune`,
  });
  return vote;
}

/** Compares the seed of draws with its commitment, which the campaign has shown since its publication. */
function checkSeed(
  { graineDepartage, empreinteGraineDepartage }: Of<typeof committedShape>,
  findings: Findings,
): void {
  const checked = findings.begin();
  const expected = empreinteGraineDepartage.toString('hex');
  const isHex = /^(?:[0-9a-f]{2})+$/.test(graineDepartage);
  const found = isHex ? sha256(Buffer.from(graineDepartage, 'hex')).toString('hex') : 'no lowercase hex';
  findings.same(VOTE, 'SHA-256 of graineDepartage (empreinteGraineDepartage)', expected, found);
  checked({
    en: `scrutin.json: graineDepartage is the seed of the commitment ${expected}`,
    fr: `scrutin.json : graineDepartage est la graine de l’engagement ${expected}`,
  });
}

function checkClasses({ classes, seuilAnonymat }: Vote, manifest: Manifest, findings: Findings): void {
  const same = findings.same.bind(findings, VOTE);
  // In an encrypted vote, guardians decrypt no sum of fewer ballots, also if the whole vote has fewer.
  const allowed =
    manifest.version === ENCRYPTED ? seuilAnonymat : Math.min(seuilAnonymat, manifest.bulletins);
  const least = Math.max(1, allowed);
  for (const [place, { classe, bulletins, poids, perimetres }] of classes.entries()) {
    const at = `classes[${place}]`;
    same(`${at}.classe`, place + 1, classe);
    if (bulletins < least) findings.differs(VOTE, `${at}.bulletins`, `at least ${least}`, bulletins);
    if (poids === 0n) findings.differs(VOTE, `${at}.poids`, 'above 0', '0');
    if (perimetres.length === 0) findings.differs(VOTE, `${at}.perimetres`, 'at least one', 0);
    if (perimetres.length > bulletins)
      findings.differs(VOTE, `${at}.perimetres`, `at most ${bulletins}`, perimetres.length);
    const keys = perimetres.map(perimeterKey);
    const isSorted = keys.every(
      (key, index) => index === 0 || Buffer.compare(Buffer.from(keys[index - 1]!), Buffer.from(key)) < 0,
    );
    same(`${at}.perimetres are sorted and different`, true, isSorted);
  }
  const sum = (of: (one: Vote['classes'][number]) => bigint): string =>
    classes.reduce((total, one) => total + of(one), 0n).toString();
  same(
    'bulletins of all classes',
    `${manifest.bulletins}`,
    sum((one) => BigInt(one.bulletins)),
  );
  if (BigInt(sum((one) => one.poids)) !== manifest.poidsBulletins)
    findings.differs(
      VOTE,
      'poids of all classes (in 1/10,000)',
      `${manifest.poidsBulletins}`,
      sum((one) => one.poids),
    );
}

/** The canonical JSON of a pair, which orders pairs. */
export const perimeterKey = ({ syndicatIdExterne, employeurIdentifiantExterne }: Perimeter): string =>
  JSON.stringify({ employeurIdentifiantExterne, syndicatIdExterne });
