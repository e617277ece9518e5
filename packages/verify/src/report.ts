import { ENCRYPTED } from './bundle.js';
import { percentage, type Recounted, weightText } from './results.js';
import { type Language, proofOf, TEXTS, type Texts } from './texts.js';
import { type Outcome } from './verify.js';

/** Bars and rounds that are drawn; the figures of all are checked. */
const MOST_BARS = 40;
const MOST_ROUNDS = 60;

interface Option {
  readonly OptionId: string;
  readonly Libelle: string;
  readonly Votes: number;
  readonly PoidsTotal: string;
  readonly Pourcentage: string;
}

interface Tour {
  readonly Tour: number;
  readonly Seuil: string;
  readonly Decompte: readonly { readonly OptionId: string; readonly Poids: string }[];
  readonly Elus: readonly string[];
  readonly Elimines: readonly string[];
  readonly Epuises: string;
  readonly Transferts: readonly { readonly De: string; readonly Epuise: string }[];
  readonly Departage?: { readonly Tour: number | null; readonly Choisi: string };
}

interface Item {
  readonly Titre: string;
  readonly Type: string;
  readonly EstPreferentiel: boolean;
  readonly Exprimes: number;
  readonly Abstentions: number;
  readonly Options: readonly Option[];
  readonly Elus?: readonly string[];
  readonly Departages?: readonly unknown[];
  readonly Tours?: readonly Tour[];
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Returns text for HTML: escaped, without control characters. */
const escaped = (text: unknown): string =>
  String(text)
    .replace(/[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu, '\ufffd')
    .replace(/[&<>"']/g, (char) => ENTITIES[char]!);

const share = (part: number, whole: number): string =>
  (whole > 0 ? Math.min(100, (100 * part) / whole) : 0).toFixed(2);

function barOf(label: string, value: string, width: string, kind: string, mark?: string): string {
  const line = mark === undefined ? '' : `<i style="left:${mark}%"></i>`;
  return (
    `<div class="row ${kind}"><span class="label">${label}</span>` +
    `<span class="track"><b style="width:${width}%"></b>${line}</span><span class="value">${value}</span></div>`
  );
}

const moreBars = (number: number, say: Texts): string =>
  number > MOST_BARS ? `<p class="small">${say.more(number - MOST_BARS, 'options')}</p>` : '';

function roundOf(
  tour: Tour,
  nameOf: (id: string) => string,
  whole: number,
  before: ReadonlySet<string>,
  say: Texts,
): string {
  const { Seuil, Decompte, Elus, Elimines, Epuises, Transferts, Departage } = tour;
  const mark = share(Number(Seuil), whole);
  const kindOf = (id: string): string =>
    Elus.includes(id) ? 'in' : Elimines.includes(id) ? 'out' : before.has(id) ? 'before' : '';
  const weights = new Map(Decompte.map(({ OptionId, Poids }) => [OptionId, Poids]));
  const bars = [...weights]
    .slice(0, MOST_BARS)
    .map(([id, weight]) =>
      barOf(nameOf(id), escaped(weight), share(Number(weight), whole), kindOf(id), mark),
    );
  const exhausted =
    Epuises === '0' ? '' : barOf(say.exhausted, escaped(Epuises), share(Number(Epuises), whole), 'lost');
  const names = (ids: readonly string[]): string => ids.map(nameOf).join(', ');
  const notes = [
    ...(Elus.length > 0 ? [`${say.elected}: <strong>${names(Elus)}</strong>`] : []),
    ...(Elimines.length > 0 ? [`${say.eliminated}: ${names(Elimines)}`] : []),
    ...Transferts.filter(({ De }) => !Elimines.includes(De)).map(({ De }) => `${say.surplus}: ${nameOf(De)}`),
    ...(Departage ? [say.tie(nameOf(Departage.Choisi), Departage.Tour)] : []),
  ];
  return (
    `<section class="round"><h4>${say.round(tour.Tour)}<span>${say.quota(escaped(Seuil))}</span></h4>` +
    `${bars.join('')}${exhausted}${moreBars(weights.size, say)}<p class="small">${notes.join(' · ')}</p></section>`
  );
}

function questionOf({ item }: Recounted, say: Texts): string {
  const { Titre, Type, EstPreferentiel, Exprimes, Abstentions, Options, Elus, Departages, Tours } =
    item as unknown as Item;
  const names = new Map(Options.map(({ OptionId, Libelle }) => [OptionId, escaped(Libelle)]));
  const nameOf = (id: string): string => names.get(id) ?? '';
  const elected = new Set(Elus);
  const bars = Options.slice(0, MOST_BARS).map(({ OptionId, Libelle, Votes, PoidsTotal, Pourcentage }) =>
    barOf(
      escaped(Libelle),
      `${Votes} · ${escaped(PoidsTotal)} · ${escaped(Pourcentage)} %`,
      share(Number(Pourcentage), 100),
      elected.has(OptionId) ? 'in' : '',
    ),
  );
  const rounds = Tours ?? [];
  const before = (index: number): Set<string> => new Set(rounds.slice(0, index).flatMap((tour) => tour.Elus));
  const whole = rounds[0]?.Decompte.reduce((sum, { Poids }) => sum + Number(Poids), 0) ?? 0;
  const drawn = Departages && Departages.length > 0 ? say.drawn(Departages.length) : '';
  return (
    `<article><h3>${escaped(Titre)}</h3><p class="small">${escaped(Type)}${EstPreferentiel ? say.ranked : ''} · ` +
    `${say.expressed}: ${Exprimes} · ${say.abstentions}: ${Abstentions}${drawn}</p>` +
    (elected.size > 0 ? `<p>${say.elected}: <strong>${Elus!.map(nameOf).join(', ')}</strong></p>` : '') +
    `<h4>${EstPreferentiel ? say.firstChoices : say.votes}<span>${say.columns}</span></h4>` +
    `${bars.join('')}${moreBars(Options.length, say)}` +
    rounds
      .slice(0, MOST_ROUNDS)
      .map((tour, index) => roundOf(tour, nameOf, whole, before(index), say))
      .join('') +
    (rounds.length > MOST_ROUNDS
      ? `<p class="small">${say.more(rounds.length - MOST_ROUNDS, 'rounds')}</p>`
      : '') +
    '</article>'
  );
}

const STYLE = `
:root{color-scheme:light dark;--ground:#f6f7f9;--card:#fff;--ink:#1a2230;--soft:#5b6675;--line:#dde2e9;--track:#eceff4;
--bar:#4a6fa5;--good:#1b7f4b;--bad:#b3261e;--lost:#9aa4b2}
@media(prefers-color-scheme:dark){:root{--ground:#12161d;--card:#1b212b;--ink:#e7ebf1;--soft:#9aa7b8;--line:#2e3744;
--track:#28303c;--bar:#7da2d8;--good:#4cc38a;--bad:#ff7a70;--lost:#5d6877}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",sans-serif}
main{max-width:54rem;margin:0 auto;padding:2.5rem 1.25rem 4rem}
h1{font-size:1.75rem;line-height:1.2;margin:.25rem 0 1.25rem;overflow-wrap:anywhere}
h2{font-size:1.15rem;margin:2.5rem 0 .75rem}
h3{font-size:1.1rem;margin:0;overflow-wrap:anywhere}
h4{font-size:.9rem;margin:1.25rem 0 .4rem;display:flex;justify-content:space-between;gap:1rem}
h4 span,.small,.eyebrow{color:var(--soft);font-size:.85rem;font-weight:400}
.eyebrow{letter-spacing:.06em;text-transform:uppercase;margin:0}
.verdict{border-left:.4rem solid var(--good);background:var(--card);border-radius:.5rem;padding:1rem 1.25rem}
.verdict.bad{border-color:var(--bad)}
.verdict strong{display:block;font-size:1.3rem;color:var(--good)}
.verdict.bad strong{color:var(--bad)}
.verdict p{margin:.35rem 0 0}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.75rem;margin:1rem 0}
dl div,article{background:var(--card);border:1px solid var(--line);border-radius:.5rem;padding:.75rem 1rem}
dt{color:var(--soft);font-size:.85rem}
dd{margin:0;font-size:1.35rem;font-weight:600;font-variant-numeric:tabular-nums}
article{padding:1.25rem;margin:0 0 1rem}
.row{display:grid;grid-template-columns:28% 1fr 11rem;gap:.1rem .75rem;align-items:center;margin:.2rem 0;font-size:.9rem}
.round .row{grid-template-columns:28% 1fr 7rem}
.label{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.value{text-align:right;font-variant-numeric:tabular-nums}
.track{position:relative;height:.85rem;background:var(--track);border-radius:.2rem}
.track b{display:block;height:100%;background:var(--bar);border-radius:.2rem;min-width:1px}
.track i{position:absolute;top:-.15rem;bottom:-.15rem;border-left:2px solid var(--ink);opacity:.55}
.in b,.before b{background:var(--good)}.before b{opacity:.55}.in .label{font-weight:600}
.out b{background:var(--bad)}.lost b{background:var(--lost)}.lost{color:var(--soft)}
.round{border-top:1px solid var(--line);margin-top:1rem}
ul{padding-left:1.2rem;margin:.5rem 0}li{margin:.25rem 0;overflow-wrap:anywhere}
table{width:100%;border-collapse:collapse;background:var(--card);font-size:.85rem;table-layout:fixed}
th,td{text-align:left;vertical-align:top;padding:.5rem .6rem;border:1px solid var(--line);overflow-wrap:anywhere}
ul.checks{list-style:none;padding:0}.holds::before{content:"✓ ";color:var(--good)}
.fails::before{content:"✗ ";color:var(--bad)}.fails{color:var(--bad)}
code{font-size:.85em;overflow-wrap:anywhere}
@media(max-width:36rem){.row,.round .row{grid-template-columns:1fr auto;margin:.5rem 0}.track{grid-row:2;grid-column:1/-1}}
@media print{body{background:#fff}main{max-width:none;padding:0}.round,tr,dl div{break-inside:avoid}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}}
`;

/** A moment of the bundle, to the minute. */
const minuteOf = (moment: string | undefined): string =>
  escaped((moment ?? '').replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d).*Z$/, '$1 $2 UTC'));

/** Returns the report for people: one HTML file without scripts or further files. */
export function reportOf(
  { findings, digest, manifest, vote, recounted }: Outcome,
  now: Date,
  language: Language = 'en',
): string {
  const say = TEXTS[language];
  const { proved, notProved, limits } = proofOf(language, manifest.version === ENCRYPTED);
  const isEqual = findings.count === 0;
  const title = escaped(vote?.titre ?? manifest.campagneId);
  const tile = (name: string, value: string | number): string =>
    `<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const line = (name: string, value: string): string => `<li>${name}: <code>${value}</code></li>`;
  const { ajoutes, retires, modifies } = manifest.modificationsApresOuverture;
  const { bulletins, totalVotantsAvecDroitDeVote: entitled } = manifest;
  const differences = findings.differences.map(
    ({ fichier, ligne, chiffre, attendu, trouve }) =>
      `<tr><td>${escaped(fichier)}${ligne === undefined ? '' : `:${ligne}`}</td><td>${escaped(chiffre)}</td>` +
      `<td>${escaped(attendu)}</td><td>${escaped(trouve)}</td></tr>`,
  );
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${say.recountOf(title)}</title>
<style>${STYLE}</style>
</head>
<body><main>
<p class="eyebrow">${say.eyebrow}</p>
<h1>${title}</h1>
<div class="verdict${isEqual ? '' : ' bad'}"><strong>${
    isEqual ? `✓ ${say.equal}` : `✗ ${say.differences(findings.count)}`
  }</strong><p>${proved}</p><p>${notProved}</p></div>
<dl>
${tile(say.opened, minuteOf(vote?.ouvertureDuVoteUtc))}
${tile(say.closed, minuteOf(vote?.fermetureDuVoteUtc))}
${tile(say.turnout, `${percentage(BigInt(bulletins), BigInt(entitled))} %`)}
${tile(say.ballots, bulletins)}
${tile(say.entitled, entitled)}
${tile(say.voters, manifest.totalVotants)}
${tile(say.weight, weightText(manifest.poidsBulletins))}
${tile(say.receipts, manifest.recus)}
${tile(say.threshold, vote?.seuilAnonymat ?? '')}
</dl>
<p class="small">${say.changes}: ${say.changesOf(ajoutes, retires, modifies)}</p>
${
  isEqual
    ? ''
    : `<h2>${say.title}</h2><table><thead><tr>${say.headings.map((name) => `<th>${name}</th>`).join('')}</tr></thead>` +
      `<tbody>${differences.join('')}</tbody></table>` +
      (findings.count > differences.length
        ? `<p class="small">${say.more(findings.count - differences.length, 'differences')}</p>`
        : '')
}
<h2>${say.results}</h2>
${recounted.map((one) => questionOf(one, say)).join('\n')}
<h2>${say.checked}</h2>
<ul class="checks">${findings.checks
    .map((check) => `<li class="${check.holds ? 'holds' : 'fails'}">${escaped(check[language])}</li>`)
    .join('')}</ul>
${
  vote
    ? `<h2>${say.seeds}</h2><ul>` +
      (vote.empreinteGraineDepartage
        ? line(say.commitment, vote.empreinteGraineDepartage.toString('hex'))
        : '') +
      line(say.seed, escaped(vote.graineDepartage)) +
      line(say.partnerSeed, escaped(vote.grainePartenaire ?? say.noSeed)) +
      `</ul><p class="small">${say.seedRemedy}</p>`
    : ''
}
<h2>${say.limits}</h2>
<ul>${limits.map((one) => `<li>${one}</li>`).join('')}</ul>
<p class="small">${say.digest}: <code>${digest}</code><br>
${say.reportOf(`<code>${escaped(manifest.campagneId)}</code>`, `${now.toISOString().slice(0, 19)}Z`)}</p>
</main></body>
</html>
`;
}
