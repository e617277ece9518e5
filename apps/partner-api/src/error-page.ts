import { ERRORS } from './errors';
import { fr, type Language, type Text } from '#platform/errors/text';
import { ERROR_CODES, linksOf } from './swagger-ui';

const TITLE: Text = { en: 'Mandat: error codes', fr: fr("Mandat : codes d'erreur") };

const INTRODUCTION: Text = {
  en: `Every error is <code>application/problem+json</code> (RFC 9457) and carries one of these codes in <code>code</code>;
<code>errors</code> lists the faults of an invalid request. `,
  fr: fr(
    "Chaque erreur est en <code>application/problem+json</code> (RFC 9457) et porte un de ces codes dans <code>code</code>; <code>errors</code> énumère les fautes d'une requête non valide.",
  ),
};

const FILTER: Text = {
  en: 'Filter by code, status or text:',
  fr: fr('Filtrer par code, statut ou texte :'),
};

const COLUMNS: Text = {
  en: '<th>Code</th><th>Status</th><th>Title</th><th>When, and what to do</th>',
  fr: fr('<th>Code</th><th>Statut</th><th>Titre</th><th>Quand, et que faire</th>'),
};

/** The page /docs/erreurs: every error code with an anchor of its own, where the `type` of each error leads. */
export function errorPage(language: Language): string {
  const rows = [...ERRORS.values()]
    .sort((one, other) => one.code.localeCompare(other.code))
    .map(
      ({ code, status, title, description }) =>
        `<tr id="${code}"><td><a href="#${code}"><code>${code}</code></a></td><td>${status}</td><td>${escape(title[language])}</td><td>${escape(description[language]).replace(/`([^`]+)`/g, '<code>$1</code>')}</td></tr>`,
    );
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${TITLE[language]}</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #1b1f24; background: #fff; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem; border-bottom: 1px solid #d0d7de; }
tr:target { background: #fff8c5; }
code { white-space: nowrap; }
nav a { margin-right: 1.5em; }
@media (max-width: 60rem) {
  thead { display: none; }
  tr:not([hidden]), td { display: block; }
  td { border: 0; padding: .1rem 0; }
  tr { border-bottom: 1px solid #d0d7de; padding: .5rem 0; }
  code { white-space: normal; overflow-wrap: anywhere; }
}
</style>
</head>
<body>
<nav>${linksOf('docs/erreurs', language)}</nav>
<h1>${ERROR_CODES[language]}</h1>
<p>${INTRODUCTION[language]}</p>
<p><label>${FILTER[language]} <input type="search" id="filter" autofocus></label></p>
<table>
<thead><tr>${COLUMNS[language]}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
<script src="/docs/erreurs.js"></script>
</body>
</html>
`;
}

/** The filter of the page: a row needs all words. It is a file because the content security policy refuses scripts inside of pages. */
export function errorFilter(): string {
  return `const filter = document.getElementById('filter');
const rows = [...document.querySelectorAll('tbody tr')];
function apply() {
  const words = filter.value.toLowerCase().split(/\\s+/);
  for (const row of rows) {
    const text = row.textContent.toLowerCase();
    row.hidden = !words.every((word) => text.includes(word));
  }
}
filter.addEventListener('input', apply);
apply();
`;
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
