import type { OpenAPIObject } from '@nestjs/swagger';

interface Reference {
  readonly $ref: string;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Response {
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, object>> }>>;
}

interface Operation {
  parameters?: readonly Parameter[];
  responses: Readonly<Record<string, object>>;
  security?: object;
}

const PROBLEM = 'application/problem+json';

type Paths = OpenAPIObject['paths'];

/** Replaces the parts of one kind in all operations. */
type Walk = (paths: Paths, replace: (name: string, part: object) => object) => Paths;

const WALKS: Record<'headers' | 'parameters' | 'responses', Walk> = {
  headers: (paths, replace) =>
    mapResponses(paths, (response) => ({
      ...response,
      headers: response.headers && mapValues(response.headers, (header, name) => replace(name, header)),
    })),
  // Parts of the path stay with their operation, because `id` is another resource's in each path.
  parameters: (paths, replace) =>
    mapOperations(paths, (operation) => ({
      ...operation,
      parameters: operation.parameters?.map((parameter) =>
        parameter.in === 'path' ? parameter : replace(parameter.name, parameter),
      ),
    })),
  responses: (paths, replace) =>
    mapResponses(paths, (response, status) =>
      status < '300' ? response : replace(nameOfResponse(response, status), response),
    ),
};

/**
 * Returns a document that means the same and is shorter: each header, parameter and response of an error that several
 * operations have becomes a component.
 */
export function withSharedComponents(document: OpenAPIObject): OpenAPIObject {
  const components: Record<string, object> = { ...document.components };
  let { paths } = document;
  // A response refers to its headers, so it becomes a component after them.
  for (const kind of ['headers', 'parameters', 'responses'] as const) {
    const parts: Part[] = [];
    WALKS[kind](paths, (name, part) => {
      parts.push({ name, text: JSON.stringify(part) });
      return part;
    });
    const shared = sharedOf(parts);
    paths = WALKS[kind](paths, (name, part) =>
      shared[name] === JSON.stringify(part) ? { $ref: `#/components/${kind}/${name}` } : part,
    );
    const used = mapValues(shared, (text) => JSON.parse(text) as object);
    if (Object.keys(used).length > 0) components[kind] = byName(used);
  }
  return { ...document, paths, components };
}

interface Part {
  readonly name: string;
  readonly text: string;
}

/** Returns by name the text that most parts of the name have, if several have it. */
function sharedOf(parts: readonly Part[]): Record<string, string> {
  const shared: Record<string, string> = {};
  for (const [name, named] of Map.groupBy(parts, (part) => part.name)) {
    const [[text, same]] = [...Map.groupBy(named, (part) => part.text)].sort(
      ([one, ones], [other, others]) => others.length - ones.length || (one < other ? -1 : 1),
    ) as [[string, Part[]]];
    if (same.length > 1) shared[name] = text;
  }
  return shared;
}

/** A problem has the names of its examples: `Campagne.NotFound_Question.NotFound`. */
function nameOfResponse({ content }: Response, status: string): string {
  const examples = Object.values(content?.[PROBLEM]?.examples ?? {}) as Reference[];
  return examples.map(({ $ref }) => $ref.split('/').at(-1)!).join('_') || `Status${status}`;
}

/** Returns the paths with every operation replaced. */
export function mapOperations(paths: Paths, map: (operation: Operation) => object): Paths {
  return mapValues(paths, (item) => mapValues(item as Record<string, Operation>, map));
}

function mapResponses(paths: Paths, map: (response: Response, status: string) => object): Paths {
  return mapOperations(paths, (operation) => ({
    ...operation,
    responses: mapValues(operation.responses, map),
  }));
}

function mapValues<T, R>(record: Readonly<Record<string, T>>, map: (value: T, key: string) => R) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

/** Returns the members in the order of their names. */
export function byName<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1))) as T;
}
