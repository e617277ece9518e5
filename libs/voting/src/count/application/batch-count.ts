import { type CountOfQuestion, countedQuestion, type StatedQuestion } from '../domain/statistics';
import { answersIn } from '../persistence/answer-lines';
import type { CountedRow } from '../persistence/statistics.query';

/** Questions that follow each other and are counted together. */
export interface Batch extends Pick<CountOfQuestion, 'isWhole' | 'graine'> {
  /** Place of the first of them. */
  readonly first: number;
  readonly questions: readonly StatedQuestion[];
}

/** Counts questions from rows of a ballot box, on the main thread or in another one. */
export class BatchCount {
  private readonly options = new Map<number, CountOfQuestion['options']>();
  private readonly lines = new Map<number, string[]>();

  add({ question, options, lignes }: CountedRow): void {
    if (options) {
      this.options.set(question, options);
      return;
    }
    const lines = this.lines.get(question) ?? [];
    lines.push(lignes);
    this.lines.set(question, lines);
  }

  /** Results of the questions in their order, as JSON. */
  *items({ first, questions, isWhole, graine }: Batch): Generator<Uint8Array<ArrayBuffer>> {
    const encoder = new TextEncoder();
    for (const [index, question] of questions.entries()) {
      const options = this.options.get(first + index) ?? [];
      const answers = answersIn(this.lines.get(first + index) ?? []);
      yield encoder.encode(countedQuestion({ question, options, isWhole, graine }, answers));
    }
  }
}
