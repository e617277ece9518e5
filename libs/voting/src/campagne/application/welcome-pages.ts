import { Injectable } from '@nestjs/common';
import { join } from 'node:path';
import { cleanHtml } from '#platform/input/clean-html';
import { Databases } from '#platform/database/databases';
import { HtmlCleaner } from '#platform/input/html-cleaner';

/** Cleans the welcome pages of campaigns. */
@Injectable()
export class WelcomePages extends HtmlCleaner<string | null> {
  constructor(databases: Databases) {
    super(databases, join(__dirname, 'welcome-pages.thread.js'), cleanHtml);
  }
}
