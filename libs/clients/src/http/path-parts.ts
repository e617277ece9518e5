import { CLIENT } from '../domain/clients.errors';
import { Param } from '@nestjs/common';
import { GuidPart } from '#platform/input/guid-part.pipe';
import { EXAMPLE_CLIENT_ID } from './clients.dto';

export const CLIENT_PART = {
  description: 'Identifier of the client (GUID).',
  format: 'uuid',
  example: EXAMPLE_CLIENT_ID,
} as const;

export const ENVIRONMENT_PARTS = {
  clientId: CLIENT_PART,
  environnement: { description: '`production` or `staging`.', example: 'staging' },
};

export const ClientId = () => Param('clientId', new GuidPart(CLIENT.NotFound, 'No client has this id.'));
