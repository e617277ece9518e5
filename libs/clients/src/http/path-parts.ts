import { CLIENT } from '../domain/clients.errors';
import { Param } from '@nestjs/common';
import { GuidPart, guidPart } from '#platform/input/guid-part.pipe';
import { EXAMPLE_CLIENT_ID, EXAMPLE_CLOSED_CLIENT_ID, EXAMPLE_FORMER_CLIENT_ID } from './clients.dto';

export const CLIENT_PART = guidPart('client', EXAMPLE_CLIENT_ID);

/** Parts of the paths of operations that end the use of a client. */
export const FORMER_CLIENT_PART = guidPart('client', EXAMPLE_FORMER_CLIENT_ID);
export const CLOSED_CLIENT_PART = guidPart('client', EXAMPLE_CLOSED_CLIENT_ID);

export const ENVIRONMENT_PARTS = {
  clientId: CLIENT_PART,
  environnement: { description: '`production` or `staging`.', example: 'staging' },
};

export const ClientId = () => Param('clientId', new GuidPart(CLIENT.NotFound));
