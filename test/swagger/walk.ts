import type { Filling, ShownAnswer, ShownOperation, SwaggerPage } from './swagger-page';

interface DocumentedOperation {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
}

/** The part of an OpenAPI document that a walk is compared with. */
export interface WalkedDocument {
  readonly info: { readonly title: string };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

/** Returns the operations of a document as `METHOD path`, with their descriptions. */
export function operationsOf(document: WalkedDocument): Map<string, DocumentedOperation> {
  return new Map(
    Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
      ),
    ),
  );
}

export const nameOf = ({ method, path }: ShownOperation): string => `${method} ${path}`;

/** Where the overview does not show what the document says: groups, operations, their summaries. */
export async function overviewFaults(page: SwaggerPage, document: WalkedDocument): Promise<string[]> {
  const faults: string[] = [];
  const title = await page.title();
  if (!title.startsWith(document.info.title)) faults.push(`the title is ${title}`);
  const groups = await page.groups();
  const documented = document.tags.map(({ name }) => name);
  if (groups.map(({ name }) => name).join() !== documented.join())
    faults.push(`the groups are ${groups.map(({ name }) => name).join()}`);
  for (const { name, description, operations } of groups) {
    if (operations === 0) faults.push(`${name} is empty`);
    if (description === '') faults.push(`${name} has no description`);
  }
  const shown = new Map((await page.operations()).map((operation) => [nameOf(operation), operation]));
  for (const [name, { summary, tags }] of operationsOf(document)) {
    const one = shown.get(name);
    if (!one) faults.push(`${name} is not shown`);
    else if (!summary || one.summary !== summary) faults.push(`${name} is shown as "${one.summary}"`);
    else if (tags?.join() !== one.tag) faults.push(`${name} is in ${one.tag}`);
  }
  return faults;
}

/** Operations that a walk should have gone through and has left out, or has not ended with a 2xx in the page. */
export function walkFaults(expected: Iterable<string>, walked: ReadonlyMap<string, ShownAnswer>): string[] {
  return [...expected].flatMap((name) => {
    const answer = walked.get(name);
    if (!answer) return [`${name} was not walked`];
    return answer.status >= 200 && answer.status <= 299 ? [] : [`${name}: ${answer.status} ${answer.body}`];
  });
}

/** A step of a walk: an operation, what is typed, and what is kept of the answer. */
export interface Step<Known> {
  readonly operation: string;
  readonly fill?: (known: Known) => Filling;
  readonly keep?: (answer: unknown, known: Known) => void;
}

/** Runs steps one after another on the page; every other step keeps the displayed fields. */
export async function walk<Known>(
  page: SwaggerPage,
  steps: readonly Step<Known>[],
  known: Known,
  after?: (step: Step<Known>, id: string) => Promise<unknown>,
): Promise<Map<string, ShownAnswer>> {
  const walked = new Map<string, ShownAnswer>();
  const shown = new Map((await page.operations()).map((operation) => [nameOf(operation), operation.id]));
  await page.fold();
  for (const step of steps) {
    const id = shown.get(step.operation);
    if (id === undefined) throw new Error(`The page shows no ${step.operation}.`);
    const answer = await page.execute(id, step.fill?.(known));
    walked.set(step.operation, answer);
    if (answer.status < 300) step.keep?.(JSON.parse(answer.body), known);
    await after?.(step, id);
    await page.closeOperation(id);
  }
  return walked;
}
