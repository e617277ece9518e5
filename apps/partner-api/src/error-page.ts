import { ERRORS } from './errors';
import { linksOf } from './swagger-ui';

/** The page /docs/erreurs: every error code with an anchor of its own, where the `type` of each error leads. */
export function errorPage(): string {
  const rows = [...ERRORS.values()]
    .sort((one, other) => one.code.localeCompare(other.code))
    .map(
      ({ code, status, title, description }) =>
        `<tr id="${code}"><td><a href="#${code}"><code>${code}</code></a></td><td>${status}</td><td>${escape(title)}</td><td>${escape(description).replace(/`([^`]+)`/g, '<code>$1</code>')}</td></tr>`,
    );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mandat: error codes</title>
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
<nav>${linksOf('docs/erreurs')}</nav>
<h1>Error codes</h1>
<p>Every error is <code>application/problem+json</code> (RFC 9457) and carries one of these codes in <code>code</code>;
<code>errors</code> lists the faults of an invalid request. </p>
<p><label>Filter by code, status or text: <input type="search" id="filter" autofocus></label></p>
<table>
<thead><tr><th>Code</th><th>Status</th><th>Title</th><th>When, and what to do</th></tr></thead>
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
