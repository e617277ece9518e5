import { type RecordOf, text } from '#platform/input/field';

/** A failure on demand (docs/contract.md, "Rehearsal"). */
export const PANNE_FIELDS = {
  route: text(255, {
    description:
      'Method and path of the route that fails, as in the OpenAPI document. Either this or `webhookId`.',
    example: 'GET /b2b/v1/employeur/{idExterne}',
  }),
  webhookId: text(36, {
    format: 'uuid',
    description: 'The endpoint whose answers fail. Either this or `route`.',
    example: null,
  }),
  statut: {
    kind: 'integer',
    min: 400,
    max: 599,
    description: 'Status of the answers. Exactly one of `statut`, `delaiMs` and `coupure`.',
    example: 503,
  },
  delaiMs: {
    kind: 'integer',
    min: 1,
    max: 30_000,
    description: 'Delay of the answers, in ms. An attempt of a delivery ends after 15 s.',
    example: 2_000,
  },
  coupure: {
    kind: 'boolean',
    description: '`true`: the connection is cut without an answer.',
    example: true,
  },
  fois: {
    kind: 'integer',
    min: 1,
    max: 1_000,
    required: true,
    description: 'Number of requests, or of attempts of deliveries, that fail.',
    example: 2,
  },
} as const;

export type PanneRecord = RecordOf<typeof PANNE_FIELDS>;
