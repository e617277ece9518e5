import { CONCILIATION_EVENTS } from '../domain/adhesion.events';
import { ADHESION_ACTIONS } from '../domain/adhesion.actions';
import { ADHESION, FORMULAIRE } from '../domain/adhesion.errors';
import { Injectable } from '@nestjs/common';
import { ConsentementsService, type ReponseConsentementRecord } from '#consent';
import {
  ChampsUtilisateurService,
  ChangementQuery,
  MemberRepository,
  readSignedValeurs,
  repeatedValeursFaults,
  type SignedValeurs,
  signedValeursFault,
  type ValeurRecord,
  valeurV1,
  valeurV2,
  NAMES_NO,
} from '#membership';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import { FOREIGN_KEY_VIOLATION } from '#platform/errors/sql-errors';
import { Transactions } from '#platform/database/transactions';
import { DomainError, type InputFault, invalidRequest, refusalOf } from '#platform/errors/domain-error';
import type { ErrorDefinition } from '#platform/errors/error-definition';
import type { Json } from '#platform/database/json';
import { Outbox } from '#platform/events/outbox';
import type { RecordOf } from '#platform/input/field';
import { requestNow } from '#platform/limits/request-times';
import type { AsSigned, Contact, Written } from '../domain/as-signed';
import type { SIGNING_FIELDS } from '../domain/signing.fields';
import { AdhesionV2Query } from '../persistence/adhesion-v2.query';
import { DemandeAdhesionRepository } from '../persistence/demande-adhesion.repository';
import { FormulaireRepository } from '../persistence/formulaire.repository';
import { SignatureRepository } from '../persistence/signature.repository';
import { CardsService } from './cards.service';
import { SignatureDecoder } from './signature-decoder';
import { fr, type Text } from '#platform/errors/text';

/** A signing as the platform sends it (docs/contract.md, "Signing"). */
export interface Signing extends Contact, RecordOf<typeof SIGNING_FIELDS> {
  readonly valeursChampUtilisateur?: readonly ValeurRecord[] | null;
  readonly consentements?: readonly ReponseConsentementRecord[] | null;
}

const OF_ANOTHER_UNION: Text = {
  en: 'is a form of another union',
  fr: fr('est un formulaire d’un autre syndicat'),
};
const NAMES_NO_FORM: Text = { en: 'names no form', fr: fr('ne désigne aucun formulaire') };

/** Signings on the platform. Each is one transaction with everything that it writes. */
@Injectable()
export class SigningService {
  constructor(
    private readonly transactions: Transactions,
    private readonly members: MemberRepository,
    private readonly changements: ChangementQuery,
    private readonly champs: ChampsUtilisateurService,
    private readonly consentements: ConsentementsService,
    private readonly formulaires: FormulaireRepository,
    private readonly signatures: SignatureRepository,
    private readonly demandes: DemandeAdhesionRepository,
    private readonly adhesions: AdhesionV2Query,
    private readonly cards: CardsService,
    private readonly decoder: SignatureDecoder,
    private readonly outbox: Outbox,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Creates the card of a known employee, with the event `adhesion.signee`. For an unknown person it creates a request,
   * with the event `conciliation.demandee`.
   *
   * @returns the card as V2 shows it, or the request
   * @param id of the card or request; the service chooses one if absent
   * @throws DomainError `Requete.Invalide` that lists every fault, `Signature.ImageInvalide` if the image is the only one,
   *   `Formulaire.Inactif`
   */
  async sign(tenantId: string, actor: Actor, signing: Signing, id?: string): Promise<Written> {
    const url = signing.imageSignature;
    const image = url ? await this.decoder.read(tenantId, url) : undefined;
    const faults = image?.fault ? [image.fault] : [];
    const tooLarge = signedValeursFault(signing.valeursChampUtilisateur ?? []);
    if (tooLarge) throw invalidRequest([...faults, tooLarge]);
    return this.transactions.run(
      { tenantId },
      async () => {
        await this.changements.originate('plateforme');
        const valeurs = await this.check(tenantId, signing, [...faults], image?.error);
        const signed = await this.write(tenantId, signing, valeurs, image?.png, id);
        this.audit.record(tenantId, actor, ADHESION_ACTIONS.signer, [signed.id]);
        return signed;
      },
      // If records were deleted meanwhile, the next attempt reports them as missing.
      { retryOn: [FOREIGN_KEY_VIOLATION] },
    );
  }

  /** Returns a card as V2 shows it, or the state of a request. @throws DomainError `Adhesion.NotFound` */
  async get(tenantId: string, id: string): Promise<Json> {
    const card = await this.adhesions.one(tenantId, id);
    if (card) return card;
    const demande = await this.demandes.one(tenantId, id);
    if (!demande)
      throw new DomainError(ADHESION.NotFound, {
        en: 'No signing has this identifier.',
        fr: fr("Aucune signature d'adhésion n'a cet identifiant."),
      });
    const { demandeId, statut, adhesionId } = JSON.parse(demande) as Record<string, unknown>;
    return JSON.stringify({ demandeId, statut, adhesionId });
  }

  /** @param imageError the error of the only fault in `faults`, if there is one */
  private async check(
    tenantId: string,
    signing: Signing,
    faults: InputFault[],
    imageError: ErrorDefinition | undefined,
  ): Promise<SignedValeurs> {
    if (!(await this.members.knowsSyndicat(tenantId, signing.syndicatIdExterne))) {
      faults.push({ pointer: '/syndicatIdExterne', code: 'reference', detail: NAMES_NO.syndicat });
    }
    const formulaire = signing.formulaireId
      ? await this.formulaires.hold(tenantId, signing.formulaireId)
      : undefined;
    const isOfAnother = formulaire && formulaire.syndicat !== signing.syndicatIdExterne;
    if (signing.formulaireId && (!formulaire || isOfAnother)) {
      const detail = formulaire ? OF_ANOTHER_UNION : NAMES_NO_FORM;
      faults.push({ pointer: '/formulaireId', code: 'reference', detail });
    }
    const sent = signing.valeursChampUtilisateur ?? [];
    const mandatory = formulaire?.obligatoires ?? [];
    const champs = await this.champs.definitions(
      tenantId,
      [...mandatory, ...sent.map(({ NomChamp }) => NomChamp)],
      sent.flatMap(({ Valeur }) => Valeur ?? []),
    );
    const valeurs = readSignedValeurs(champs, sent, new Set(mandatory), faults);
    const reponses = signing.consentements ?? [];
    faults.push(...(await this.consentements.faultsOf(tenantId, reponses, '/consentements')));
    faults.push(...repeatedValeursFaults(valeurs, reponses.length));
    if (faults.length === 1 && imageError) throw refusalOf(imageError, faults);
    if (faults.length > 0) throw invalidRequest(faults);
    if (formulaire && !formulaire.actif) {
      throw new DomainError(FORMULAIRE.Inactif, {
        en: 'The form is not active: nothing can be signed with it.',
        fr: fr("Le formulaire n'est pas actif : rien ne peut être signé avec lui."),
      });
    }
    return valeurs;
  }

  private async write(
    tenantId: string,
    signing: Signing,
    valeurs: SignedValeurs,
    png: Buffer | undefined,
    givenId: string | undefined,
  ): Promise<Written> {
    const given = [...valeurs];
    const signed: AsSigned = {
      ...signing,
      dateSignature: signing.dateSignature ?? requestNow(),
      aSignatureManuscrite: png !== undefined,
      valeursChamp: given.map(([champ, valeur]) => valeurV2(champ, valeur)),
    };
    const valeursV1 = given.map(([champ, valeur]) => valeurV1(champ, valeur));
    const reponses = signing.consentements ?? [];
    const employe = signing.employeIdExterne ?? null;
    const member = employe === null ? undefined : await this.members.hold(tenantId, employe);
    if (member) {
      const card = await this.cards.make(tenantId, member, signed, { reponses, valeursV1, id: givenId });
      if (png) await this.signatures.insert(tenantId, { adhesionId: card.id }, png);
      return card;
    }
    const id = await this.demandes.insert(tenantId, signed, {
      id: givenId,
      employeIdExterne: employe,
      valeursV1,
      reponses,
    });
    if (png) await this.signatures.insert(tenantId, { demandeId: id }, png);
    await this.outbox.add(tenantId, CONCILIATION_EVENTS.demandee, (await this.demandes.one(tenantId, id))!);
    return { id, item: JSON.stringify({ demandeId: id, statut: 'ATransferer' }) };
  }
}
