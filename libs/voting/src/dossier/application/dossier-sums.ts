import { type Weight, weightOf, weightText } from '../../count/domain/tally/weight';
import { canonical } from './dossier-answers';

interface Sum {
  readonly ballots: number;
  readonly weight: Weight;
}

const NONE: Sum = { ballots: 0, weight: 0n };

/** Makes the lines of a question of an encrypted vote, one a class and sorted by bytes (docs/encrypted-vote.md, "The bundle"). */
export class DossierSums {
  /** Decimals of the finest sum of weights. */
  decimals = 0;
  private readonly classes = new Map<number, Map<string, Sum>>();

  /** @param options number of options of the question */
  constructor(private readonly options: number) {}

  /** @param lines class, ballots, weight, decimals and sum (`urne_dechiffrer`) */
  add(lines: string): void {
    for (const line of lines.split('\n')) {
      const [classe = '', ballots, weight = '', decimals, sum = ''] = line.split(' ');
      this.decimals = Math.max(this.decimals, Number(decimals));
      let sums = this.classes.get(Number(classe));
      if (!sums) this.classes.set(Number(classe), (sums = new Map<string, Sum>()));
      sums.set(sum, { ballots: Number(ballots), weight: weightOf(weight) });
    }
  }

  /** The file, in parts. */
  *parts(): Generator<string> {
    // Lines have ASCII only, so this is the order of their bytes.
    for (const line of [...this.classes].map(([classe, sums]) => this.line(classe, sums)).sort()) yield line;
  }

  private line(classe: number, sums: ReadonlyMap<string, Sum>): string {
    const of = (sum: string): Sum => sums.get(sum) ?? NONE;
    const [abstentions, expressed] = [of(''), of('=')];
    const options = Array.from({ length: this.options }, (_, place) => of(`=${place}`));
    const text = canonical({
      ...{ classe, abstentions: abstentions.ballots, bulletins: abstentions.ballots + expressed.ballots },
      options: options.map(({ ballots }) => ballots),
      poids: options.map(({ weight }) => weightText(weight)),
      poidsAbstentions: weightText(abstentions.weight),
      total: weightText(abstentions.weight + expressed.weight),
    });
    return `${text}\n`;
  }
}
