import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { BodyInterceptor } from './body.interceptor';
import { ComparisonInterceptor } from './comparison.interceptor';
import { IdempotencyInterceptor } from './idempotency.interceptor';
import { InputPipe } from '../input/input.pipe';
import { PathPartPipe } from '../input/path-part.pipe';
import { UndeclaredPartsInterceptor } from './undeclared-parts.interceptor';

/**
 * Interceptors, then pipes, of API requests, each in the order of this list. The interceptors of `AccessModule` run before them,
 * because `AppModule` imports it first. `ProblemModule` handles errors.
 */
@Module({
  providers: [
    { provide: APP_INTERCEPTOR, useClass: UndeclaredPartsInterceptor },
    { provide: APP_INTERCEPTOR, useClass: BodyInterceptor },
    { provide: APP_INTERCEPTOR, useClass: ComparisonInterceptor },
    { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
    { provide: APP_PIPE, useClass: PathPartPipe },
    { provide: APP_PIPE, useClass: InputPipe },
  ],
})
export class HttpModule {}
