import { ERRORS } from '../../apps/partner-api/src/errors';
import type { WireAnswer } from './wire';

/** Internals that no response may show: statements, messages of the database, stack frames, paths of files. */
const INSIDE: readonly RegExp[] = [
  /\bSELECT\b[^"]*\bFROM\b/,
  /\b(?:INSERT INTO|DELETE FROM|UPDATE \w+ SET|ON CONFLICT|MERGE INTO|COPY \w+ FROM)\b/,
  /QueryFailedError|SQLSTATE|syntax error at|violates \w+[\w -]* constraint|duplicate key value|relation \\?"/i,
  /invalid input syntax|invalid byte sequence|out of range for type|current transaction is aborted/i,
  /(?:\\n|\n)\s+at .+[:)]\d*/,
  /\b(?:Type|Range|Syntax|Reference|URI)Error\b|Cannot read propert|is not a function|is not iterable/,
  /node_modules|node:internal|\.[jt]s:\d+|file:\/\//,
  new RegExp(process.cwd()),
];

const SERVER_TIMING = /^auth;dur=[\d.]+, db;dur=[\d.]+, total;dur=[\d.]+$/;

const MEMBERS = ['type', 'title', 'status', 'detail', 'code', 'instance', 'traceId'] as const;

type Problem = Record<(typeof MEMBERS)[number], unknown>;

/** Returns the faults of a response to a malformed request. */
export function faultsOf(method: string, answer: WireAnswer): string[] {
  const faults: string[] = [];
  if (answer.status >= 500) faults.push(`status ${answer.status} blames the service`);
  if (answer.status >= 400) faults.push(...problemFaults(method, answer));
  if (!SERVER_TIMING.test(String(answer.headers['server-timing'])))
    faults.push(`Server-Timing ${String(answer.headers['server-timing'])}`);
  // Only documentation is HTML, scripts and whole files.
  const isData = /json/.test(answer.headers['content-type'] ?? '') && !answer.text.includes('"openapi":');
  const shown = isData ? [answer.text, JSON.stringify(answer.headers)] : [JSON.stringify(answer.headers)];
  for (const pattern of INSIDE) {
    const leak = shown.map((text) => pattern.exec(text)?.[0]).find(Boolean);
    if (leak) faults.push(`shows the inside: ${leak.slice(0, 200)}`);
  }
  return faults;
}

function problemFaults(method: string, answer: WireAnswer): string[] {
  const contentType = answer.headers['content-type'];
  if (!contentType?.startsWith('application/problem+json')) return [`content type ${contentType}`];
  if (method === 'HEAD') return answer.text === '' ? [] : ['an answer to HEAD with a body'];
  let problem: Problem;
  try {
    problem = JSON.parse(answer.text) as Problem;
  } catch {
    return ['the problem is not JSON'];
  }
  const faults = MEMBERS.filter((name) => problem[name] === undefined || problem[name] === '').map(
    (name) => `no member ${name}`,
  );
  const code = String(problem.code);
  const known = ERRORS.get(code);
  if (!known) faults.push(`code ${code} is not registered`);
  if (problem.status !== answer.status) faults.push(`member status is ${String(problem.status)}`);
  if (known && known.status !== answer.status) faults.push(`code ${code} is registered as ${known.status}`);
  if (known && known.title.en !== problem.title) faults.push(`title ${String(problem.title)}`);
  if (!String(problem.type).endsWith(`/docs/erreurs#${code}`)) faults.push(`type ${String(problem.type)}`);
  if (!/^[0-9a-f]{32}$/.test(String(problem.traceId))) faults.push(`traceId ${String(problem.traceId)}`);
  return faults;
}
