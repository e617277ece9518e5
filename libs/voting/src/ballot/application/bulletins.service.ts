import { VOTE } from '../../domain/voting.errors';
import { SERVICE } from '#platform/errors/platform.errors';
import { Injectable } from '@nestjs/common';
import { hash, randomBytes } from 'node:crypto';
import { OutcomeUnknown } from '#platform/errors/sql-errors';
import { Transactions } from '#platform/database/transactions';
import { DomainError, type InputFault, invalidRequest, refusalOf } from '#platform/errors/domain-error';
import { FairCache } from '#platform/limits/fair-cache';
import { KeyedLimit } from '#platform/limits/keyed-limit';
import type { BulletinRecord, ReponseRecord } from '../domain/bulletin.fields';
import { answersOf, type CheckedAnswers } from '../domain/bulletin.rules';
import { noReceipt, receiptDigest } from '../domain/receipt-log';
import { BulletinRepository, type CastBulletin, type VotedOn } from '../persistence/bulletin.repository';
import type { Campagne } from '../../campagne/domain/campagne.entity';
import { CampagneRepository, noCampagne } from '../../campagne/persistence/campagne.repository';
import { VotantRepository } from '../../roll/persistence/votant.repository';
import { ChiffrementService } from '../../chiffrement/application/chiffrement.service';
import { DossierKeys } from '../../application/dossier-keys';
import { fr } from '#platform/errors/text';

/** Number of random bytes in a receipt. */
const RECU_BYTES = 24;

/** Bytes of structures that a process keeps: nine of the largest, or tens of thousands of usual ones. */
const MOST_KEPT = 32 * 2 ** 20;

/** Bytes of a structure and of a question without options. */
const OVERHEAD = 500;

/** How often a vote is tried again after the campaign was published again in the meantime. */
const ATTEMPTS = 3;

/** Receipt and attestation that the voter gets for a ballot. */
export interface CastReceipt {
  /** The receipt; undefined if the voter's device made it. */
  readonly recu: string | undefined;
  /** SHA-256 of the receipt, base64url. */
  readonly empreinteRecu: string;
  /** Signed promise that the receipt is in the log (docs/verification.md). It has no time. */
  readonly attestation: string;
}

/** Casts ballots: exactly one a voter, and nothing that joins it to the voter (docs/contract.md, "Casting"). */
@Injectable()
export class BulletinsService {
  /** Questions by tenant and campaign. An entry may be out of date, because a ballot for an older publication is refused. */
  private readonly cache = new FairCache<VotedOn>(MOST_KEPT, ({ questions }) =>
    questions.reduce((sum, { options }) => sum + OVERHEAD + options.length, OVERHEAD),
  );
  /** Limits reads of structures to one of a client at a time, because each may have megabytes. */
  private readonly reads = new KeyedLimit(1);

  constructor(
    private readonly transactions: Transactions,
    private readonly campagnes: CampagneRepository,
    private readonly repository: BulletinRepository,
    private readonly votants: VotantRepository,
    private readonly keys: DossierKeys,
    private readonly encrypted: ChiffrementService,
  ) {}

  /**
   * @param recu the receipt; made by the service if absent. Not used for a ballot with the digest of one
   * @returns the receipt, which proves that the ballot is counted and does not reveal its choices
   * @throws DomainError `Requete.Invalide` for a text that is no digest, `Campagne.NotFound`, `Vote.CampagneNonOuverte`, `Votant.NotFound`, `Vote.DejaVote`,
   * `Vote.SansDroitDeVote`, `Vote.BulletinInvalide`, `Vote.PreuveInvalide`, `Vote.BulletinRejoue`, `Vote.RecuDejaUtilise`
   */
  async cast(
    tenantId: string,
    campagneId: string,
    { VotantId, Reponses, BulletinChiffre, EmpreinteRecu }: BulletinRecord,
    recu = randomBytes(RECU_BYTES).toString('base64url'),
  ): Promise<CastReceipt> {
    const sealed = sealedOf({ Reponses, BulletinChiffre, EmpreinteRecu });
    const isOurs = EmpreinteRecu == null && !sealed;
    const empreinte = receiptOf(sealed, EmpreinteRecu, recu);
    // Before the ballot, because it cannot be taken back.
    await this.keys.ready();
    await this.castOne(tenantId, campagneId, { VotantId, content: sealed ?? Reponses! }, empreinte, isOurs);
    const empreinteRecu = empreinte.toString('base64url');
    const attested = Buffer.from(JSON.stringify({ campagneId, empreinteRecu }));
    return {
      recu: isOurs ? recu : undefined,
      empreinteRecu,
      attestation: this.keys.jws(attested),
    };
  }

  /**
   * Returns the questions that ballots answer now, and whether they are encrypted.
   *
   * @throws DomainError `Campagne.NotFound`, `Vote.CampagneNonOuverte`
   */
  async votedOn(tenantId: string, campagneId: string): Promise<VotedOn | undefined> {
    await this.transactions.read({ tenantId }, async () => {
      const { campagne, at } = await this.campagnes.look(tenantId, campagneId);
      campagne.assertTakesBallots(at);
    });
    return this.repository.votedOn(tenantId, campagneId);
  }

  private async castOne(
    tenantId: string,
    campagneId: string,
    { VotantId, content }: { VotantId: string; content: Content },
    empreinte: Buffer,
    isOurs: boolean,
  ): Promise<void> {
    const client = await this.transactions.clientOf({ tenantId });
    const key = `${tenantId} ${campagneId}`;
    const read = () => this.reads.run(client, () => this.repository.votedOn(tenantId, campagneId));
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const votedOn = await this.cache.fetch(client, key, read);
      if (!votedOn) throw noCampagne();
      const checked = await this.checked({ tenantId, campagneId, VotantId, client }, votedOn, content);
      if ('answers' in checked) {
        const { publications } = votedOn;
        const bulletin = { ...checked, votantId: VotantId, publications, empreinte };
        if (await this.castOnce(tenantId, campagneId, bulletin, isOurs)) return;
      }
      await this.refuse(tenantId, campagneId, VotantId, votedOn, checked);
      this.cache.delete(client, key, votedOn);
    }
    const detail = {
      en: 'The campaign is being published anew.',
      fr: fr('Une nouvelle publication de la campagne est en cours.'),
    };
    throw new DomainError(SERVICE.Indisponible, detail, { retryAfterSeconds: 1 });
  }

  /** @throws DomainError `Vote.BulletinRejoue`, `Vote.PreuveInvalide` */
  private async checked(
    { tenantId, campagneId, VotantId, client }: Voting,
    { questions, estChiffree, publications }: VotedOn,
    content: Content,
  ): Promise<CheckedAnswers | { readonly answers: Uint8Array }> {
    if (content instanceof Uint8Array !== estChiffree) return { faults: [estChiffree ? NOT_SEALED : SEALED] };
    if (!(content instanceof Uint8Array)) return answersOf(questions, content);
    if (await this.repository.hasRecu(tenantId, campagneId, digestOf(content)))
      throw new DomainError(VOTE.BulletinRejoue);
    // Before the proofs, which keep a processor busy.
    await this.transactions.read({ tenantId }, () => this.assertMayVote(tenantId, campagneId, VotantId));
    const of = { tenantId, campagneId, votantId: VotantId };
    await this.encrypted.assertProven(client, of, publications, content);
    return { answers: content };
  }

  private async castOnce(
    tenantId: string,
    campagneId: string,
    bulletin: CastBulletin,
    isOurs: boolean,
  ): Promise<boolean> {
    try {
      const enter = this.campagnes.enterVote(tenantId, campagneId);
      return await this.repository.cast(tenantId, campagneId, bulletin, enter);
    } catch (error) {
      // The connection was lost during the commit. Our receipt shows whether the ballot was stored; one of a device may be
      // that of another ballot.
      if (!(error instanceof OutcomeUnknown) || !isOurs) throw error;
      const { empreinte } = bulletin;
      if (await this.repository.hasRecu(tenantId, campagneId, empreinte).catch(() => false)) return true;
      throw error;
    }
  }

  /** Whether a ballot with this receipt is counted. @throws DomainError `Campagne.NotFound`, `Recu.NotFound` */
  async assertCounted(tenantId: string, campagneId: string, recu: string): Promise<void> {
    if (await this.repository.hasRecu(tenantId, campagneId, digestOf(recu))) return;
    await this.campagnes.assertExists(tenantId, campagneId);
    throw noReceipt(campagneId, recu);
  }

  /** Throws the reason for a refused ballot; returns if the ballot was for an older publication. */
  private async refuse(
    tenantId: string,
    campagneId: string,
    votantId: string,
    { publications }: VotedOn,
    checked: object,
  ): Promise<void> {
    await this.transactions.read({ tenantId }, async () => {
      const campagne = await this.assertMayVote(tenantId, campagneId, votantId);
      if (campagne.publications !== publications || !('faults' in checked)) return;
      throw refusalOf(VOTE.BulletinInvalide, (checked as { faults: InputFault[] }).faults);
    });
  }

  /** Runs in the ambient transaction. @returns the campaign, whose vote is open */
  private async assertMayVote(tenantId: string, campagneId: string, votantId: string): Promise<Campagne> {
    const { campagne, at } = await this.campagnes.look(tenantId, campagneId);
    campagne.assertTakesBallots(at);
    (await this.votants.find(tenantId, campagneId, votantId)).assertMayVote();
    return campagne;
  }
}

/** Answers, or the bytes of an encrypted ballot. */
type Content = readonly ReponseRecord[] | Uint8Array;

interface Voting {
  readonly tenantId: string;
  readonly campagneId: string;
  readonly VotantId: string;
  readonly client: string;
}

const NOT_SEALED: InputFault = {
  pointer: '/BulletinChiffre',
  code: 'required',
  detail: {
    en: 'is required: the vote is encrypted, and the voter’s device seals the ballot',
    fr: fr("est requis : le scrutin est chiffré, et l'appareil du votant scelle le bulletin"),
  },
};
const SEALED: InputFault = {
  pointer: '/Reponses',
  code: 'required',
  detail: {
    en: 'is required instead of `BulletinChiffre`: the vote is not encrypted',
    fr: fr("est requis à la place de `BulletinChiffre` : le scrutin n'est pas chiffré"),
  },
};

/** The bytes of an encrypted ballot; undefined for answers. @throws DomainError `Requete.Invalide` */
function sealedOf({
  Reponses,
  BulletinChiffre,
  EmpreinteRecu,
}: Omit<BulletinRecord, 'VotantId'>): Uint8Array | undefined {
  if (BulletinChiffre == null) {
    if (Reponses != null) return undefined;
    const detail = {
      en: 'is required, or `BulletinChiffre` in an encrypted vote',
      fr: fr('est requis, ou `BulletinChiffre` dans un scrutin chiffré'),
    };
    throw invalidRequest([{ pointer: '/Reponses', code: 'required', detail }]);
  }
  const only = {
    en: 'must be absent beside `BulletinChiffre`',
    fr: fr('doit être absent à côté de `BulletinChiffre`'),
  };
  if (Reponses != null) throw invalidRequest([{ pointer: '/Reponses', code: 'unknown', detail: only }]);
  if (EmpreinteRecu != null)
    throw invalidRequest([{ pointer: '/EmpreinteRecu', code: 'unknown', detail: only }]);
  const bytes = Buffer.from(BulletinChiffre, 'base64url');
  if (bytes.toString('base64url') === BulletinChiffre) return bytes;
  const detail = {
    en: 'must be base64url without padding',
    fr: fr('doit être en base64url sans remplissage'),
  };
  throw invalidRequest([{ pointer: '/BulletinChiffre', code: 'format', detail }]);
}

/** The digest in the log: of an encrypted ballot its own. @throws DomainError `Requete.Invalide` */
function receiptOf(
  sealed: Uint8Array | undefined,
  EmpreinteRecu: string | null | undefined,
  recu: string,
): Buffer {
  const empreinte = EmpreinteRecu == null ? digestOf(sealed ?? recu) : receiptDigest(EmpreinteRecu);
  if (empreinte) return empreinte;
  const detail = {
    en: 'must be a SHA-256 in base64url without padding, 43 characters',
    fr: fr('doit être un SHA-256 en base64url sans remplissage, de 43 caractères'),
  };
  throw invalidRequest([{ pointer: '/EmpreinteRecu', code: 'format', detail }]);
}

function digestOf(recu: string | Uint8Array): Buffer {
  return hash('sha256', recu, 'buffer');
}
