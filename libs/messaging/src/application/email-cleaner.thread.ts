import { cleanInThread } from '#platform/input/html-cleaner';
import { cleanEmail } from './email-html';

cleanInThread(cleanEmail);
