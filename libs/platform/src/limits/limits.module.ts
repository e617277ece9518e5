import { Global, Module } from '@nestjs/common';
import { ConnectionShares } from './connection-shares';
import { DatabaseTime } from './database-time';
import { FloodDelay } from './flood-delay';
import { KeylessBudget } from './keyless-budget';
import { RequestsGuard } from './requests.guard';
import { SlowReaders } from './slow-readers';

const LIMITS = [ConnectionShares, DatabaseTime, FloodDelay, KeylessBudget, RequestsGuard, SlowReaders];

/** What a client may use of a process at once (docs/operations.md, "Budgets"). */
@Global()
@Module({ providers: LIMITS, exports: LIMITS })
export class LimitsModule {}
