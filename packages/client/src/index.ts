export { administration, type ConnectionOptions, partenaire, plateforme } from './connect.js';
export { effectsOf } from './effects.js';
export { ConnectionError, type Fault, ProblemError } from './errors.js';
export { idempotencyKey } from './idempotency.js';
export {
  eachItem,
  eachPage,
  follow,
  type ListCall,
  type ListPage,
  type Paging,
  type PagingOptions,
} from './paging.js';
export { TaskError, type TaskOptions, type TaskReader, type TaskResult, taskResult } from './tasks.js';
export type { Wait } from './transport.js';
export { verifyWebhook, WebhookError, type WebhookEvent, type WebhookHeaders } from './webhooks.js';
export type { Administration } from './generated/administration/sdk.gen.js';
export type { Partenaire } from './narrowed.js';
export type { Plateforme } from './generated/plateforme/sdk.gen.js';
export type * from './generated/partenaire/types.gen.js';
