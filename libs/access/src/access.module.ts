import { Module } from '@nestjs/common';
import { SlowReaders } from '#platform/http/slow-readers';
import { ReadsInterceptor } from './reads.interceptor';
import { RequestsInterceptor } from './requests.interceptor';

/** The budget of requests that each caller may have served at once, and where reads go. */
@Module({
  providers: [SlowReaders, RequestsInterceptor, ReadsInterceptor],
  exports: [RequestsInterceptor, ReadsInterceptor],
})
export class AccessModule {}
