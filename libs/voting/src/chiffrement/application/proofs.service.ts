import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { join } from 'node:path';
import { Threads } from '#platform/limits/threads';
import type { DecryptedSum, SealedScrutin } from '../persistence/chiffrement.repository';

/** The ceremony of a campaign so far, as guardians download it. */
export interface CeremonyDocument {
  readonly campagneId: string;
  readonly seuil: number;
  readonly gardiens: readonly string[];
  readonly fichiers: readonly object[];
}

/** A failed check of a file, and the guardian who is at fault. */
export interface FileFault {
  readonly check: string;
  /** The guardian whose number the file has, unless it has none. */
  readonly guardian: number | undefined;
}

/** The result of a check of a file: its canonical text, or what is wrong with it. */
export type CheckedFile = { readonly contenu: string } | { readonly fault: FileFault };

/** A finished ceremony. */
export interface CeremonyState {
  /** The open round; 4 behind the last one. */
  readonly tour: number;
  /** Numbers of the guardians whose file of the round is missing. */
  readonly attendus: readonly number[];
  readonly cle?: Uint8Array;
  readonly ceremonie?: Uint8Array;
  /** The guardian who has cheated: the ceremony has ended. */
  readonly fautif?: number;
}

/** The places of the chosen options of each question. An empty list is an abstention. */
export type Choix = readonly (readonly number[])[];

/** The sums that the guardians decrypt, and their files. */
export interface Decryptions {
  readonly ceremony: CeremonyDocument;
  /** Number of options of each question. */
  readonly options: readonly number[];
  /** SHA-256 of bulletins.ndjson. */
  readonly bulletins: Uint8Array;
  /** Lines of sommes.ndjson, without their ends. */
  readonly sommes: readonly string[];
}

/** A piece of work for the thread. Lines of ballots come before the end of their sums. */
export type ProofMessage =
  | {
      readonly kind: 'bulletin';
      readonly scrutin: SealedScrutin;
      readonly votantId: string;
      readonly bulletin: Uint8Array;
    }
  | {
      readonly kind: 'scellement';
      readonly scrutin: SealedScrutin;
      readonly votantId: string;
      readonly choix: Choix;
    }
  | { readonly kind: 'ceremonie'; readonly ceremony: CeremonyDocument; readonly fichier?: object }
  | { readonly kind: 'bulletins'; readonly scrutin: SealedScrutin; readonly lignes: readonly string[] }
  | { readonly kind: 'sommes'; readonly scrutin: SealedScrutin }
  | { readonly kind: 'dechiffrement'; readonly of: Decryptions; readonly fichier: object }
  | { readonly kind: 'resultat'; readonly of: Decryptions; readonly fichiers: readonly object[] };

/** Threads of each kind at once. */
const AT_ONCE = 2;

/** Checks proofs and adds ciphertexts in threads, because a ballot keeps a processor busy for milliseconds (docs/encrypted-vote.md). */
@Injectable()
export class ProofsService implements OnApplicationShutdown {
  /** A ballot takes milliseconds, so all threads may check those of one client. */
  private readonly ballots = this.threads(30_000, AT_ONCE);
  /** Sums of a large vote take minutes. */
  private readonly counts = this.threads(30 * 60_000);

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.ballots.close(), this.counts.close()]);
  }

  /** @returns the name of the check that a ballot fails; undefined for a right one */
  ballotFault(
    client: string,
    scrutin: SealedScrutin,
    votantId: string,
    bulletin: Uint8Array,
  ): Promise<string | undefined> {
    return this.one(this.ballots, client, { kind: 'bulletin', scrutin, votantId, bulletin });
  }

  /** Seals a synthetic ballot. @returns its bytes, base64url */
  sealed(client: string, scrutin: SealedScrutin, votantId: string, choix: Choix): Promise<string> {
    return this.one(this.ballots, client, { kind: 'scellement', scrutin, votantId, choix });
  }

  ceremonyState(client: string, ceremony: CeremonyDocument): Promise<CeremonyState> {
    return this.one(this.ballots, client, { kind: 'ceremonie', ceremony });
  }

  checkFile(client: string, ceremony: CeremonyDocument, fichier: object): Promise<CheckedFile> {
    return this.one(this.ballots, client, { kind: 'ceremonie', ceremony, fichier });
  }

  /** @returns the lines of sommes.ndjson without their ends, and the SHA-256 of bulletins.ndjson */
  sums(
    client: string,
    scrutin: SealedScrutin,
    ballots: AsyncIterable<readonly string[]>,
  ): Promise<{ readonly lignes: readonly string[]; readonly bulletins: Uint8Array }> {
    return this.counts.run(client, async (post: (message: ProofMessage) => void) => {
      for await (const lignes of ballots) post({ kind: 'bulletins', scrutin, lignes });
      post({ kind: 'sommes', scrutin });
    });
  }

  checkDecryption(client: string, of: Decryptions, fichier: object): Promise<CheckedFile> {
    return this.one(this.counts, client, { kind: 'dechiffrement', of, fichier });
  }

  result(client: string, of: Decryptions, fichiers: readonly object[]): Promise<readonly DecryptedSum[]> {
    return this.one(this.counts, client, { kind: 'resultat', of, fichiers });
  }

  private one<T>(threads: Threads, client: string, message: ProofMessage): Promise<T> {
    return threads.run(client, async (post: (message: ProofMessage) => void) => post(message));
  }

  private threads(timeMs: number, ofOneKey = 1): Threads {
    const limits = { atOnce: AT_ONCE, ofOneKey, memoryMb: 512, timeMs, idleMs: 60_000 };
    return new Threads(join(__dirname, 'proofs.thread.js'), limits);
  }
}
