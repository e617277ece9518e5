import { ERRORS } from './errors';

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
</style>
</head>
<body>
<h1>Error codes</h1>
<p>Every error is <code>application/problem+json</code> (RFC 9457) and carries one of these codes in <code>code</code>;
<code>errors</code> lists the faults of an invalid request. See also the <a href="/docs">API documentation</a>.</p>
<table>
<thead><tr><th>Code</th><th>Status</th><th>Title</th><th>When, and what to do</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</body>
</html>
`;
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
