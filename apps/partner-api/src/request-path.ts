import type { Provider } from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { ReadsInterceptor } from '#access/reads.interceptor';
import { RequestsGuard } from '#platform/limits/requests.guard';
import { ApiKeyGuard, EntitlementsGuard, RateLimitGuard } from '#clients';
import { HorlogeGuard, PannesGuard } from '#essai';
import { BodyInterceptor } from '#platform/http/body.interceptor';
import { AnswerInterceptor } from '#platform/http/answer.interceptor';
import { ComparisonInterceptor } from '#platform/http/comparison.interceptor';
import { IdempotencyInterceptor } from '#platform/http/idempotency.interceptor';
import { UndeclaredPartsGuard } from '#platform/http/undeclared-parts.guard';
import { InputPipe } from '#platform/input/input.pipe';
import { PathPartPipe } from '#platform/input/path-part.pipe';

/**
 * The way of each API request to its handler: Nest calls the guards, then the interceptors, then the pipes, each in the order of this
 * list (docs/contract.md, "Order of rejection"). `ProblemFilter` of `ProblemModule` answers errors, also in the worker.
 */
export const REQUEST_PATH: Provider[] = [
  // 401, then 429, then 403.
  { provide: APP_GUARD, useExisting: ApiKeyGuard },
  { provide: APP_GUARD, useExisting: RateLimitGuard },
  // It accepts each request. It stands behind the rate limit, because it reads the database for keys of staging.
  { provide: APP_GUARD, useExisting: HorlogeGuard },
  { provide: APP_GUARD, useExisting: EntitlementsGuard },
  // In staging only. Before the places for requests, which production shares.
  { provide: APP_GUARD, useExisting: PannesGuard },
  // Before all that it bounds: bodies, connections of the database and answers.
  { provide: APP_GUARD, useExisting: RequestsGuard },
  { provide: APP_GUARD, useExisting: UndeclaredPartsGuard },
  { provide: APP_INTERCEPTOR, useExisting: ReadsInterceptor },
  { provide: APP_INTERCEPTOR, useExisting: AnswerInterceptor },
  { provide: APP_INTERCEPTOR, useExisting: BodyInterceptor },
  { provide: APP_INTERCEPTOR, useExisting: ComparisonInterceptor },
  { provide: APP_INTERCEPTOR, useExisting: IdempotencyInterceptor },
  { provide: APP_PIPE, useExisting: PathPartPipe },
  { provide: APP_PIPE, useExisting: InputPipe },
];
