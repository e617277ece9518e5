import type { ElementHandle, Page } from 'puppeteer-core';
import { setTimeout as delay } from 'node:timers/promises';
import type { Window } from './browser';

/** The visible parts of an operation, before and after it is opened. */
export interface ShownOperation {
  readonly id: string;
  readonly tag: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
}

/** The visible response to a request. */
export interface ShownAnswer {
  readonly status: number;
  /** Indented by Swagger UI. */
  readonly body: string;
}

/** Texts for the fields of an operation: by the name of the parameter, or the whole body. */
export interface Filling {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Waits until Swagger UI has drawn all operations: it draws group by group, and a busy machine needs seconds for it. */
export async function drawn(page: Page): Promise<void> {
  const count = async (): Promise<number> => (await page.$$('.opblock')).length;
  for (
    let [before, now] = [0, await count()];
    now === 0 || now !== before;
    [before, now] = [now, await count()]
  )
    await delay(500);
}

/** Uses Swagger UI like a person: it reads and clicks the visible elements. */
export class SwaggerPage {
  /** Groups of operations by their identifiers, once the page is folded. */
  private readonly tags = new Map<string, string>();

  private constructor(
    readonly window: Window,
    private readonly page: Page,
    private readonly address: string,
  ) {}

  static async open(window: Window, address: string): Promise<SwaggerPage> {
    const shown = new SwaggerPage(window, window.page, address);
    await shown.load();
    return shown;
  }

  /** Loads or reloads the page. */
  async load(): Promise<void> {
    this.tags.clear();
    await this.page.goto(this.address, { waitUntil: 'networkidle0' });
    await drawn(this.page);
  }

  title(): Promise<string> {
    return this.text('.info .title');
  }

  /** Types the key into the dialog of "Authorize". */
  async authorise(key: string): Promise<void> {
    await this.click('.auth-wrapper .authorize');
    const field = (await this.page.waitForSelector('.auth-container input'))!;
    await field.type(key);
    await this.click('.auth-btn-wrapper .authorize');
    await this.page.waitForSelector('.auth-container .btn-done');
    await this.click('.auth-container .btn-done');
    await this.page.waitForSelector('.auth-wrapper .authorize.locked');
  }

  async isAuthorised(): Promise<boolean> {
    return (await this.page.$('.auth-wrapper .authorize.locked')) !== null;
  }

  /** Returns the data that the browser stores for the page, as one text. */
  stored(): Promise<string> {
    return this.page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  }

  /** Groups with their descriptions, and how many operations each has. */
  groups(): Promise<{ name: string; description: string; operations: number }[]> {
    return this.page.$$eval('.opblock-tag-section', (sections) =>
      sections.map((section) => ({
        name: section.querySelector('.opblock-tag')!.getAttribute('data-tag')!,
        description: section.querySelector('.opblock-tag small')?.textContent.trim() ?? '',
        operations: section.querySelectorAll('.opblock').length,
      })),
    );
  }

  operations(): Promise<ShownOperation[]> {
    return this.page.$$eval('.opblock', (blocks) =>
      blocks.map((block) => ({
        id: block.id,
        tag: block.closest('.opblock-tag-section')!.querySelector('.opblock-tag')!.getAttribute('data-tag')!,
        method: block.querySelector('.opblock-summary-method')!.textContent.trim(),
        path: block
          .querySelector('.opblock-summary-path, .opblock-summary-path__deprecated')!
          .getAttribute('data-path')!,
        summary: block.querySelector('.opblock-summary-description')?.textContent.trim() ?? '',
      })),
    );
  }

  /** Closes all groups, which makes a page of many operations faster; opening an operation opens its group. */
  async fold(): Promise<void> {
    for (const { id, tag } of await this.operations()) this.tags.set(id, tag);
    for (const tag of new Set(this.tags.values())) await this.click(groupSelector(tag));
    await this.page.waitForFunction(`document.querySelector('.opblock') === null`);
  }

  /** Opens an operation, fills its fields, clicks "Execute" and reads the response. Other fields keep their values. */
  async execute(id: string, { parameters = {}, body }: Filling = {}): Promise<ShownAnswer> {
    const block = await this.openOperation(id);
    for (const [name, value] of Object.entries(parameters)) {
      const field = await block.$(`tr[data-param-name="${name}"] :is(input, select)`);
      if (!field) throw new Error(`${id} shows no field ${name}.`);
      await this.retype(field, value);
    }
    if (body !== undefined) await this.retype((await block.$('textarea.body-param__text'))!, body);
    await this.click(`${idSelector(id)} .execute`);
    const status = await block.waitForSelector('.live-responses-table .response .response-col_status');
    const answer = await block.$('.live-responses-table .response-col_description .highlight-code code');
    return {
      status: Number.parseInt(await textOf(status!), 10),
      body: answer ? await textOf(answer) : '',
    };
  }

  /**
   * Opens an operation.
   *
   * @returns its visible description, and those of its parameters
   */
  async describe(
    id: string,
  ): Promise<{ description: string; parameters: { name: string; description: string }[] }> {
    const block = await this.openOperation(id);
    const description = await block.$$eval('.opblock-description', (shown) =>
      shown.map((one) => one.textContent.trim()).join('\n'),
    );
    const parameters = await block.$$eval('tr[data-param-name]', (rows) =>
      rows.map((row) => ({
        name: row.getAttribute('data-param-name')!,
        description:
          row.querySelector('.parameters-col_description .renderedMarkdown')?.textContent.trim() ?? '',
      })),
    );
    await this.closeOperation(id);
    return { description, parameters };
  }

  private async openOperation(id: string): Promise<ElementHandle> {
    if (this.tags.has(id)) await this.turn(id);
    const block = await this.page.$(idSelector(id));
    if (!block) throw new Error(`The page shows no ${id}.`);
    if (!(await block.evaluate((shown) => shown.classList.contains('is-open')))) {
      await block.evaluate((shown) => shown.scrollIntoView({ block: 'start' }));
      await this.click(`${idSelector(id)} .opblock-summary-control`);
    }
    await block.waitForSelector('.execute');
    // Swagger UI loads an operation's references after it has opened it, and sends no key before. `describe` reports missing descriptions.
    const isComplete = `document.querySelector(${JSON.stringify(`${idSelector(id)} .opblock-description`)}) !== null
      && [...document.querySelectorAll(${JSON.stringify(`${idSelector(id)} tr[data-param-name]`)})].every(
        (row) => row.querySelector('.parameters-col_description .renderedMarkdown'))`;
    await this.page.waitForFunction(isComplete, { timeout: 5_000 }).catch(() => undefined);
    return block;
  }

  async closeOperation(id: string): Promise<void> {
    if (this.tags.has(id)) return this.turn(id);
    const block = (await this.page.$(idSelector(id)))!;
    if (await block.evaluate((shown) => shown.classList.contains('is-open')))
      await this.click(`${idSelector(id)} .opblock-summary-control`);
  }

  /** Keeps the picture of an operation, from its summary to the end of its answer. */
  async photograph(id: string, name: string): Promise<void> {
    const block = (await this.page.$(idSelector(id)))!;
    const whole = (await block.boundingBox())!;
    const answer = (await (await block.$('.live-responses-table'))!.boundingBox())!;
    await this.window.photograph(name, {
      ...whole,
      y: whole.y + (await this.page.evaluate<[], () => number>('scrollY')),
      height: answer.y + answer.height - whole.y,
    });
  }

  /** Opens or closes the group of an operation. */
  private async turn(id: string): Promise<void> {
    const wasShown = (await this.page.$(idSelector(id))) !== null;
    await this.click(groupSelector(this.tags.get(id)!));
    await this.page.waitForSelector(idSelector(id), { hidden: wasShown });
  }

  private async retype(field: ElementHandle, value: string): Promise<void> {
    if (await field.evaluate((element) => element.nodeName === 'SELECT')) {
      await field.select(value);
      return;
    }
    await field.click();
    await field.press('KeyA', { commands: ['SelectAll'] });
    await field.press('Backspace');
    await this.page.keyboard.sendCharacter(value);
  }

  /** Clicks once it is there, is seen and stands still. */
  private async click(selector: string): Promise<void> {
    await this.page.locator(selector).click();
  }

  private async text(selector: string): Promise<string> {
    return textOf((await this.page.waitForSelector(selector))!);
  }
}

/** Swagger UI's identifiers have signs that mean something in a selector. */
const groupSelector = (tag: string): string => `.opblock-tag[data-tag=${JSON.stringify(tag)}]`;
const idSelector = (id: string): string => `[id=${JSON.stringify(id)}]`;

function textOf(element: ElementHandle): Promise<string> {
  return element.evaluate((shown) => shown.textContent ?? '');
}
