import type { Choix, Scrutin } from '@mandat/ballot';
import { seal } from '@mandat/ballot';
import {
  base64url,
  ceremonyOf,
  countOf,
  drawPolynomial,
  drawSecrets,
  type Group,
  type GuardianSecrets,
  libsodium,
  makeAgreement,
  makeDecryption,
  makeKeys,
  makeShares,
  type Polynomial,
  secretShare,
  type SharesFile,
} from '@mandat/ballot/guardians';
import { hash } from 'node:crypto';
import { signedFile } from '../../guardian/support/ballot';
import { times } from '../../membership/synced';
import type { Answer } from '../../setup/test-app';

/** A guardian with everything that they keep secret. */
interface Guardian {
  readonly number: number;
  readonly secrets: GuardianSecrets;
  readonly polynomial: Polynomial;
}

/** The part of an answer that guardians read. */
export type Said = Pick<Answer, 'status' | 'text' | 'json'>;

/** The part of `Votes` that guardians use. */
export interface GuardianCalls {
  readonly campaigns: {
    /** Returns the answer, which must be a success. */
    sent(method: string, path: string, body?: object): Promise<Said>;
    send(method: string, path: string, body?: object): Promise<Said>;
  };
  platformGet(rest: string): Promise<Said>;
}

type Ceremony = Exclude<ReturnType<typeof ceremonyOf<Uint8Array>>, { nom: unknown }>;

/** Guardians of an encrypted vote, who use the interface as `mandat-gardien` and its users do. */
export class Guardians {
  private constructor(
    private readonly votes: GuardianCalls,
    readonly id: string,
    readonly all: readonly Guardian[],
    private readonly group: Group<Uint8Array>,
  ) {}

  /** Makes a draft an encrypted vote. */
  static async of(
    votes: GuardianCalls,
    id: string,
    count: number,
    seuil: number,
    nameOf = (number: number): string => `Gardien ${number}`,
  ): Promise<Guardians> {
    const gardiens = times(count, (n) => ({ nom: nameOf(n + 1) }));
    await votes.campaigns.sent('PUT', `/${id}/chiffrement`, { gardiens, seuil });
    const all = times(count, (n) => ({
      number: n + 1,
      secrets: drawSecrets(),
      polynomial: drawPolynomial(seuil),
    }));
    return new Guardians(votes, id, all, await libsodium());
  }

  async document(): Promise<Answer['json']> {
    return (await this.votes.campaigns.sent('GET', `/${this.id}/chiffrement/ceremonie`)).json;
  }

  async ceremony(): Promise<Ceremony> {
    const { campagneId, seuil, gardiens, fichiers } = await this.document();
    const found = ceremonyOf(this.group, { campagneId, seuil, gardiens, fichiers });
    if ('nom' in found) throw new Error(found.nom);
    return found;
  }

  /** A guardian's file of the open round. */
  async file(number: number): Promise<object> {
    const { secrets, polynomial } = this.all[number - 1]!;
    const ceremony = await this.ceremony();
    if (ceremony.round === 1) return makeKeys(ceremony, number, secrets);
    if (ceremony.round === 2) return makeShares(ceremony, number, secrets, polynomial);
    return makeAgreement(ceremony, number, secrets);
  }

  send(file: object): Promise<Said> {
    return this.votes.campaigns.send('POST', `/${this.id}/chiffrement/ceremonie`, file);
  }

  /** Sends a file, which must be taken. */
  async bring(file: object): Promise<void> {
    const { status, text } = await this.send(file);
    if (status !== 200) throw new Error(text);
  }

  /** All rounds. */
  async finish(): Promise<void> {
    for (let round = 0; round < 3; round++)
      for (const { number } of this.all) await this.bring(await this.file(number));
  }

  /** A file of round 2 of a guardian who cheats: the others get wrong shares. */
  async wrongShares(number: number): Promise<object> {
    const file = (await this.file(number)) as SharesFile;
    const valeur = base64url(Uint8Array.of(1, ...times(31, () => 0)));
    const parts = file.parts.map((part) => ({ ...part, valeur }));
    const content = Object.entries({ ...file, parts }).filter(([name]) => name !== 'signature');
    return signedFile.sign(Object.fromEntries(content), this.all[number - 1]!.secrets.seed);
  }

  /** A guardian's decryption of the sums. */
  async decryption(number: number): Promise<object> {
    const { secrets, polynomial } = this.all[number - 1]!;
    const { campaigns } = this.votes;
    const ceremony = await this.ceremony();
    const { sommes } = (await campaigns.sent('GET', `/${this.id}/chiffrement/depouillement`)).json;
    const { text } = await campaigns.sent('GET', `/${this.id}/chiffrement/bulletins`);
    const { questions } = await this.scrutin();
    const lines = (sommes as string[]).map((line) => `${line}\n`).join('');
    const options = questions.map(({ Options }) => Options.length);
    const count = countOf(this.group, options, lines, hash('sha256', text, 'buffer'))!;
    const share = secretShare(ceremony, number, secrets, polynomial);
    return makeDecryption(ceremony, count, number, { seed: secrets.seed, share });
  }

  decrypt(file: object): Promise<Said> {
    return this.votes.campaigns.send('POST', `/${this.id}/chiffrement/depouillement`, file);
  }

  async scrutin(): Promise<Scrutin> {
    return (await this.votes.platformGet(`/${this.id}/scrutin`)).json;
  }

  /** A voter's sealed ballot. */
  async sealed(VotantId: string, choix: Choix): Promise<{ body: object; recu: string }> {
    const ballot = seal(await this.scrutin(), VotantId, choix);
    return { body: ballot.cast(), recu: ballot.recu };
  }
}
