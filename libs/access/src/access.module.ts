import { Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { SlowReaders } from '#platform/http/slow-readers';
import { ReadsInterceptor } from './reads.interceptor';
import { RequestsInterceptor } from './requests.interceptor';

/** The budget of requests that each caller may have served at once, which comes first, and where reads go. */
@Module({
  providers: [
    SlowReaders,
    { provide: APP_INTERCEPTOR, useClass: RequestsInterceptor },
    { provide: APP_INTERCEPTOR, useClass: ReadsInterceptor },
  ],
})
export class AccessModule {}
