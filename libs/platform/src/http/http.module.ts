import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { BodyInterceptor } from './body.interceptor';
import { ComparisonInterceptor } from './comparison.interceptor';
import { IdempotencyInterceptor } from './idempotency.interceptor';
import { InputPipe } from '../input/input.pipe';
import { PathPartPipe } from '../input/path-part.pipe';
import { UndeclaredPartsInterceptor } from './undeclared-parts.interceptor';

/** The path of every API request behind the guards, in this order, up to its handler. `ProblemModule` handles errors. */
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
