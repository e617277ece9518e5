import { ADHESION, FORMULAIRE, SIGNATURE } from '../domain/adhesion.errors';
import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers, Located } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { GuidPart, guidPart } from '#platform/input/guid-part.pipe';
import { Body } from '#platform/input/request-parts.decorator';
import { PaiementsService } from '../application/paiements.service';
import { SigningService } from '../application/signing.service';
import { AdhesionV2Item } from './adhesions.dto';
import { EXAMPLE_IDS } from './examples';
import {
  AutorisationPaiementInput,
  AutorisationPaiementItem,
  DemandeRecueItem,
  DemandeSuivieItem,
  PaiementInput,
  PaiementItem,
  SigningInput,
} from './signing.dto';

const PATH = '/plateforme/v1/adhesions';
const id = guidPart('card', EXAMPLE_IDS.adhesion);

const AdhesionId = () => Param('id', new GuidPart(ADHESION.NotFound));

@ApiTags('Signing')
@Requires({ role: 'plateforme', module: 'carteMembre' })
@Controller('plateforme/v1/adhesions')
export class SigningController {
  constructor(
    private readonly signing: SigningService,
    private readonly paiements: PaiementsService,
  ) {}

  @Post()
  @Answers({
    summary: 'Sign a card',
    description: [
      'One transaction writes the card with its contact data and custom values, the handwritten signature, the consents, the membership if it is missing, and the event `adhesion.signee`.',
      'If `employeIdExterne` is absent or unknown, the response is a request that waits for conciliation, with the event `conciliation.demandee`.',
    ].join('\n\n'),
    bodyExample: {
      employeIdExterne: 'E-1001',
      syndicatIdExterne: 'SYN-10',
      prenom: 'Marie-Ève',
      nom: "L'Écuyer",
      courriel: 'marie-eve.lecuyer@example.org',
      telephonePrincipal: '418 555-0142',
      transactionId: 'TX-2026-000481',
      formulaireId: EXAMPLE_IDS.formulaire,
      valeursChampUtilisateur: [{ NomChamp: 'Quart de travail', Valeur: 'NUIT' }],
      consentements: [{ objetConsentementIdExterne: 'INFOLETTRE', accepte: true }],
    },
    status: 201,
    anyOf: [AdhesionV2Item, DemandeRecueItem],
    location: true,
    errors: [SIGNATURE.ImageInvalide, FORMULAIRE.Inactif],
  })
  async sign(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Body() body: SigningInput,
  ): Promise<Located> {
    const signed = await this.signing.sign(tenantId, actor, body);
    return new Located(`${PATH}/${signed.id}`, signed.item);
  }

  @Get(':id')
  @Answers({
    summary: 'Read the state of a signing',
    description: 'A card, or a request with its state and, once it is confirmed, its card.',
    path: { id: { ...id, description: 'Identifier of the card or of the request (GUID).' } },
    anyOf: [AdhesionV2Item, DemandeSuivieItem],
    etag: true,
    errors: [ADHESION.NotFound],
  })
  get(@Tenant() tenantId: string, @AdhesionId() adhesionId: string): Promise<Json> {
    return this.signing.get(tenantId, adhesionId);
  }

  @Post(':id/paiements')
  @Answers({
    summary: 'Link a payment to a card',
    description: 'Blocks the deletion of the card. `Location` names the card.',
    path: { id },
    status: 201,
    type: PaiementItem,
    location: true,
    errors: [ADHESION.NotFound],
  })
  async addPaiement(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @AdhesionId() adhesionId: string,
    @Body() body: PaiementInput,
  ): Promise<Located> {
    const item = await this.paiements.add(tenantId, actor, adhesionId, body);
    return new Located(`${PATH}/${adhesionId}`, item);
  }

  @Post(':id/autorisations-paiement')
  @Answers({
    summary: 'Link the authorization of payments to a card',
    description: 'Blocks the deletion of the card. `Location` names the card.',
    path: { id },
    status: 201,
    type: AutorisationPaiementItem,
    location: true,
    errors: [ADHESION.NotFound],
  })
  async addAutorisation(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @AdhesionId() adhesionId: string,
    @Body() body: AutorisationPaiementInput,
  ): Promise<Located> {
    const item = await this.paiements.addAutorisation(tenantId, actor, adhesionId, body);
    return new Located(`${PATH}/${adhesionId}`, item);
  }
}
