import { appendFileSync, closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { ENCRYPTED, questionFile } from './bundle.js';
import { bltOf, rankedOf, recordsOf } from './exports.js';
import { type Findings, shown, Unreadable } from './findings.js';
import { readKeys } from './keys.js';
import { type Given } from './log.js';
import { type Progress } from './progress.js';
import { reportOf } from './report.js';
import { type Language, proofOf, TEXTS } from './texts.js';
import { type Outcome, verifyBundle } from './verify.js';

const USAGE = `Usage: mandat-verify dossier.tar --cles jwks.json [options]
       mandat-verify ballot audit.json [--scrutin scrutin.json] [--json] [--langue fr|en]

  --cles jwks.json          the service's public keys (GET /.well-known/jwks.json), kept from another source
  --engagement note         checkpoints that you have stored: a note, or the saved JSON of GET …/engagements, of
                            GET …/evenement?type=campagne.engagee, or of webhooks (repeatable)
  --coherence proof         a proof of growth (GET …/engagements/coherence) (repeatable)
  --recu receipt            a receipt, or a file with it or with the ballot's answer (repeatable)
  --preuve proof            the proof of a receipt (GET …/recus/{empreinte}/preuve) (repeatable)
  --attestation jws         the Attestation of a ballot's answer, or a file with it (repeatable)
  --votant proof            a voter's line (GET …/votants/{votantId}/preuve) (repeatable)
  --emargement file         the roll with its salts (GET …/emargement), as NDJSON
  --json                    write one JSON object instead of text
  --rapport file.html       write a report for people
  --blt folder              write the rankings of each ranked question as BLT, if all is equal
  --cvr file.json           write the rankings as cast vote records (NIST SP 1500-103), if all is equal
  --langue fr|en            language of the output and the report: en if absent
  --help                    show this text

ballot checks the opened ballot of an encrypted vote, and shows its choices:
  --scrutin scrutin.json    the vote (GET …/scrutin), from another source than the ballot

Exit: 0 all equal, 1 something differs, 2 unreadable input or wrong usage.
`;

const MOST_BYTES = 1 << 26;
/** Characters that are written at once. */
const BLOCK = 1 << 16;

interface Options {
  /** A bundle, or an opened ballot. */
  readonly file: string;
  readonly isBallot: boolean;
  readonly keys: string;
  readonly values: Partial<Record<string, string[] | string | boolean>>;
}

const wrong = (message: string): never => {
  throw new Unreadable(`${message} See mandat-verify --help.`);
};

const SEVERAL = { type: 'string', multiple: true } as const;
const OPTIONS = {
  ...{ engagement: SEVERAL, coherence: SEVERAL, recu: SEVERAL, preuve: SEVERAL },
  ...{ attestation: SEVERAL, votant: SEVERAL },
  cles: { type: 'string' },
  emargement: { type: 'string' },
  rapport: { type: 'string' },
  blt: { type: 'string' },
  cvr: { type: 'string' },
  langue: { type: 'string' },
  scrutin: { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;
const OF_BALLOTS = new Set(['scrutin', 'json', 'langue']);
const NAMES = new Map(Object.entries(OPTIONS).map(([name, { type }]) => [`--${name}`, type]));

/** Joins `--recu -abc` to `--recu=-abc`: `parseArgs` takes no value that begins with a dash, as one receipt in 64 does. */
function joined(args: readonly string[]): string[] {
  const all: string[] = [];
  for (const arg of args) {
    const last = all.at(-1);
    const isOption = arg === '-h' || NAMES.has(arg.split('=')[0]!);
    if (last !== undefined && NAMES.get(last) === 'string' && arg.startsWith('-') && !isOption)
      all[all.length - 1] = `${last}=${arg}`;
    else all.push(arg);
  }
  return all;
}

function optionsOf(args: readonly string[]): Options | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: joined(args),
      allowPositionals: true,
      options: OPTIONS,
    });
    if (values.help) return undefined;
    const isBallot = positionals[0] === 'ballot';
    if (isBallot) positionals.shift();
    if (positionals.length !== 1) wrong(isBallot ? 'Name one opened ballot.' : 'Name one bundle.');
    if (values.langue !== undefined && !Object.hasOwn(TEXTS, values.langue))
      wrong('--langue must be fr or en.');
    const unused = Object.keys(values).find((name) =>
      isBallot ? !OF_BALLOTS.has(name) : name === 'scrutin',
    );
    if (unused !== undefined) wrong(`--${unused} is no option ${isBallot ? 'of a ballot' : 'of a bundle'}.`);
    if (!isBallot && values.cles === undefined) wrong('Name the file of the public keys with --cles.');
    return { file: positionals[0]!, isBallot, keys: values.cles ?? '', values };
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    return wrong((error as Error).message.split('\n')[0]!);
  }
}

function fileOf(path: string): Given {
  try {
    const { size } = statSync(path);
    if (size > MOST_BYTES) throw new Unreadable(`${path} is larger than ${MOST_BYTES} bytes.`);
    return { name: path, bytes: readFileSync(path) };
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    // Also a text that is too long for a name.
    return false;
  }
}

/** Returns the member of a saved answer to a ballot: `Recu` or `Attestation`. */
function memberOf(content: string, option: string): string | undefined {
  if (!content.startsWith('{')) return undefined;
  try {
    const object = JSON.parse(content) as Record<string, unknown>;
    const [, value] = Object.entries(object).find(([name]) => name.toLowerCase() === option) ?? [];
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A text, or the file that holds it or the saved answer to a ballot. */
function textOrFile(option: string, value: string): Given {
  const bytes = isFile(value) ? fileOf(value).bytes : Buffer.from(value);
  const text = Buffer.from(bytes).toString().trim();
  return { name: `--${option}`, bytes: Buffer.from(memberOf(text, option) ?? text) };
}

/** A bar on a terminal's stderr. */
const bar: Progress = (step, all) => {
  let done = 0;
  let shownPart = -1;
  return (more) => {
    done = Math.min(all, done + more);
    const part = all === 0 ? 20 : Math.floor((20 * done) / all);
    if (part === shownPart) return;
    shownPart = part;
    process.stderr.write(
      `\r\x1b[K${'█'.repeat(part)}${'░'.repeat(20 - part)} ${step}${part === 20 ? '\r\x1b[K' : ''}`,
    );
  };
};

/** Returns the result as a JSON object for machines. */
function objectOf({ findings, digest, manifest, vote, recounted }: Outcome, language: Language): object {
  const { proved, notProved } = proofOf(language, manifest.version === ENCRYPTED);
  return {
    verdict: findings.count === 0 ? 'egal' : 'different',
    prouve: proved,
    nonProuve: notProved,
    empreinte: digest,
    campagneId: manifest.campagneId,
    titre: vote?.titre ?? null,
    nombreDifferences: findings.count,
    differences: findings.differences,
    controles: findings.checks.map((check) => check[language]),
    questions: recounted.map(({ item }) => item),
  };
}

function printed({ findings, digest, manifest, vote, recounted }: Outcome, language: Language): string {
  const say = TEXTS[language];
  const { proved, notProved } = proofOf(language, manifest.version === ENCRYPTED);
  const lines = [
    `${proved} ${notProved}`,
    '',
    `${shown(vote?.titre ?? manifest.campagneId)} · empreinte ${digest}`,
    say.summary(
      manifest.bulletins,
      manifest.totalVotantsAvecDroitDeVote,
      recounted.length,
      vote?.questions.length ?? 0,
    ),
    ...checksOf(findings, language),
    '',
    ...differencesOf(findings, language),
    findings.count === 0 ? say.allEqual : say.differs(findings.count),
  ];
  return `${lines.join('\n')}\n`;
}

const checksOf = ({ checks }: Findings, language: Language): string[] =>
  checks.map((check) => `  ${check.holds ? '✓' : '✗'} ${shown(check[language])}`);

function differencesOf({ differences, count }: Findings, language: Language): string[] {
  const say = TEXTS[language];
  const lines = differences.map(({ fichier, ligne, chiffre, attendu, trouve }) =>
    say.difference(`${fichier}${ligne === undefined ? '' : `:${ligne}`}: ${chiffre}`, attendu, trouve),
  );
  return count > lines.length ? [...lines, say.more(count - lines.length, 'differences')] : lines;
}

/** Checks an opened ballot. */
async function runBallot({ file, values }: Options, language: Language): Promise<number> {
  const { checkOpened } = await import('./encrypted/opened.js');
  const vote = typeof values['scrutin'] === 'string' ? fileOf(values['scrutin']) : undefined;
  const { findings, campaign, voter, receipt, choices } = checkOpened(fileOf(file), vote);
  const isRight = findings.count === 0;
  const say = TEXTS[language];
  if (values['json'])
    process.stdout.write(
      `${JSON.stringify({
        verdict: isRight ? 'juste' : 'faux',
        ...{ campagneId: campaign ?? null, VotantId: voter ?? null, recu: receipt ?? null },
        choix: choices.map(({ title, labels }) => ({ Titre: title, Libelles: labels })),
        nombreDifferences: findings.count,
        differences: findings.differences,
        controles: findings.checks.map((check) => check[language]),
      })}\n`,
    );
  else {
    const lines = [
      say.openedOf(shown(voter ?? '?'), shown(campaign ?? '?')),
      say.receiptOf(receipt ?? '?'),
      say.notCast,
      ...(vote ? [] : [say.noVote]),
      ...checksOf(findings, language),
      '',
      ...choices.map(({ title, labels }) => shown(`${title}: ${labels.join(', ') || say.abstention}`)),
      '',
      ...differencesOf(findings, language),
      isRight ? say.right : say.differs(findings.count),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  }
  return isRight ? 0 : 1;
}

/** Runs the command and returns its exit code. */
async function run(args: string[]): Promise<number> {
  const isJson = args.includes('--json');
  try {
    const options = optionsOf(args);
    if (!options) {
      process.stdout.write(USAGE);
      return 0;
    }
    const { values } = options;
    const all = (name: string): string[] => (values[name] as string[] | undefined) ?? [];
    const language = (values['langue'] ?? 'en') as Language;
    if (options.isBallot) return await runBallot(options, language);
    const outcome = await verifyBundle({
      bundle: options.file,
      keys: readKeys(fileOf(options.keys).bytes, options.keys),
      held: {
        notes: all('engagement').map(fileOf),
        receipts: all('recu').map((value) => textOrFile('recu', value)),
        proofs: all('preuve').map(fileOf),
        attestations: all('attestation').map((value) => textOrFile('attestation', value)),
        growths: all('coherence').map(fileOf),
      },
      voters: all('votant').map(fileOf),
      ...(typeof values['emargement'] === 'string' ? { register: values['emargement'] } : {}),
      ...(process.stderr.isTTY ? { progress: bar } : {}),
    });
    if (typeof values['rapport'] === 'string') writeReport(values['rapport'], outcome, language);
    if (outcome.findings.count === 0) writeRankings(outcome, values);
    process.stdout.write(
      isJson ? `${JSON.stringify(objectOf(outcome, language))}\n` : printed(outcome, language),
    );
    return outcome.findings.count === 0 ? 0 : 1;
  } catch (error) {
    const message =
      error instanceof Unreadable
        ? error.message
        : `The input cannot be checked: ${(error as Error).message}`;
    if (isJson) process.stdout.write(`${JSON.stringify({ verdict: 'illisible', erreur: message })}\n`);
    else process.stderr.write(`mandat-verify: ${shown(message)}\n`);
    return 2;
  }
}

/** Writes a file in parts, because cast vote records can be larger than a string. */
function write(path: string, parts: Iterable<string>): void {
  let file: number | undefined;
  try {
    file = openSync(path, 'w');
    let block = '';
    for (const part of parts) {
      block += part;
      if (block.length < BLOCK) continue;
      appendFileSync(file, block);
      block = '';
    }
    appendFileSync(file, block);
  } catch (error) {
    if (error instanceof Unreadable) throw error;
    throw new Unreadable(`${path} cannot be written (${(error as NodeJS.ErrnoException).code}).`);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

const writeReport = (path: string, outcome: Outcome, language: Language): void =>
  write(path, [reportOf(outcome, new Date(), language)]);

/** Writes the rankings in the forms of other programs. Rankings of a bundle that differs are not written. */
function writeRankings({ vote, answers }: Outcome, { blt, cvr }: Options['values']): void {
  if (blt === undefined && cvr === undefined) return;
  const ranked = rankedOf(vote!, answers);
  if (typeof blt === 'string')
    for (const one of ranked)
      write(join(blt, basename(questionFile(one.place), '.ndjson') + '.blt'), [bltOf(one)]);
  if (typeof cvr === 'string') write(cvr, recordsOf(vote!, ranked, new Date()));
}

process.exitCode = await run(process.argv.slice(2));
