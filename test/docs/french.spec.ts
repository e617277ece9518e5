import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as ts from 'typescript';
import { ERRORS } from '../../apps/partner-api/src/errors';
import { fr } from '../../libs/platform/src/errors/text';
import { frenchFaults } from '../setup/french';

const ROOT = join(__dirname, '..', '..');

interface French {
  readonly place: string;
  /** Parts between the values of a template. */
  readonly parts: readonly string[];
}

/** Returns the French texts of a source, and what a call of `fr` may not be given. */
function frenchIn(name: string, source: string): { texts: French[]; faults: string[] } {
  const texts: French[] = [];
  const faults: string[] = [];
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    const place = `${name}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'fr') {
      const { template } = node;
      texts.push({
        place,
        parts: ts.isNoSubstitutionTemplateLiteral(template)
          ? [template.text]
          : [template.head.text, ...template.templateSpans.map(({ literal }) => literal.text)],
      });
    }
    if (ts.isCallExpression(node) && node.expression.getText() === 'fr') {
      const [text] = node.arguments;
      if (text && ts.isStringLiteral(text)) texts.push({ place, parts: [text.text] });
      else faults.push(`${place}: fr takes a string, or is the tag of a template`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { texts, faults };
}

/** A text as `fr` sets it, with a word in the place of each value. */
function set({ parts }: French): string {
  const strings = Object.assign([...parts], { raw: parts });
  return fr(strings, ...parts.slice(1).map(() => 'X'));
}

const sources = execFileSync('git', ['ls-files', 'libs/*.ts', 'apps/*.ts'], { cwd: ROOT })
  .toString()
  .split('\n')
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'));
const found = sources.map((name) => frenchIn(name, readFileSync(join(ROOT, name), 'utf8')));

describe('French messages', () => {
  it('there are some hundred, and each reads as French', () => {
    const texts = found.flatMap((one) => one.texts);
    expect(texts.length).toBeGreaterThan(400);
    expect(found.flatMap(({ faults }) => faults)).toEqual([]);
    const wrong = texts.flatMap((one) => frenchFaults(set(one)).map((fault) => `${one.place}: ${fault}`));
    expect(wrong).toEqual([]);
  });

  it('every error code has a title and a description in each language', () => {
    const lacking = [...ERRORS.values()].filter(({ title, description, detail = description }) =>
      [title, description, detail].some(({ en, fr: french }) => !en || !french || en === french),
    );
    // The title is the same word in both languages.
    expect(lacking.map(({ code }) => code)).toEqual([]);
    const unended = [...ERRORS.values()].filter(
      ({ title, description }) => title.fr.endsWith('.') || !description.fr.endsWith('.'),
    );
    expect(unended.map(({ code }) => code)).toEqual([]);
  });

  it.each([
    ["L'employé", 'a straight apostrophe'],
    ['Rien : rien', 'a sign without'],
    ['Rien ; rien', 'a space before'],
    ['Rien\u00a0; rien', 'a space before'],
    ['Quoi\u202f?', 'a space before'],
    ['Là\u00a0!', 'a space before'],
    ['Un « mot »', 'a sign without'],
    ['Un “mot”', 'English quotes'],
    ['250 000 votes', 'thousands'],
    ['250,000 votes', 'thousands'],
    ['Le courriel est invalide', 'non valide'],
    ['Un e-mail', 'courriel'],
    ['La sync', 'synchronisation'],
    ['Cet employe', 'accent'],
    ['La requete', 'accent'],
    ['Le employé', 'before a vowel'],
    ['de le client', 'contraction'],
  ])('negative control: %s is reported', (text, fault) => {
    expect(frenchFaults(text).join()).toContain(fault);
  });

  it('negative control: a call of fr with a value is reported', () => {
    expect(frenchIn('a.ts', 'fr(`Le ${nom}`); fr(nom); fr("Le nom");').faults).toHaveLength(2);
  });
});
