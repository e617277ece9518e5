import slugify from '@sindresorhus/slugify';
import { createHash } from 'node:crypto';

/** The slug of a title; of one without any letter that can be written in Latin ones, such as an emoji, a digest. */
export function slugOf(titre: string): string {
  const slug = slugify(titre.normalize('NFC'), { decamelize: false });
  return slug || `campagne-${createHash('sha256').update(titre.normalize('NFC')).digest('hex').slice(0, 12)}`;
}
