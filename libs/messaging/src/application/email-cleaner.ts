import { Injectable } from '@nestjs/common';
import { join } from 'node:path';
import { HtmlCleaner } from '#platform/input/html-cleaner';
import { type CleanedEmail, cleanEmail } from './email-html';

/** Cleans the bodies of emails. */
@Injectable()
export class EmailCleaner extends HtmlCleaner<CleanedEmail> {
  constructor() {
    super(join(__dirname, 'email-cleaner.thread.js'), cleanEmail);
  }
}
