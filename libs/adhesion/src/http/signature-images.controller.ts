import { ADHESION, SIGNATURE } from '../domain/adhesion.errors';
import { EMPLOYE } from '#membership';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { Requires, Tenant } from '#access/requires.decorator';
import { CurrentActor } from '#access/actor.decorator';
import { Answers } from '#platform/http/answers.decorator';
import type { Json } from '#platform/database/json';
import { SignatureImagesService } from '../application/signature-images.service';
import { SignatureAdhesionItem, SignatureEmployeItem } from './adhesions.dto';
import { EXAMPLE_IDS } from './examples';

@ApiTags('Signature images')
@Requires({ role: 'partenaire', module: 'carteMembre' })
@Controller('b2b')
export class SignatureImagesController {
  constructor(private readonly images: SignatureImagesService) {}

  @Get('adhesion/:x/image-signature')
  @Answers({
    summary: 'Read the handwritten signature of a card, or the latest one of an employee',
    description:
      'What stands in the path is looked up as the GUID of a card first: the answer then has no `idExterne`. Otherwise it is the external identifier of an employee, whose most recent card with a handwritten signature is answered. Every reading is in the audit trail.',
    path: {
      x: {
        description: 'GUID of a card, or external identifier of an employee.',
        example: EXAMPLE_IDS.adhesion,
      },
    },
    anyOf: [SignatureEmployeItem, SignatureAdhesionItem],
    etag: true,
    errors: [ADHESION.NotFound, EMPLOYE.NotFound, SIGNATURE.NotFound],
  })
  read(@Tenant() tenantId: string, @CurrentActor() actor: Actor, @Param('x') x: string): Promise<Json> {
    return this.images.read(tenantId, actor, x);
  }

  @Get('employe/:idExterne/derniere-image-signature')
  @Answers({
    summary: 'Read the latest handwritten signature of an employee',
    description: 'Cards without one are skipped. Every reading is in the audit trail.',
    path: { idExterne: { description: 'External identifier of the employee.', example: 'E-1001' } },
    type: SignatureEmployeItem,
    etag: true,
    errors: [EMPLOYE.NotFound, SIGNATURE.NotFound],
  })
  readLatest(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Param('idExterne') idExterne: string,
  ): Promise<Json> {
    return this.images.readLatest(tenantId, actor, idExterne);
  }
}
