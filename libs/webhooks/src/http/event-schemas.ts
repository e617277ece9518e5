import { EVENT_TYPE_NAMES, EVENT_TYPES, type EventType } from '../domain/event.types';
import { EVENT_DATA } from './event-data.dto';

// Schemas of delivered events. No route of ours accepts them, so Nest cannot derive them.

const COMPONENT = '#/components/schemas/';

/** `adhesion.signee` is `EvenementAdhesionSignee`. */
const nameOf = (type: EventType): string =>
  `Evenement${type
    .split('.')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`;

/** The body of a delivery by the type of its event, and the union of all bodies. */
export const EVENT_SCHEMAS = {
  ...Object.fromEntries(EVENT_TYPE_NAMES.map((type) => [nameOf(type), bodyOf(type)])),
  Evenement: {
    description: 'Body of a request to an endpoint.',
    oneOf: EVENT_TYPE_NAMES.map((type) => ({ $ref: COMPONENT + nameOf(type) })),
    discriminator: {
      propertyName: 'type',
      mapping: Object.fromEntries(EVENT_TYPE_NAMES.map((type) => [type, COMPONENT + nameOf(type)])),
    },
  },
};

function bodyOf(type: EventType) {
  return {
    type: 'object',
    description: EVENT_TYPES[type].description,
    required: ['type', 'timestamp', 'data'],
    properties: {
      type: { type: 'string', enum: [type], description: 'Type of the event.', example: type },
      timestamp: {
        type: 'string',
        format: 'date-time',
        description: 'Time of the event (UTC).',
        example: '2026-03-02T14:05:09.120Z',
      },
      data: { description: 'Data of the event.', allOf: [{ $ref: COMPONENT + EVENT_DATA[type].name }] },
    },
  };
}

/** The callbacks of a registration: requests of the service to the address in its body. */
export function deliveriesOf() {
  const header = (name: string, description: string, example: string) => ({
    name,
    in: 'header' as const,
    required: true,
    description,
    schema: { type: 'string' as const, example },
  });
  return {
    evenement: {
      '{$request.body#/url}': {
        post: {
          summary: 'An event',
          description:
            'Signed by Standard Webhooks 1.0: verify the body as received, before parsing it. Each event arrives at least once, in any order.',
          // The signature authenticates the service; the receiver gets no key.
          security: [],
          parameters: [
            header(
              'webhook-id',
              'Identifier of the event (GUID), the same at every attempt.',
              '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f21',
            ),
            header('webhook-timestamp', 'Time of this attempt, in seconds since 1970.', '1772460309'),
            header(
              'webhook-signature',
              'One signature, or several separated by spaces while a secret is replaced: `v1,` and the HMAC-SHA256 over `id.timestamp.body` in base64, or `v1a,` and its Ed25519 signature.',
              'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
            ),
          ],
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { $ref: `${COMPONENT}Evenement` } } },
          },
          responses: {
            '2XX': { description: 'Accepted: no further attempt follows.' },
            '410': { description: 'The endpoint is gone: the service disables it.' },
          },
        },
      },
    },
  };
}
