import { Module } from '@nestjs/common';
import { ReadsInterceptor } from './reads.interceptor';

/** Where the reads of a request go. */
@Module({
  providers: [ReadsInterceptor],
  exports: [ReadsInterceptor],
})
export class AccessModule {}
