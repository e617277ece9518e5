import { Client } from 'pg';
import { ofBoth, ofDataSpaces, ofDirectory } from '../../setup/two-cells';
import type { TestApp } from '../../setup/test-app';

/** Watches where the application sends which statements: a data space and the directory may be on different servers. */
export class Statements {
  private readonly seen = new Set<string>();

  constructor(private readonly app: TestApp) {}

  /** Returns the statements of some work that name tables of both, and those sent to the server of the other. */
  async faultsDuring(work: () => Promise<unknown>): Promise<string[]> {
    this.seen.clear();
    const original = Client.prototype.query as (...query: unknown[]) => unknown;
    const note = (client: Client, first: unknown): void => this.note(client, first);
    Client.prototype.query = function (this: Client, first: unknown, ...rest: unknown[]) {
      note(this, first);
      return original.call(this, first, ...rest);
    } as typeof Client.prototype.query;
    try {
      await work();
    } finally {
      Client.prototype.query = original as typeof Client.prototype.query;
    }
    return [...this.seen];
  }

  private note(client: Client, first: unknown): void {
    const text = typeof first === 'string' ? first : (first as { text: string }).text;
    const isOfTest = client.user === new URL(this.app.config.databaseUrl).username;
    if (isOfTest || ofBoth.test(text)) return;
    const [directory, data] = [ofDirectory.test(text), ofDataSpaces.test(text)];
    const isAt = (...urls: string[]): boolean =>
      urls.some((url) => String(client.port) === new URL(url).port);
    const { databaseUrl, standbys } = this.app.config;
    const { dataUrl } = this.app;
    if (
      (directory && data) ||
      (directory && !isAt(databaseUrl)) ||
      (data && !isAt(dataUrl, ...(standbys.get(dataUrl) ?? [])))
    )
      this.seen.add(text);
  }
}
