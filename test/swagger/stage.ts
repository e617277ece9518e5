import type { DemonstrationService } from '../setup/demonstration-service';
import type { Window } from './browser';

/** The service that the pages are of, and the browser that shows them. Both are there once the tests begin. */
export interface Stage {
  service: DemonstrationService;
  window: Window;
}
