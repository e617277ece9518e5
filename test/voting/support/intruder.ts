import { type Client, type QueryResult } from 'pg';
import type { TestApp } from '../../setup/test-app';
import type { Campaigns } from './campaigns';

/** An intruder who works in a data space as the role of the processes, with statements of their own. */
export class Intruder {
  private constructor(private readonly client: Client) {}

  static async of(app: TestApp, { tenant }: Campaigns): Promise<Intruder> {
    const client = await app.connect();
    await client.query('SET ROLE mandat_app');
    await client.query(`SELECT set_config('app.tenant_id', $1, false)`, [tenant.tenantId]);
    return new Intruder(client);
  }

  /** Runs a statement and commits it. */
  query<R extends object>(text: string, ...values: unknown[]): Promise<QueryResult<R>> {
    return this.client.query<R>(text, values);
  }

  end(): Promise<void> {
    return this.client.end();
  }
}
