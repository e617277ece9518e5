import { Controller, Post } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Actor } from '#platform/audit/actor';
import { CurrentActor } from '#access/actor.decorator';
import { Requires, Tenant } from '#access/requires.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { Body, RawBody, TakesTypes } from '#platform/input/request-parts.decorator';
import { REPORT_TYPES } from '../application/delivery-report';
import { RetoursService } from '../application/retours.service';
import { COURRIEL } from '../domain/messaging.errors';
import { MOST_RETOURS, type RetourRecord } from '../domain/retour.fields';
import { RetourInput, RetoursItem, RetoursPipe } from './retours.dto';

@ApiTags('E-mail')
@Requires({ role: 'plateforme' })
@Controller('plateforme/v1/courriels')
export class RetoursController {
  constructor(private readonly retours: RetoursService) {}

  @Post('retours')
  @TakesTypes(...REPORT_TYPES)
  @ApiExtraModels(RetourInput)
  @ApiBody({
    schema: {
      type: 'array',
      minItems: 1,
      maxItems: MOST_RETOURS,
      items: { $ref: getSchemaPath(RetourInput) },
    },
  })
  @Answers({
    summary: 'Report bounces',
    description:
      'Takes one delivery status notification (RFC 3464): its fields as `message/delivery-status`, the whole message as `message/rfc822`, or its body as `multipart/report`. Takes a list of 1 to 1,000 notifications as JSON, too. A recipient whose message `failed` becomes `Rejete` with the status code; `delayed` keeps the state. The Message-ID of the message names the recipient, or the envelope id that the service gives with it. A notification about another data space counts as unknown. The service stores codes only, no address and no text of the relay. Sent again, a notification changes nothing.',
    bodyExample: [
      {
        messageId: '<0198c2d4-7c21-7d40-8a13-5e9b0c4f6b11@example.org>',
        statut: '5.1.1',
        action: 'failed',
        raison: '550 5.1.1 User unknown',
      },
    ],
    type: RetoursItem,
    errors: [COURRIEL.RetourIllisible],
  })
  note(
    @Tenant() tenantId: string,
    @CurrentActor() actor: Actor,
    @Body(new RetoursPipe()) body: RawBody | RetourRecord[],
  ): Promise<RetoursItem> {
    return body instanceof RawBody
      ? this.retours.noteReport(tenantId, actor, body.contentType, body.content)
      : this.retours.noteRecords(tenantId, actor, body);
  }
}
