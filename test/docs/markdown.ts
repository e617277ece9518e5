import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** The repository. */
export const ROOT = join(__dirname, '../..');

/** README.md and every document under docs, by their path in the repository. */
export function documents(): Map<string, string> {
  const names = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name));
  return new Map(
    ['README.md', ...names.sort()].map((name) => [name, readFileSync(join(ROOT, name), 'utf8')]),
  );
}

/** Returns a text without its blocks of code, because these have no links. */
const withoutFences = (text: string): string => text.replace(/^```[\s\S]*?^```$/gm, '');

/** Returns the anchor of a title, as GitHub makes it. */
function anchorOf(title: string): string {
  return title
    .replaceAll(/[`*]/g, '')
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** The titles of a document, as they are written. */
export function titlesOf(text: string): string[] {
  return [...withoutFences(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, title]) => title!);
}

const anchorsOf = (text: string): string[] => titlesOf(text).map(anchorOf);

/** Returns links of a document to missing files and titles. */
export function brokenLinks(name: string, text: string): string[] {
  const links = [...withoutFences(text).matchAll(/\]\(([^()\s]+(?:\([^()\s]*\))?)\)/g)].map(
    ([, target]) => target!,
  );
  return links
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path, anchor] = target.split('#') as [string, string?];
      const file = path === '' ? join(ROOT, name) : resolve(ROOT, dirname(name), path);
      if ((path !== '' && !existsSync(file)) || relative(ROOT, file).startsWith('..')) return true;
      if (anchor === undefined) return false;
      const linked = path === '' ? text : readFileSync(file, 'utf8');
      return !anchorsOf(linked).includes(anchor);
    })
    .map((target) => `${name}: ${target}`);
}

/** Returns paths in backticks that begin with a folder of the repository or name a file at its top. */
export function pathsIn(text: string): string[] {
  const codes = [...withoutFences(text).matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);
  return codes.filter(
    (code) =>
      /^(apps|bench|deploy|docs|examples|libs|migrations|packages|test|\.ci)\/[\w./*{},-]*$/.test(code) ||
      /^[\w.-]+\.(cjs|mjs|md|yml)$/.test(code),
  );
}

/** Returns paths of a document that match no file. A path may be a pattern. */
export function brokenPaths(name: string, text: string): string[] {
  return pathsIn(text)
    .filter((path) => globSync(path, { cwd: ROOT }).length === 0)
    .map((path) => `${name}: ${path}`);
}

/** Returns the cells of all table rows of a text, without heads and rules. */
export function rowsOf(text: string): string[][] {
  const lines = withoutFences(text).split('\n');
  return lines
    .filter((line, place) => line.startsWith('|') && !isRule(line) && !isRule(lines[place + 1] ?? ''))
    .map((line) =>
      line
        .slice(1, line.lastIndexOf('|'))
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replaceAll('\\|', '|')),
    );
}

const isRule = (line: string): boolean => /^\|[\s|:-]+\|$/.test(line);

/** Returns the packages of this product that a text runs or installs without their scope, as others could publish them. */
export const unscopedPackages = (text: string): string[] =>
  [...text.matchAll(/\b(?:npx|npm (?:i|install|exec))(?: -[\w-]+)* (mandat(?:-[a-z]+)?)\b/g)].map(
    ([, name]) => name!,
  );
