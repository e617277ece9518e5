import { CHIFFREMENT } from '../../domain/chiffrement.errors';
import { CAMPAGNE, VOTE } from '../../domain/voting.errors';
import { CHIFFREMENT_ACTIONS } from '../../domain/voting.actions';
import { Injectable } from '@nestjs/common';
import { hash } from 'node:crypto';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import { Databases } from '#platform/database/databases';
import { Transactions } from '#platform/database/transactions';
import { DomainError, invalidRequest } from '#platform/errors/domain-error';
import { fr, type Text } from '#platform/errors/text';
import { FairCache } from '#platform/limits/fair-cache';
import { inTurn } from '#platform/limits/list-parts';
import { CampagneRepository } from '../../campagne/persistence/campagne.repository';
import { LifecycleService } from '../../campagne/application/lifecycle.service';
import type { ChiffrementRecord, FichierRecord } from '../domain/chiffrement.fields';
import {
  type Chiffrement,
  ChiffrementRepository,
  ROUNDS,
  type SealedScrutin,
} from '../persistence/chiffrement.repository';
import { type CeremonyDocument, type Choix, type FileFault, ProofsService } from './proofs.service';

/** Seconds until the sums of a vote that has ended are asked for again. */
const SOON_S = 10;

/** Bytes of the votes that are kept. */
const MOST_KEPT = 16 * 2 ** 20;
/** Bytes of a kept vote, or of a text, besides its characters. */
const OVERHEAD = 64;

const sizeOf = (texts: readonly string[]): number =>
  texts.reduce((sum, { length }) => sum + 2 * length + OVERHEAD, OVERHEAD);

/** The voter of a ballot, and the campaign. */
export interface Ballot {
  readonly tenantId: string;
  readonly campagneId: string;
  readonly votantId: string;
}

/** Guardians, their ceremony and their decryptions (docs/encrypted-vote.md). */
@Injectable()
export class ChiffrementService {
  /** Votes by publication, which does not change. */
  private readonly scrutins = new FairCache<SealedScrutin>(MOST_KEPT, ({ questions }) =>
    questions.reduce(
      (sum, one) => sum + 2 * one.Titre.length + sizeOf(one.Options) + sizeOf(one.Libelles),
      OVERHEAD,
    ),
  );

  constructor(
    private readonly transactions: Transactions,
    private readonly databases: Databases,
    private readonly campagnes: CampagneRepository,
    private readonly lifecycle: LifecycleService,
    private readonly repository: ChiffrementRepository,
    private readonly proofs: ProofsService,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Makes a draft an encrypted vote, or replaces its guardians, who begin another ceremony.
   *
   * @throws DomainError `Campagne.NotFound`, `Campagne.StructureVerrouillee`, `Chiffrement.QuestionPreferentielle`, `Requete.Invalide`
   */
  async define(tenantId: string, actor: Actor, id: string, { gardiens, seuil }: ChiffrementRecord) {
    const names = gardiens.map(({ nom }) => nom);
    if (names.length === 0) throw fault('/gardiens', NO_GUARDIAN);
    if (new Set(names).size < names.length) throw fault('/gardiens', SAME_NAME);
    if (seuil > names.length) throw fault('/seuil', ABOVE_GUARDIANS);
    await this.transactions.run({ tenantId }, async () => {
      const { campagne, at } = await this.lifecycle.lockExclusively(tenantId, id);
      if (campagne.etat(at) !== 'Brouillon') throw new DomainError(CAMPAGNE.StructureVerrouillee);
      if (await this.repository.hasRankedQuestion(tenantId, id))
        throw new DomainError(CHIFFREMENT.QuestionPreferentielle);
      await this.repository.define(tenantId, id, seuil, names);
      await this.campagnes.touch(tenantId, id);
      this.audit.record(tenantId, actor, CHIFFREMENT_ACTIONS.definir, [id]);
    });
    return this.ceremony(tenantId, id);
  }

  /** The ceremony with all files so far. @throws DomainError `Campagne.NotFound`, `Chiffrement.NotFound` */
  async ceremony(tenantId: string, id: string) {
    const { known, document } = await this.transactions.read({ tenantId }, async () => {
      const found = await this.found(tenantId, id);
      return { known: found, document: await this.document(tenantId, id, found) };
    });
    const client = await this.transactions.clientOf({ tenantId });
    const { tour, attendus, fautif } = await this.proofs.ceremonyState(client, document);
    const nameOf = (number: number): string => document.gardiens[number - 1]!;
    return {
      ...document,
      gardiens: [...document.gardiens],
      fichiers: document.fichiers as FichierRecord[],
      tour: Math.min(tour, ROUNDS),
      attendus: attendus.map(nameOf),
      fautif: fautif === undefined ? null : nameOf(fautif),
      cle: known.cle?.toString('base64url') ?? null,
      ceremonie: known.ceremonie?.toString('base64url') ?? null,
    };
  }

  /**
   * Takes a guardian's file of the open round. The last one of the ceremony gives the vote its key.
   *
   * @throws DomainError `Campagne.NotFound`, `Chiffrement.NotFound`, `Chiffrement.FichierInvalide`, `Chiffrement.FichierInattendu`,
   * `Campagne.StructureVerrouillee`
   */
  async addFile(tenantId: string, actor: Actor, id: string, record: FichierRecord) {
    const fichier = present(record);
    const client = await this.transactions.clientOf({ tenantId });
    await this.transactions.run({ tenantId }, async () => {
      const { campagne, at } = await this.campagnes.lock(tenantId, id, 'structure');
      const known = await this.found(tenantId, id);
      const document = await this.document(tenantId, id, known);
      const { gardien, tour } = record;
      const isKept = document.fichiers.some((one) => isFileOf(one, tour, gardien));
      if (!isKept && campagne.etat(at) !== 'Brouillon') throw new DomainError(CAMPAGNE.StructureVerrouillee);
      const state = await this.proofs.ceremonyState(client, document);
      if (isKept ? !isSame(document, fichier) : !state.attendus.includes(gardien) || state.tour !== tour)
        throw new DomainError(CHIFFREMENT.FichierInattendu);
      // A file that is sent again has been checked.
      if (isKept) return;
      const checked = await this.proofs.checkFile(client, document, fichier);
      if ('fault' in checked) throw invalidFile(checked.fault, document.gardiens);
      await this.repository.addFile(tenantId, id, { tour, gardien, contenu: checked.contenu });
      const after = await this.proofs.ceremonyState(client, {
        ...document,
        fichiers: [...document.fichiers, fichier],
      });
      if (after.cle && after.ceremonie)
        await this.repository.finish(tenantId, id, after.cle, after.ceremonie);
      this.audit.record(tenantId, actor, CHIFFREMENT_ACTIONS.fichier, [id]);
    });
    return this.ceremony(tenantId, id);
  }

  /** Returns the key and the structure by which a voter's device seals a ballot. @throws DomainError `Campagne.NotFound`, `Chiffrement.NotFound` */
  async scrutin(tenantId: string, id: string): Promise<SealedScrutin> {
    const scrutin = await this.repository.scrutin(tenantId, id);
    if (scrutin) return scrutin;
    await this.campagnes.assertExists(tenantId, id);
    throw new DomainError(CHIFFREMENT.NotFound);
  }

  /**
   * Checks all proofs of a ballot, and that it was sealed for this voter.
   *
   * @param publications how often the campaign has been published; the ballot of another publication is refused when it is written
   * @throws DomainError `Vote.PreuveInvalide`
   */
  async assertProven(client: string, of: Ballot, publications: number, bulletin: Uint8Array): Promise<void> {
    const key = `${of.tenantId} ${of.campagneId} ${publications}`;
    const read = () => this.scrutin(of.tenantId, of.campagneId);
    const scrutin = (await this.scrutins.fetch(client, key, read))!;
    const check = await this.proofs.ballotFault(client, scrutin, of.votantId, bulletin);
    if (check === undefined) return;
    throw new DomainError(VOTE.PreuveInvalide, {
      en: `The ballot fails the check "${check}". Nothing was written: seal the ballot anew on the voter’s device.`,
      fr: fr`Le bulletin échoue à la vérification « ${check} ». Rien n'a été écrit : scellez de nouveau le bulletin sur l'appareil du votant.`,
    });
  }

  /**
   * Seals the ballot of a rehearsal. A voter's own device seals every other ballot, so the service knows no choice.
   *
   * @param choix the places of the chosen options of each question
   * @returns what the device would send as `BulletinChiffre`
   */
  async sealSynthetic({ tenantId, campagneId, votantId }: Ballot, choix: Choix): Promise<string> {
    const client = await this.transactions.clientOf({ tenantId });
    return this.proofs.sealed(client, await this.scrutin(tenantId, campagneId), votantId, choix);
  }

  /**
   * The sums, and how far their decryption is.
   *
   * @throws DomainError `Campagne.NotFound`, `Chiffrement.NotFound`, `Chiffrement.NonPret`
   */
  async sums(tenantId: string, id: string) {
    return this.transactions.read({ tenantId }, async () => {
      const { known, sommes } = await this.summed(tenantId, id);
      const files = await this.repository.files(tenantId, id, 'decryption');
      const given = files.map((file) => (JSON.parse(file) as FichierRecord).gardien);
      return {
        campagneId: id,
        seuil: known.seuil,
        ceremonie: known.ceremonie!.toString('base64url'),
        depouillement: digestOf(known.bulletins!, sommes),
        recus: given.length,
        attendus: known.gardiens.filter((_, place) => !given.includes(place + 1)),
        sommes: [...sommes],
      };
    });
  }

  /** The encrypted ballots as NDJSON. @throws DomainError as `sums` */
  async *ballots(tenantId: string, id: string): AsyncGenerator<Uint8Array, void> {
    await this.transactions.read({ tenantId }, () => this.summed(tenantId, id));
    yield* inTurn(this.databases.clientOf(tenantId), this.parts(tenantId, id));
  }

  private async *parts(tenantId: string, id: string): AsyncGenerator<Uint8Array, void> {
    for await (const lines of this.repository.ballots(tenantId, id))
      yield Buffer.from(lines.map((line) => `${line}\n`).join(''));
  }

  /**
   * Takes a guardian's decryption. The worker combines the result as soon as there are enough.
   *
   * @throws DomainError as `sums`, `Chiffrement.FichierInvalide`, `Chiffrement.FichierInattendu`
   */
  async addDecryption(tenantId: string, actor: Actor, id: string, record: FichierRecord) {
    const fichier = present(record);
    const { gardien, tour } = record;
    const of = await this.transactions.read({ tenantId }, async () => {
      const { known, sommes } = await this.summed(tenantId, id);
      return { ceremony: await this.document(tenantId, id, known), bulletins: known.bulletins!, sommes };
    });
    if (tour !== ROUNDS + 1) throw new DomainError(CHIFFREMENT.FichierInattendu);
    const { questions } = await this.scrutin(tenantId, id);
    const options = questions.map(({ Options }) => Options.length);
    const client = await this.transactions.clientOf({ tenantId });
    // Checked outside of a transaction, because many sums take seconds. The sums and the ceremony cannot change meanwhile.
    const checked = await this.proofs.checkDecryption(client, { ...of, options }, fichier);
    if ('fault' in checked) throw invalidFile(checked.fault, of.ceremony.gardiens);
    await this.transactions.run({ tenantId }, async () => {
      // If two guardians send files at once, the second one counts the file of the first.
      await this.campagnes.lock(tenantId, id, 'structure');
      // Another valid file of the same guardian has the same decryptions.
      if (!(await this.repository.addFile(tenantId, id, { tour, gardien, contenu: checked.contenu }))) return;
      await this.repository.announce(tenantId, id);
      this.audit.record(tenantId, actor, CHIFFREMENT_ACTIONS.fichier, [id]);
    });
    return this.sums(tenantId, id);
  }

  private async summed(
    tenantId: string,
    id: string,
  ): Promise<{ known: Chiffrement; sommes: readonly string[] }> {
    const known = await this.found(tenantId, id);
    if (!known.bulletins)
      throw new DomainError(CHIFFREMENT.NonPret, CHIFFREMENT.NonPret.description, {
        retryAfterSeconds: SOON_S,
      });
    return { known, sommes: await this.repository.sums(tenantId, id) };
  }

  private async found(tenantId: string, id: string): Promise<Chiffrement> {
    const known = await this.repository.find(tenantId, id);
    if (known) return known;
    await this.campagnes.look(tenantId, id);
    throw new DomainError(CHIFFREMENT.NotFound);
  }

  private async document(
    tenantId: string,
    id: string,
    { seuil, gardiens }: Chiffrement,
  ): Promise<CeremonyDocument> {
    const files = await this.repository.files(tenantId, id, 'ceremony');
    return { campagneId: id, seuil, gardiens, fichiers: files.map((file) => JSON.parse(file) as object) };
  }
}

/** D of docs/encrypted-vote.md, base64url. */
function digestOf(bulletins: Buffer, sommes: readonly string[]): string {
  const ofSums = hash('sha256', sommes.map((ligne) => `${ligne}\n`).join(''), 'buffer');
  return hash('sha256', Buffer.concat([bulletins, ofSums]), 'base64url');
}

/** A file in the form that is signed: without members that are absent. */
function present(record: FichierRecord): object {
  const members = Object.entries(record).filter(([, member]) => member != null);
  return { ...Object.fromEntries(members), ...(record.parts ? { parts: [...record.parts] } : {}) };
}

const isFileOf = (file: object, tour: number, gardien: number): boolean =>
  (file as FichierRecord).tour === tour && (file as FichierRecord).gardien === gardien;

const isSame = ({ fichiers }: CeremonyDocument, file: object): boolean =>
  fichiers.some((one) => (one as FichierRecord).signature === (file as FichierRecord).signature);

function fault(pointer: string, detail: Text): DomainError {
  return invalidRequest([{ pointer, code: 'range', detail }]);
}

const NO_GUARDIAN: Text = { en: 'must have a guardian', fr: fr('doit avoir un gardien') };
const SAME_NAME: Text = {
  en: 'must have names that differ',
  fr: fr('doit avoir des noms différents'),
};
const ABOVE_GUARDIANS: Text = {
  en: 'must not be above the number of guardians',
  fr: fr('ne doit pas dépasser le nombre de gardiens'),
};

/** The error for a file that fails a check. It names the check and the guardian at fault. */
function invalidFile({ check, guardian }: FileFault, names: readonly string[]): DomainError {
  const name = guardian === undefined ? '?' : `${guardian}, ${names[guardian - 1] ?? '?'}`;
  return new DomainError(CHIFFREMENT.FichierInvalide, {
    en: `The file fails the check "${check}" (guardian ${name}). Make it anew with \`mandat-gardien\`.`,
    fr: fr`Le fichier échoue à la vérification « ${check} » (gardien ${name}). Refaites-le avec \`mandat-gardien\`.`,
  });
}
