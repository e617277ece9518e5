import { type Bundle, type Question, questionFile, type Vote } from './bundle.js';
import { type Findings, Malformed } from './findings.js';
import { parsedCanonical } from './json.js';
import { type Ranking } from './ranked.js';
import { count, list, record, weight } from './shapes.js';

/** Sums of a class of ballots, or of several, for one question. Weights are in ten-thousandths. */
export class Sums {
  ballots = 0;
  weight = 0n;
  expressed = 0;
  expressedWeight = 0n;
  /** Ballots and weight of each option; of a ranked question, of the first choices. */
  readonly options = new Map<number, { votes: number; weight: bigint }>();

  add(answer: readonly number[], ballots: number, weightOfThese: bigint): void {
    this.ballots += ballots;
    this.weight += weightOfThese;
    if (answer.length === 0) return;
    this.expressed += ballots;
    this.expressedWeight += weightOfThese;
    for (const option of answer) this.addOption(option, ballots, weightOfThese);
  }

  addAll(other: Sums): void {
    this.ballots += other.ballots;
    this.weight += other.weight;
    this.expressed += other.expressed;
    this.expressedWeight += other.expressedWeight;
    for (const [option, { votes, weight }] of other.options) this.addOption(option, votes, weight);
  }

  private addOption(option: number, votes: number, more: bigint): void {
    const sum = this.options.get(option);
    if (sum) {
      sum.votes += votes;
      sum.weight += more;
    } else this.options.set(option, { votes, weight: more });
  }
}

/** The answers to one question. */
export interface Answers {
  /** Sums of the classes, from class 1. */
  readonly classes: readonly Sums[];
  /** The answers to a ranked question, of all classes together. */
  readonly rankings: readonly (Ranking & { readonly ballots: number })[];
}

const lineShape = record({
  bulletins: count,
  classe: count,
  poids: weight,
  reponse: list(count, 500),
});

/** A figure of a class, as the file of the question has it. */
interface Figure {
  readonly name: string;
  readonly number: number;
  readonly weightName: string;
  readonly weight: bigint;
}

/** The answers to a question of an encrypted vote: the figures of each slot, from slot 0, of each class, from class 1. */
export interface EncryptedAnswers extends Answers {
  readonly ofClasses: readonly { readonly line: number; readonly figures: readonly Figure[] }[];
}

const encryptedShape = record({
  abstentions: count,
  bulletins: count,
  classe: count,
  options: list(count, 500),
  poids: list(weight, 500),
  poidsAbstentions: weight,
  total: weight,
});

/** Reads the file of a question of an encrypted vote, and checks that its figures are possible. */
export function readEncrypted(
  bundle: Bundle,
  vote: Vote,
  place: number,
  findings: Findings,
): EncryptedAnswers | undefined {
  const file = questionFile(place);
  const { Options, MinReponses, MaxReponses } = vote.questions[place]!;
  const checked = findings.begin();
  const classes = vote.classes.map(() => new Sums());
  const ofClasses: EncryptedAnswers['ofClasses'][number][] = [];
  let before: Buffer | undefined;
  let line = 0;
  const check = (bytes: Buffer): void => {
    const found = encryptedShape(parsedCanonical(bytes), '');
    const { abstentions, bulletins, classe, options, poids, poidsAbstentions, total } = found;
    const announced = vote.classes[classe - 1];
    if (!announced) throw new Malformed('classe', `1 to ${classes.length}`, `${classe}`);
    if (ofClasses[classe - 1]) throw new Malformed('classe', 'once', `${classe} twice`);
    for (const [name, { length }] of Object.entries({ options, poids }))
      if (length !== Options.length) throw new Malformed(name, `${Options.length} options`, `${length}`);
    findings.same(file, 'bulletins', announced.bulletins, bulletins, line);
    if (total !== announced.poids)
      findings.differs(file, 'total (in 1/10,000)', `${announced.poids}`, `${total}`, line);
    const most = Math.min(MaxReponses, Options.length);
    const least = Math.max(1, MinReponses);
    const possible = (name: string, expressed: bigint, chosen: readonly bigint[]): void => {
      if (expressed < 0n) throw new Malformed(`abstentions${name}`, 'at most all ballots', 'more');
      for (const [option, one] of chosen.entries())
        if (one > expressed)
          throw new Malformed(
            `${name ? 'poids' : 'options'}[${option}]${name}`,
            'at most what is expressed',
            'more',
          );
      const sum = chosen.reduce((all, one) => all + one, 0n);
      if (sum < expressed * BigInt(least) || sum > expressed * BigInt(most))
        throw new Malformed(
          `sum of options${name}`,
          `${least} to ${most} of each expressed ballot`,
          `${sum}`,
        );
    };
    possible('', BigInt(bulletins - abstentions), options.map(BigInt));
    possible(' (weight in 1/10,000)', total - poidsAbstentions, poids);
    const sums = classes[classe - 1]!;
    sums.ballots = bulletins;
    sums.weight = total;
    sums.expressed = bulletins - abstentions;
    sums.expressedWeight = total - poidsAbstentions;
    for (const [option, votes] of options.entries())
      if (votes > 0) sums.options.set(option, { votes, weight: poids[option]! });
    ofClasses[classe - 1] = {
      line,
      figures: [
        {
          name: 'abstentions',
          number: abstentions,
          weightName: 'poidsAbstentions',
          weight: poidsAbstentions,
        },
        ...options.map((number, option) => ({
          ...{ name: `options[${option}]`, number },
          ...{ weightName: `poids[${option}]`, weight: poids[option]! },
        })),
      ],
    };
  };
  findings.attempt(file, () => {
    for (const bytes of bundle.archive.lines(bundle.entry(file))) {
      line++;
      if (before && Buffer.compare(before, bytes) >= 0)
        findings.differs(file, 'order of the lines', 'sorted by bytes', 'another order', line);
      before = Buffer.from(bytes);
      findings.attempt(file, () => check(before!), line);
    }
    findings.same(file, 'lines', classes.length, line);
  });
  checked({
    en: `${file}: figures of ${line} classes: order, and that they are possible`,
    fr: `${file} : chiffres de ${line} classes : ordre, et possibilité`,
  });
  const isWhole = classes.every((_, index) => ofClasses[index]);
  return isWhole ? { classes, rankings: [], ofClasses } : undefined;
}

/** Reads the file of a question and checks its lines against the question and the classes. */
export function readAnswers(
  bundle: Bundle,
  vote: Vote,
  place: number,
  findings: Findings,
  progress: (bytes: number) => void,
): Answers | undefined {
  const file = questionFile(place);
  const question = vote.questions[place]!;
  const entry = findings.attempt(file, () => bundle.entry(file));
  if (!entry) return undefined;
  const checked = findings.begin();
  const classes = vote.classes.map(() => new Sums());
  const rankings = new Map<string, { options: number[]; weight: bigint; ballots: number }>();
  const known = new Set<string>();
  let before: Buffer | undefined;
  let number = 0;
  const isRead = findings.attempt(file, () => {
    for (const bytes of bundle.archive.lines(entry)) {
      const line = ++number;
      progress(bytes.length + 1);
      if (before && Buffer.compare(before, bytes) >= 0)
        findings.differs(file, 'order of the lines', 'sorted by bytes', 'another order', line);
      before = Buffer.from(bytes);
      findings.attempt(
        file,
        () => {
          const { classe, bulletins, poids, reponse } = lineShape(parsedCanonical(bytes), '');
          const sums = classes[classe - 1];
          if (!sums) throw new Malformed('classe', `1 to ${classes.length}`, `${classe}`);
          assertAnswer(question, reponse, bulletins, poids);
          const key = reponse.join();
          if (known.size === known.add(`${classe}:${key}`).size)
            throw new Malformed('reponse', 'once in a class', `twice in class ${classe}`);
          sums.add(question.EstPreferentiel ? reponse.slice(0, 1) : reponse, bulletins, poids);
          if (!question.EstPreferentiel || reponse.length === 0) return;
          const equal = rankings.get(key);
          if (equal) {
            equal.weight += poids;
            equal.ballots += bulletins;
          } else rankings.set(key, { options: reponse, weight: poids, ballots: bulletins });
        },
        line,
      );
    }
    return true;
  });
  for (const [index, { bulletins, poids }] of vote.classes.entries()) {
    findings.same(file, `bulletins of class ${index + 1}`, bulletins, classes[index]!.ballots);
    if (poids !== classes[index]!.weight)
      findings.differs(
        file,
        `poids of class ${index + 1} (in 1/10,000)`,
        `${poids}`,
        `${classes[index]!.weight}`,
      );
  }
  checked({
    en: `${file}: ${number} answers: order, validity, and sums of each class`,
    fr: `${file} : ${number} réponses : ordre, validité et sommes de chaque classe`,
  });
  return isRead ? { classes, rankings: [...rankings.values()] } : undefined;
}

/** @throws Malformed if the answer or its weight does not fit the question. */
function assertAnswer(question: Question, answer: readonly number[], ballots: number, sum: bigint): void {
  const { Options, EstPreferentiel, MinReponses, MaxReponses, Decimales } = question;
  const refuse = (expected: string): never => {
    throw new Malformed('reponse', expected, JSON.stringify(answer));
  };
  if (ballots === 0) throw new Malformed('bulletins', 'at least 1', '0');
  if (sum === 0n) throw new Malformed('poids', 'above 0', '0');
  if (answer.some((option) => option >= Options.length)) refuse(`places from 0 to ${Options.length - 1}`);
  if (EstPreferentiel) {
    if (new Set(answer).size !== answer.length) refuse('each option once');
  } else if (answer.some((option, index) => index > 0 && option <= answer[index - 1]!))
    refuse('ascending places, each once');
  // A shortened ranking has lost ranks, but not the first one.
  const least = EstPreferentiel ? 1 : Math.max(1, MinReponses);
  if (answer.length > 0 && (answer.length < least || answer.length > MaxReponses))
    refuse(`none, or ${least} to ${MaxReponses} options`);
  if (answer.length > 0 && sum % 10n ** BigInt(4 - Decimales) !== 0n)
    throw new Malformed('poids', `at most ${Decimales} decimals (Decimales)`, `${sum} ten-thousandths`);
}
