import type { OpenAPIObject } from '@nestjs/swagger';

/** The components that operations refer to in place of writing them out. */
interface Components {
  examples: Record<string, Example>;
  headers: Record<string, object>;
  parameters: Record<string, object>;
  responses: Record<string, object>;
}

interface Reference {
  readonly $ref: string;
}

interface Example {
  readonly value: { readonly code?: string; readonly module?: string; readonly errors?: Fault[] };
}

interface Fault {
  readonly pointer: string;
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
  parameters?: readonly object[];
  responses: Readonly<Record<string, object>>;
}

const PROBLEM = 'application/problem+json';

/**
 * Returns a document that means the same and is half as long: the examples of problems, and each header, parameter and
 * response that several operations have, become components.
 */
export function withSharedComponents(document: OpenAPIObject): OpenAPIObject {
  const components: Components = { examples: {}, headers: {}, parameters: {}, responses: {} };
  let paths = document.paths;
  // A response refers to its examples and headers, so it becomes a component after them.
  for (const share of [shareExamples, shareHeaders, shareResponses, shareParameters])
    paths = share(paths, components);
  const used = Object.entries(components).filter(([, named]) => Object.keys(named as object).length > 0);
  const sorted = used.map(([kind, named]): [string, object] => [kind, byName(named as object)]);
  return { ...document, paths, components: { ...document.components, ...Object.fromEntries(sorted) } };
}

type Paths = OpenAPIObject['paths'];

function shareExamples(paths: Paths, { examples }: Components): Paths {
  return mapResponses(paths, (response) => {
    const problem = response.content?.[PROBLEM];
    if (!problem?.examples) return response;
    const references = mapValues(problem.examples, (example, code) => {
      const name = [code, variantOf(example as Example)].filter(Boolean).join('.');
      examples[name] = example as Example;
      return referenceTo('examples', name);
    });
    return { ...response, content: { ...response.content, [PROBLEM]: { ...problem, examples: references } } };
  });
}

/** A code whose example depends on the operation has one example for each module or for each place of the fault. */
function variantOf({ value }: Example): string | undefined {
  const pointer = value.errors?.[0]?.pointer;
  if (pointer) return pointer.startsWith('?') ? 'query' : 'body';
  return value.module;
}

function shareHeaders(paths: Paths, { headers }: Components): Paths {
  const names = new SharedNames();
  mapResponses(paths, (response) => {
    for (const [name, header] of Object.entries(response.headers ?? {})) names.count(name, header);
    return response;
  });
  return mapResponses(paths, (response) =>
    response.headers
      ? {
          ...response,
          headers: mapValues(response.headers, (header, name) =>
            names.refer('headers', name, header, headers),
          ),
        }
      : response,
  );
}

function shareResponses(paths: Paths, { responses }: Components): Paths {
  const names = new SharedNames();
  mapResponses(paths, (response, status) => {
    names.count(nameOfResponse(response, status), response);
    return response;
  });
  return mapResponses(paths, (response, status) =>
    status < '300'
      ? response
      : names.refer('responses', nameOfResponse(response, status), response, responses),
  );
}

/** A problem has the names of its examples: `Campagne.NotFound_Question.NotFound`. */
function nameOfResponse({ content }: Response, status: string): string {
  const examples = Object.values(content?.[PROBLEM]?.examples ?? {}) as Reference[];
  return examples.map(({ $ref }) => $ref.split('/').at(-1)!).join('_') || `Status${status}`;
}

/** Parts of the path stay with their operation, because `id` is another resource's in each path. */
function shareParameters(paths: Paths, { parameters }: Components): Paths {
  const names = new SharedNames();
  const isShareable = (parameter: object): parameter is Parameter =>
    'name' in parameter && 'in' in parameter && parameter.in !== 'path';
  mapOperations(paths, (operation) => {
    for (const parameter of operation.parameters ?? [])
      if (isShareable(parameter)) names.count(parameter.name, parameter);
    return operation;
  });
  return mapOperations(paths, (operation) =>
    operation.parameters
      ? {
          ...operation,
          parameters: operation.parameters.map((parameter) =>
            isShareable(parameter)
              ? names.refer('parameters', parameter.name, parameter, parameters)
              : parameter,
          ),
        }
      : operation,
  );
}

/** Counts how many operations have each definition; a name stands for the most frequent one if several have it. */
class SharedNames {
  private readonly counts = new Map<string, Map<string, number>>();

  count(name: string, definition: object): void {
    const texts = this.counts.get(name) ?? new Map<string, number>();
    const text = JSON.stringify(definition);
    this.counts.set(name, texts.set(text, (texts.get(text) ?? 0) + 1));
  }

  /** Returns a reference to the component with this name and adds it, or returns the definition if it is not shared. */
  refer(
    kind: keyof Components,
    name: string,
    definition: object,
    components: Record<string, object>,
  ): object {
    const [[text, count]] = [...this.counts.get(name)!].sort(
      ([one, ones], [other, others]) => others - ones || (one < other ? -1 : 1),
    ) as [[string, number]];
    if (count < 2 || text !== JSON.stringify(definition)) return definition;
    components[name] = definition;
    return referenceTo(kind, name);
  }
}

const referenceTo = (kind: keyof Components, name: string): Reference => ({
  $ref: `#/components/${kind}/${name}`,
});

function mapOperations(paths: Paths, map: (operation: Operation) => Operation): Paths {
  return mapValues(paths, (item) => mapValues(item as Record<string, Operation>, map));
}

function mapResponses(paths: Paths, map: (response: Response, status: string) => object): Paths {
  return mapOperations(paths, (operation) => ({
    ...operation,
    responses: mapValues(operation.responses, map),
  }));
}

function mapValues<T>(record: Readonly<Record<string, T>>, map: (value: T, key: string) => object) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}

function byName<T extends object>(record: T): T {
  return Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1))) as T;
}
