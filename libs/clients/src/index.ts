import { Cle } from './domain/cle.entity';
import { Client } from './domain/client.entity';

export { AuthenticationService } from './application/authentication.service';
export { CellsService } from './application/cells.service';
export { ClientsService } from './application/clients.service';
export { DeplacementsService } from './application/deplacements.service';
export { ErasuresService } from './application/erasures.service';
export { ExpiryService } from './application/expiry.service';
export { JournalService } from './application/journal.service';
export { MoveObstacles, type MoveObstacleCheck } from './application/move-obstacles';
export { RateLimiterService } from './application/rate-limiter.service';
export { ApiKeyGuard } from './http/api-key.guard';
export { EntitlementsGuard } from './http/entitlements.guard';
export { RateLimitGuard } from './http/rate-limit.guard';
export {
  CleExpireBientotData,
  EXAMPLE_CLE_ADMIN_ID,
  EXAMPLE_CLE_ID,
  EXAMPLE_CLIENT_ID,
  EXAMPLE_CLOSED_CLIENT_ID,
  EXAMPLE_FORMER_CLIENT_ID,
  SEUIL_ANONYMAT,
} from './http/clients.dto';
export { ClientId, ENVIRONMENT_PARTS } from './http/path-parts';

export const CLIENTS_ENTITIES = [Client, Cle];
export * from './domain/clients.errors';
export type { Deplacement } from './domain/deplacement.types';
export { CLIENTS_AUDITED_ACTIONS } from './domain/clients.actions';
