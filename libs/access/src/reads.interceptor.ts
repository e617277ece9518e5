import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Observable } from 'rxjs';
import { Transactions } from '#platform/database/transactions';
import type { AuthenticatedRequest } from './requires.decorator';

/**
 * Lets the reads of partners go to standbys (docs/adr/0040). Platform and administrators read from the primary, because votes
 * and keys are decided there.
 */
@Injectable()
export class ReadsInterceptor implements NestInterceptor {
  constructor(private readonly transactions: Transactions) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { caller, method } = context.switchToHttp().getRequest<AuthenticatedRequest>();
    if (caller?.role !== 'partenaire' || !['GET', 'HEAD'].includes(method)) return next.handle();
    return new Observable((subscriber) =>
      this.transactions.fromStandbys(() => next.handle().subscribe(subscriber)),
    );
  }
}
