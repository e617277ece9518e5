import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { type Browser, launch, type Page, type ScreenshotClip } from 'puppeteer-core';
import { ROOT } from '../docs/markdown';

const SCREENSHOTS = join(ROOT, '.screenshots');
const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The browser of this machine: the one in CHROMIUM, or one on PATH. */
export function chromium(): string | undefined {
  const named = process.env.CHROMIUM;
  const folders = (process.env.PATH ?? '').split(delimiter);
  const candidates = (named ? [named] : NAMES).flatMap((name) =>
    isAbsolute(name) ? [name] : folders.map((folder) => join(folder, name)),
  );
  return candidates.find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** A headless browser with its own profile, which sends no requests by itself. */
export class Window {
  private constructor(
    private readonly browser: Browser,
    readonly page: Page,
    /** Errors in the console, exceptions and failed loads of the page. */
    readonly complaints: string[],
    private readonly profile: string,
  ) {}

  static async open(executablePath: string): Promise<Window> {
    const profile = mkdtempSync(join(tmpdir(), 'mandat-chromium-'));
    const browser = await launch({
      executablePath,
      headless: true,
      userDataDir: profile,
      defaultViewport: { width: 1280, height: 900 },
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
    const [first] = await browser.pages();
    const page = first ?? (await browser.newPage());
    const complaints: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('requestfailed', (request) =>
      complaints.push(`${request.url()} failed: ${request.failure()?.errorText}`),
    );
    return new Window(browser, page, complaints, profile);
  }

  /** Keeps what is seen, or a part of the page, for people to look at. */
  async photograph(name: string, clip?: ScreenshotClip): Promise<void> {
    mkdirSync(SCREENSHOTS, { recursive: true });
    await this.page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), ...(clip ? { clip } : {}) });
  }

  async close(): Promise<void> {
    await this.browser.close();
    rmSync(this.profile, { recursive: true, force: true });
  }
}
