import slugify from '@sindresorhus/slugify';
import { createHash } from 'node:crypto';

const OPTIONS = { decamelize: false };

/**
 * The slug of a title: its letters and digits, transliterated into Latin ones. If some have no transliteration, or there is
 * none at all, 12 characters of the title's digest follow. Titles which differ in the lost letters only then have
 * different slugs. Signs and emoji are no letters.
 */
export function slugOf(titre: string): string {
  const title = titre.normalize('NFC');
  // Replaces ligatures, superscripts and full-width characters by plain letters and digits: ﬁ, 1ᵉʳ, ２.
  const text = title.replace(/[\p{Script=Latin}\p{N}]/gu, (letter) => letter.normalize('NFKC'));
  const slug = slugify(text, OPTIONS);
  if (slug && !losesLetters(text)) return slug;
  return `${slug || 'campagne'}-${createHash('sha256').update(title).digest('hex').slice(0, 12)}`;
}

/** A letter without transliteration becomes a separator; one that is not written in Latin, such as ь, becomes nothing. */
function losesLetters(text: string): boolean {
  return slugify(`a${text.replace(/[^\p{L}\p{N}]/gu, '')}a`, OPTIONS).includes('-');
}
