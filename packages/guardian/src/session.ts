import {
  canonical,
  Ceremony,
  type CeremonyDocument,
  type CeremonyFile,
  ceremonyOf,
  type Fault,
  fingerprintOf,
  type Group,
} from '@mandat/ballot/guardians';
import { Failure } from './failure.js';
import { readText } from './files.js';
import { shown } from './output.js';
import type { Prompts } from './prompts.js';
import type { Secret, SecretFile } from './secret-file.js';
import type { Texts } from './texts.js';

/** The context of every command. */
export interface Context {
  readonly texts: Texts;
  readonly prompts: Prompts;
  readonly group: Group<Uint8Array>;
  readonly secretPath: string;
}

export type Known = Ceremony<Uint8Array>;

const MOST_BYTES = 1 << 22;
const ROUNDS = [1, 2, 3] as const;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const nameOf = ({ parameters }: Known, guardian: number): string =>
  shown(parameters.gardiens[guardian - 1] ?? '');

export const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** Reads a ceremony and checks everything in it. @throws Failure that names the guardian whose file is wrong */
export function readCeremony({ texts, group }: Context, path: string): Known {
  const document = documentOf(readText(texts, path, MOST_BYTES));
  if (!document) throw new Failure(texts.notCeremony(shown(path)));
  let ceremony: Known | Fault;
  try {
    ceremony = ceremonyOf(group, document);
  } catch (error) {
    if (error instanceof RangeError) throw new Failure(texts.notCeremony(shown(path)));
    throw error;
  }
  if (ceremony instanceof Ceremony) return ceremony;
  const { nom, gardien, estSigne } = ceremony;
  const name = gardien === undefined ? undefined : document.gardiens[gardien - 1];
  const reason = texts.faults[nom] + (gardien === undefined || estSigne ? '' : texts.unsigned);
  throw new Failure(texts.fault(gardien, name && shown(name), reason));
}

/** Returns undefined for a text that is no ceremony. Members that the service adds are left out. */
function documentOf(content: string): CeremonyDocument | undefined {
  let value: Partial<CeremonyDocument> | null;
  try {
    value = JSON.parse(content) as Partial<CeremonyDocument> | null;
  } catch {
    return undefined;
  }
  const { campagneId, seuil, gardiens, fichiers } = value ?? {};
  const isWhole =
    typeof campagneId === 'string' &&
    UUID.test(campagneId) &&
    Number.isInteger(seuil) &&
    Array.isArray(gardiens) &&
    gardiens.every((name) => typeof name === 'string') &&
    Array.isArray(fichiers);
  return isWhole ? { campagneId, seuil: seuil!, gardiens, fichiers } : undefined;
}

/** @throws Failure if a complaint has ended the ceremony */
export function assertNotFailed({ texts }: Context, ceremony: Known): void {
  const { failure } = ceremony;
  if (failure)
    throw new Failure(texts.failed(failure.gardien, nameOf(ceremony, failure.gardien), failure.plaignant));
}

/** The fingerprints of all guardians whose file of round 1 is there. */
export function fingerprintLines({ texts }: Context, ceremony: Known): string[] {
  const lines = ceremony.guardians.flatMap((guardian) => {
    const keys = ceremony.keys.get(guardian);
    return keys
      ? texts.fingerprint(guardian, `${fingerprintOf(keys.file)}  ${nameOf(ceremony, guardian)}`)
      : [];
  });
  return lines.length === 0 ? [] : [texts.fingerprints, ...lines];
}

/** @throws Failure if the secret does not belong to this ceremony, or if the ceremony has changed since the secret took part in it */
export function assertOwn({ texts }: Context, { path, secret }: SecretFile, ceremony: Known): void {
  const { campagneId, gardiens } = ceremony.parameters;
  const { gardien, nom } = secret;
  if (secret.campagneId !== undefined && secret.campagneId !== campagneId)
    throw new Failure(texts.otherCampaign(shown(path)));
  if (gardiens[gardien - 1]?.normalize('NFC') !== nom.normalize('NFC'))
    throw new Failure(texts.otherName(gardien, nameOf(ceremony, gardien), shown(nom)));
  for (const round of ROUNDS) assertOwnFile(texts, secret, ceremony, round);
  if (
    secret.ceremonie !== undefined &&
    (ceremony.round !== undefined || secret.ceremonie !== text(ceremony.digest(3)))
  )
    throw new Failure(texts.otherCeremony);
}

function assertOwnFile(texts: Texts, secret: Secret, ceremony: Known, round: 1 | 2 | 3): void {
  const made: CeremonyFile | undefined = secret.fichiers[round];
  const there = ceremony.filesOf(round).get(secret.gardien)?.file;
  if (there && (!made || canonical(there) !== canonical(made))) throw new Failure(texts.foreignFile(round));
  if (!made || there || made.tour === 1) return;
  // The file was made but not taken in. It answers the files of the round before, as they were then.
  const before = (round - 1) as 1 | 2;
  const isSame =
    ceremony.filesOf(before).size === ceremony.guardians.length &&
    made.precedent === text(ceremony.digest(before));
  if (!isSame) throw new Failure(texts.otherHistory(before));
}
