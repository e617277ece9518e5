import type { Answer, TestApp } from '../../setup/test-app';

export const FEED = '/b2b/v2/evenement';

export interface Item {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Record<string, unknown>;
}

/** Follows the feed from link to link, as a partner does who keeps the last one. */
export class Reader {
  readonly seen: Item[] = [];

  constructor(
    private readonly app: TestApp,
    private readonly caller: { cle: string },
    /** What it asks next. */
    public next: string = FEED,
  ) {}

  get ids(): string[] {
    return this.seen.map(({ id }) => id);
  }

  /** One request; answers what it brought. */
  async step(): Promise<Item[]> {
    const answer = await this.app.send(this.caller, 'GET', this.next);
    expect({ status: answer.status, code: answer.json?.code }).toEqual({ status: 200, code: undefined });
    this.next = nextOf(this.app, answer);
    this.seen.push(...(answer.json as Item[]));
    return answer.json;
  }

  /** Goes on until an answer is empty; answers what came. */
  async rest(): Promise<Item[]> {
    const items: Item[] = [];
    for (let page = await this.step(); page.length > 0; page = await this.step()) items.push(...page);
    return items;
  }
}

/** Where the feed goes on: every answer says so, also an empty one. */
export function nextOf(app: TestApp, answer: Answer): string {
  const link = answer.headers.get('link');
  expect(link).toMatch(/^<[^<>]+>; rel="next"$/);
  const url = link!.slice(1, link!.indexOf('>'));
  expect(url.startsWith(`${app.config.publicUrl}${FEED}`)).toBe(true);
  return url.slice(app.config.publicUrl.length);
}
