import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clientDocumentOf, SURFACES } from '../surfaces.mjs';

// Generates src/mandat/api from docs/openapi. With a folder as its argument it writes there.

const HERE = dirname(fileURLToPath(import.meta.url));
const OUTPUT = resolve(process.argv[2] ?? join(HERE, 'src/mandat/api'));

const IMPORTS = `from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union, overload

from .._transport import Answer, Operations, Surface, part
`;

const SCALARS = { string: 'str', integer: 'int', number: 'float', boolean: 'bool' };

const nameIn = (ref) => ref.split('/').at(-1);
/** `EmployesV2` is `employes_v2`, and `If-Match` is `if_match`. */
const snake = (name) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
const union = (types) =>
  new Set(types).size > 1 ? `Union[${[...new Set(types)].join(', ')}]` : (types[0] ?? 'None');
const indented = (depth, lines) => lines.map((line) => line && ' '.repeat(4 * depth) + line);

function docstring(text) {
  const escaped = text.replace(/[\\"]/g, '\\$&');
  return escaped.includes('\n') ? ['"""', ...escaped.split('\n'), '"""'] : [`"""${escaped}"""`];
}

/** Returns the Python type of a schema. @throws Error for a form that the documents did not have before */
function typeOf({ nullable, ...schema }) {
  const type = presentTypeOf(schema);
  return nullable ? `Optional[${type}]` : type;
}

function presentTypeOf(schema) {
  if (schema.$ref) return nameIn(schema.$ref);
  if (schema.allOf?.length === 1) return typeOf(schema.allOf[0]);
  const variants = schema.oneOf ?? schema.anyOf;
  if (variants) return union(variants.map(typeOf));
  if (schema.enum) {
    const values = schema.enum.filter((value) => value !== null);
    return `Literal[${values.map((value) => JSON.stringify(value)).join(', ')}]`;
  }
  if (schema.format === 'binary') return 'bytes';
  if (schema.type === 'array') return `List[${typeOf(schema.items)}]`;
  if (schema.type === 'object' && !schema.properties) return 'Dict[str, Any]';
  const scalar = SCALARS[schema.type];
  if (!scalar) throw new Error(`No Python type is known for ${JSON.stringify(schema)}`);
  return scalar;
}

function fieldsOf(properties) {
  return properties.flatMap(([name, schema]) => [
    `${name}: ${typeOf(schema)}`,
    ...(schema.description ? docstring(schema.description) : []),
  ]);
}

/** Returns the class of a schema. Python 3.9 knows optional keys only by inheritance. */
function recordOf([name, { description, properties = {}, required = [] }]) {
  const all = Object.entries(properties);
  const always = all.filter(([property]) => required.includes(property));
  const sometimes = all.filter(([property]) => !required.includes(property));
  const body = (fields) => {
    const lines = [...(description ? docstring(description) : []), ...fieldsOf(fields)];
    return indented(1, lines.length > 0 ? lines : ['pass']);
  };
  if (sometimes.length === 0) return [`class ${name}(TypedDict):`, ...body(always), '', ''];
  if (always.length === 0) return [`class ${name}(TypedDict, total=False):`, ...body(sometimes), '', ''];
  return [
    ...[`class _${name}(TypedDict):`, ...indented(1, fieldsOf(always)), '', ''],
    ...[`class ${name}(_${name}, total=False):`, ...body(sometimes), '', ''],
  ];
}

/** Returns the type of an operation's successful responses with one of some statuses. */
function answerOf(responses, statuses) {
  const types = statuses.map((status) => {
    const content = responses[status].content ?? {};
    const media = Object.keys(content).find((type) => type !== 'text/csv');
    return media ? typeOf(content[media].schema) : 'None';
  });
  return `Answer[${union(types)}]`;
}

/** Returns the method of an operation. */
function methodOf(path, method, operation, components) {
  const parameters = (operation.parameters ?? [])
    .map((parameter) => (parameter.$ref ? components.parameters[nameIn(parameter.$ref)] : parameter))
    .map((parameter) => ({
      ...parameter,
      argument: parameter.in === 'header' ? snake(parameter.name) : parameter.name,
    }));
  const body = operation.requestBody;
  const taken = [
    ...parameters.map(({ argument, in: place, required, schema, description }) => {
      return { argument, place, required, type: typeOf(schema), description };
    }),
    ...(body
      ? [{ argument: 'body', place: 'body', ...body, type: typeOf(body.content['application/json'].schema) }]
      : []),
  ];
  const positional = taken.filter(
    ({ place, required }) => place === 'path' || (place === 'body' && required),
  );
  const named = taken.filter((one) => !positional.includes(one));
  const signature = (types = {}) => {
    const declare = ({ argument, type, required }) => {
      const kind = types[argument] ?? (required ? type : `Optional[${type}]`);
      return `${argument}: ${kind}${required || kind === 'str' ? '' : ' = None'}`;
    };
    return [
      'self',
      ...positional.map(declare),
      ...(named.length > 0 ? ['*'] : []),
      ...named.map(declare),
    ].join(', ');
  };

  const pairsOf = (place) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, argument }) => `${JSON.stringify(name)}: ${argument}`);
  const sent = ['query', 'header'].flatMap((place) =>
    pairsOf(place).length > 0 ? [`, ${place}={${pairsOf(place).join(', ')}}`] : [],
  );
  const target = path.replace(/\{(\w+)\}/g, '{part($1)}');
  const call = `self._call("${method.toUpperCase()}", f"${target}"${sent.join('')}${body ? ', body=body' : ''})`;

  const name = snake(operation.operationId.split('_')[1]);
  const { responses } = operation;
  const statuses = Object.keys(responses).filter((status) => status.startsWith('2'));
  const told = taken
    .filter(({ description }) => description)
    .map(({ argument, description }) => `:param ${argument}: ${description.replaceAll('\n', ' ')}`);
  const documented = docstring(
    [operation.summary, operation.description, told.join('\n')].filter(Boolean).join('\n\n'),
  );
  // With `Prefer` such an operation answers 202 with a task.
  const isPreferring = statuses.includes('202') && taken.some(({ argument }) => argument === 'prefer');
  const without = statuses.filter((status) => status !== '202');
  const overloads = isPreferring
    ? [
        [
          '@overload',
          `def ${name}(${signature({ prefer: 'None' })}) -> ${answerOf(responses, without)}: ...`,
        ],
        ['@overload', `def ${name}(${signature({ prefer: 'str' })}) -> ${answerOf(responses, ['202'])}: ...`],
      ].flat()
    : [];
  return indented(1, [
    ...overloads,
    `def ${name}(${signature()}) -> ${isPreferring ? 'Any' : answerOf(responses, statuses)}:`,
    ...indented(1, [...documented, `return ${call}`]),
    '',
  ]);
}

function moduleOf(name, className) {
  const { info, paths, components } = clientDocumentOf(name);
  const schemas = Object.entries(components.schemas);
  const isRecord = ([, schema]) => schema.type === 'object';
  const groups = Map.groupBy(
    Object.entries(paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
    ),
    ({ operation }) => operation.operationId.split('_')[0],
  );
  return [
    ...docstring(`${info.title}. Generated from docs/openapi/${name}.json.`),
    IMPORTS,
    '',
    ...schemas.filter(isRecord).flatMap(recordOf),
    // Unions of the classes above.
    ...schemas
      .filter((schema) => !isRecord(schema))
      .map(([schemaName, schema]) => `${schemaName} = ${typeOf(schema)}`),
    '',
    '',
    ...[...groups].flatMap(([group, operations]) => [
      `class ${group}Operations(Operations):`,
      ...operations.flatMap(({ path, method, operation }) => methodOf(path, method, operation, components)),
      '',
    ]),
    `class ${className}(Surface):`,
    ...indented(1, docstring(`The operations of the ${name} surface.`)),
    '',
    ...[...groups.keys()].flatMap((group) =>
      indented(1, [
        '@property',
        `def ${snake(group)}(self) -> ${group}Operations:`,
        `    return ${group}Operations(self._call)`,
        '',
      ]),
    ),
  ]
    .join('\n')
    .trimEnd()
    .concat('\n');
}

mkdirSync(OUTPUT, { recursive: true });
writeFileSync(
  join(OUTPUT, '__init__.py'),
  '"""Types and operations, generated from the OpenAPI documents."""\n',
);
for (const [name, className] of Object.entries(SURFACES))
  writeFileSync(join(OUTPUT, `${name}.py`), moduleOf(name, className));
