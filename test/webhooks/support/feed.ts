import type { Answer, TestApp } from '../../setup/test-app';

export const FEED = '/b2b/v2/evenement';

export interface Item {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown>;
}

/** Follows the feed from link to link, like a partner who stores the last link. */
export class Reader {
  readonly seen: Item[] = [];

  constructor(
    private readonly app: TestApp,
    private readonly caller: { cle: string },
    /** Path of the next request. */
    public next: string = FEED,
  ) {}

  get ids(): string[] {
    return this.seen.map(({ id }) => id);
  }

  /**
   * Sends one request.
   *
   * @returns its events
   */
  async step(): Promise<Item[]> {
    const answer = await this.app.send(this.caller, 'GET', this.next);
    expect({ status: answer.status, code: answer.json?.code }).toEqual({ status: 200, code: undefined });
    this.next = nextOf(this.app, answer);
    this.seen.push(...(answer.json as Item[]));
    return answer.json;
  }

  /**
   * Follows the links until a page is empty.
   *
   * @returns the events
   */
  async rest(): Promise<Item[]> {
    const items: Item[] = [];
    for (let page = await this.step(); page.length > 0; page = await this.step()) items.push(...page);
    return items;
  }
}

/** Returns the next link of the feed, which every response has, also an empty one. */
export function nextOf(app: TestApp, answer: Answer): string {
  const link = answer.headers.get('link');
  expect(link).toMatch(/^<[^<>]+>; rel="next"$/);
  const url = link!.slice(1, link!.indexOf('>'));
  expect(url.startsWith(`${app.config.publicUrl}${FEED}`)).toBe(true);
  return url.slice(app.config.publicUrl.length);
}
