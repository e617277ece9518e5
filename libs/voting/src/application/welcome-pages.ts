import { Injectable } from '@nestjs/common';
import { join } from 'node:path';
import { cleanHtml } from '#platform/input/clean-html';
import { HtmlCleaner } from '#platform/input/html-cleaner';

/** Cleans the welcome pages of campaigns. */
@Injectable()
export class WelcomePages extends HtmlCleaner<string | null> {
  constructor() {
    super(join(__dirname, 'welcome-pages.thread.js'), cleanHtml);
  }
}
