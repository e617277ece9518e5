import { Injectable } from '@nestjs/common';
import { join } from 'node:path';
import { Databases } from '#platform/database/databases';
import { HtmlCleaner } from '#platform/input/html-cleaner';
import { type CleanedEmail, cleanEmail } from './email-html';

/** Cleans the bodies of emails. */
@Injectable()
export class EmailCleaner extends HtmlCleaner<CleanedEmail> {
  constructor(databases: Databases) {
    super(databases, join(__dirname, 'email-cleaner.thread.js'), cleanEmail);
  }
}
