import { cleanHtml } from '#platform/input/clean-html';
import { cleanInThread } from '#platform/input/html-cleaner';

cleanInThread((html) => cleanHtml(html));
