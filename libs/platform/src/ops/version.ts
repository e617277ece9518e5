import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file beside the compiled folder, because a copy within it would hide its `imports`. */
const PACKAGE = join(__dirname, '../../../../../package.json');

/** The version of this release (CHANGELOG.md). */
export const { version: VERSION } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { readonly version: string };
