import { must } from './checks';
import { type Person, SYNDICATS } from './employments';
import { byMessage, count, outcome, say } from './screen';

export const KINDS = [
  'Syndicats',
  'Employeurs',
  'Employes',
  'Emplois',
  'Adhesions',
  'ObjetsConsentement',
] as const;
type Kind = (typeof KINDS)[number];

export interface Counts {
  readonly AddCount: number;
  readonly UpdateCount: number;
  readonly Erreurs: readonly { readonly IdUnique: string; readonly Message: string }[];
}

/** The response of a V2 sync. */
export type Result = Readonly<Record<Kind, Counts>>;

export function said({ AddCount, UpdateCount, Erreurs }: Counts): string {
  return outcome(AddCount, UpdateCount, Erreurs.length);
}

/** Prints the six counts, two in each line. */
export function sayCounts(result: Result): void {
  for (let index = 0; index < KINDS.length; index += 2) {
    const [left, right] = [KINDS[index]!, KINDS[index + 1]!];
    say(`${left.padEnd(10)} ${said(result[left]).padEnd(42)} ${right.padEnd(19)} ${said(result[right])}`);
  }
}

/** Prints the rejections, each with as many examples of sent values as fit on a line. */
export function sayErrors(result: Result, people: readonly Person[]): void {
  const faulty = people.filter(({ fault }) => fault);
  const wrong = new Map(faulty.map((person) => [person.clean.IdExterne, person.wrong]));
  for (const [message, ids] of refusals(result)) {
    let line = `${count(ids.length).padStart(5)}  ${message}:`;
    for (const [index, id] of ids.slice(0, 3).entries()) {
      const example = `${index > 0 ? ',' : ''} ${id} ${JSON.stringify(wrong.get(id))}`;
      if (line.length + example.length > 116) break;
      line += example;
    }
    say(line);
  }
}

export function refused(result: Result): number {
  return KINDS.reduce((sum, kind) => sum + result[kind].Erreurs.length, 0);
}

/**
 * Checks that every sent record was counted, and that exactly the faulty ones were rejected, each under its employee.
 */
export function mustAnswerAll(result: Result, people: readonly Person[]): void {
  const sent = countsOf(people);
  for (const kind of KINDS) {
    const { AddCount, UpdateCount, Erreurs } = result[kind];
    const answered = AddCount + UpdateCount + Erreurs.length;
    must(answered === sent[kind], `${sent[kind]} ${kind} were sent and ${answered} counted`);
  }
  const told = refusals(result).flatMap(([, ids]) => ids);
  const faulty = people.filter(({ fault }) => fault).map(({ clean }) => clean.IdExterne);
  must(told.sort().join() === faulty.sort().join(), 'the rejected records are not the faulty ones');
}

/** Returns the expected counts. Records nested in a rejected one are rejected with it and not counted. */
function countsOf(people: readonly Person[]): Readonly<Record<Kind, number>> {
  const accepted = people.filter(({ fault }) => fault !== 'label').map(({ clean }) => clean);
  return {
    Syndicats: SYNDICATS.length,
    Employeurs: SYNDICATS.flatMap(({ Employeurs }) => Employeurs).length,
    Employes: people.length,
    Emplois: accepted.flatMap(({ Emplois }) => Emplois).length,
    Adhesions: accepted.flatMap(({ Adhesions }) => Adhesions).length,
    ObjetsConsentement: 0,
  };
}

/** Returns the employees of each message. The message of a nested record names its employee. */
function refusals(result: Result): [string, string[]][] {
  const all = KINDS.flatMap((kind) => result[kind].Erreurs).map(({ IdUnique, Message }) => {
    const [, message, employe] = /^(.*) \(employee (.+)\)$/.exec(Message) ?? [];
    return { message: message ?? Message, employe: employe ?? IdUnique };
  });
  return byMessage(all, ({ message }) => message).map(([message, group]) => [
    message,
    group.map(({ employe }) => employe),
  ]);
}
