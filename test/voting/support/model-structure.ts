import { randomUUID } from 'node:crypto';
import type { Answer } from '../../setup/test-app';
import type { Campaigns } from './campaigns';
import type { Campagne, Expected, Option, Question, Reference, Reordered, Shown } from './model';
import { type Command, KINDS, type Shuffle } from './model-commands';
import { type Answers, expectSame, picked } from './model-comparison';

/** A command that writes questions, options or their order. */
export type Structural = Extract<Command, { do: `${string}${'Question' | 'Option'}${'' | 's'}` }>;

export function isStructural(command: Command): command is Structural {
  return /(Question|Option)s?$/.test(command.do);
}

/** The commands of one sequence that write questions, options and their order. */
export class StructureSession {
  private names = 0;
  /** Questions and options that exist or existed. Requests for deleted ones are sent, too. */
  private readonly questions = new Map<Campagne, Question[]>();
  private readonly options = new Map<Question, Option[]>();

  constructor(
    private readonly campaigns: Campaigns,
    private readonly reference: Reference,
    private readonly answers: Answers,
  ) {}

  /** @returns what the reference expected @throws Disagreement on the answer, or on the questions after it */
  async step(campagne: Campagne, command: Structural): Promise<Expected> {
    const expected = await this.run(campagne, command);
    if (expected.changes && command.do !== 'orderQuestions') {
      const { json } = await this.campaigns.sent('GET', `/${campagne.id}/questions`);
      this.expectQuestions(campagne, json as Shown[]);
    }
    return expected;
  }

  private async run(campagne: Campagne, command: Structural): Promise<Expected> {
    const { reference } = this;
    const compared = (answer: Answer, expected: Expected): Expected => {
      this.answers.expect(command.do, answer, expected);
      return expected;
    };
    const send = (method: string, rest: string, body?: unknown): Promise<Answer> =>
      this.campaigns.send(method, `/${campagne.id}/questions${rest}`, body);
    switch (command.do) {
      case 'addQuestion': {
        const kind = KINDS[command.kind];
        const question = reference.question(`Question ${++this.names}`, kind);
        const answer = await send('POST', '', { ...kind, Titre: question.titre, Ordre: command.ordre });
        const expected = compared(answer, reference.addQuestion(campagne, question, command.ordre));
        if (expected.changes) this.adopt(campagne, question, answer.json);
        return expected;
      }
      case 'replaceQuestion': {
        const question = this.pick(campagne, command.question);
        const titre = `Question ${++this.names}`;
        const body = { Titre: titre, Type: question.type, MinReponses: question.min, Ordre: command.ordre };
        const [first] = question.options;
        // The first option stays under another label; a new one replaces all others.
        const Options = [
          ...(first ? [{ Id: first.id, Libelle: `${first.libelle}′` }] : []),
          { Libelle: titre },
        ];
        const options = (): Option[] => {
          if (first) first.libelle += '′';
          return [...(first ? [first] : []), { libelle: titre }];
        };
        const answer = await send('PUT', `/${question.id}`, {
          ...{ ...body, MaxReponses: question.min },
          ...(command.withOptions ? { Options } : {}),
        });
        const next = command.withOptions ? { titre, options } : { titre };
        const expected = compared(answer, reference.replaceQuestion(campagne, question, next, command.ordre));
        if (expected.changes) this.adopt(campagne, question, answer.json);
        return expected;
      }
      case 'deleteQuestion': {
        const question = this.pick(campagne, command.question);
        return compared(
          await send('DELETE', `/${question.id}`),
          reference.deleteQuestion(campagne, question),
        );
      }
      case 'orderQuestions': {
        const { ids, order } = shuffled(campagne.questions, command.shuffle);
        const answer = await send('PUT', '/ordre', { QuestionIds: ids });
        const expected = compared(answer, reference.orderQuestions(campagne, order));
        if (expected.changes) this.expectQuestions(campagne, answer.json);
        return expected;
      }
      default: {
        const question = this.pick(campagne, command.question);
        const rest = `/${question.id}/options`;
        return this.runOnOptions(campagne, question, command, compared, (method, path, body) =>
          send(method, rest + path, body),
        );
      }
    }
  }

  private async runOnOptions(
    campagne: Campagne,
    question: Question,
    command: Extract<Structural, { do: `${string}Option${'' | 's'}` }>,
    compared: (answer: Answer, expected: Expected) => Expected,
    send: (method: string, path: string, body?: unknown) => Promise<Answer>,
  ): Promise<Expected> {
    const { reference } = this;
    const Libelle = `Option ${++this.names}`;
    const pick = (number: number): Option =>
      picked(this.options.get(question), number, () => ({ id: randomUUID(), libelle: '' }));
    switch (command.do) {
      case 'addOption': {
        const answer = await send('POST', '', { Libelle, Ordre: command.ordre });
        const option: Option = { libelle: Libelle };
        const expected = compared(answer, reference.addOption(campagne, question, option, command.ordre));
        if (expected.changes) {
          option.id = String(answer.json.Id);
          this.options.get(question)!.push(option);
        }
        return expected;
      }
      case 'replaceOption': {
        const option = pick(command.option);
        const answer = await send('PUT', `/${option.id}`, { Libelle, Ordre: command.ordre });
        return compared(answer, reference.replaceOption(campagne, question, option, Libelle, command.ordre));
      }
      case 'deleteOption': {
        const option = pick(command.option);
        const answer = await send('DELETE', `/${option.id}`);
        return compared(answer, reference.deleteOption(campagne, question, option));
      }
      case 'orderOptions': {
        const { ids, order } = shuffled(question.options, command.shuffle);
        const answer = await send('PUT', '/ordre', { OptionIds: ids });
        return compared(answer, reference.orderOptions(campagne, question, order));
      }
    }
  }

  private pick(campagne: Campagne, number: number): Question {
    const stranger = { id: randomUUID(), titre: '', type: 'ChoixLibre', min: 1, options: [] };
    return picked(this.questions.get(campagne), number, () => stranger);
  }

  /** Takes over the identifiers of a question and its options, where all else is as expected. */
  private adopt(campagne: Campagne, question: Question, json: Shown): void {
    const options = json.Options as { Id: string; Libelle: string }[];
    expectSame(
      'the labels',
      options.map(({ Libelle }) => Libelle),
      question.options.map(({ libelle }) => libelle),
    );
    question.id ??= String(json.Id);
    question.options.forEach((option, index) => (option.id ??= options[index]!.Id));
    const known = this.questions.get(campagne) ?? [];
    this.questions.set(campagne, known.includes(question) ? known : [...known, question]);
    this.options.set(question, [...new Set([...(this.options.get(question) ?? []), ...question.options])]);
    const shown = this.reference.questions(campagne).find(({ Id }) => Id === question.id);
    expectSame('the question', questionOf(json), shown);
  }

  private expectQuestions(campagne: Campagne, found: readonly Shown[]): void {
    expectSame('the questions', found.map(questionOf), this.reference.questions(campagne));
  }
}

/** A question as far as the model goes. */
function questionOf({ Id, Titre, Type, Ordre, MinReponses, Options }: Shown): Shown {
  const options = (Options as Shown[]).map(({ Id, Libelle, Ordre }) => ({ Id, Libelle, Ordre }));
  return { Id, Titre, Type, Ordre, MinReponses, Options: options };
}

function shuffled(of: readonly { id?: string }[], how: Shuffle): { ids: string[]; order: Reordered } {
  const places = of.map((_, place) => place);
  const ids = (order: readonly number[]): string[] => order.map((place) => of[place]!.id!);
  const rotated = [...places.slice(1), ...places.slice(0, 1)];
  switch (how) {
    case 'rotated':
      return { ids: ids(rotated), order: rotated };
    case 'reversed':
      return { ids: ids(places.toReversed()), order: places.toReversed() };
    case 'without one':
      return { ids: ids(places.slice(1)), order: places.length > 0 ? undefined : [] };
    case 'one unknown':
      return { ids: [...ids(places.slice(1)), randomUUID()], order: undefined };
  }
}
