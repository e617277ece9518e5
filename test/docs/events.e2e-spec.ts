import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020';
import { type CataloguedEvent, EVENT_TYPES } from '../../libs/webhooks/src/domain/event.types';
import { DELAYS_S } from '../../libs/webhooks/src/domain/retry-schedule';
import { TestApp } from '../setup/test-app';
import { documents } from './markdown';

interface Type {
  type: string;
  description: string;
  schema: object;
}

/** Returns the text and the example under the title of each event type in a document. */
function typesOf(text: string): Map<string, { text: string; example: unknown }> {
  const sections = text
    .split(/^## Types$/m)[1]!
    .split(/^### /m)
    .slice(1);
  return new Map(
    sections.map((section) => {
      const [name] = section.split('\n');
      const example = /^```json\n([\s\S]*?)^```$/m.exec(section)![1]!;
      return [name!, { text: section, example: JSON.parse(example) as unknown }];
    }),
  );
}

/** Returns the differences between a document and the catalogue. */
function faultsOf(text: string, catalogue: readonly Type[]): string[] {
  const said = typesOf(text);
  const unknown = [...said.keys()].filter((name) => !catalogue.some(({ type }) => type === name));
  const faults = catalogue.flatMap(({ type, description, schema }) => {
    const section = said.get(type);
    if (!section) return [`${type} is missing`];
    const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
    addFormats.default(ajv);
    const validate = ajv.compile(schema);
    validate(section.example);
    const { module }: CataloguedEvent = EVENT_TYPES[type as keyof typeof EVENT_TYPES];
    return [
      ...(section.text.includes(`\n${description}\n`) ? [] : [`${type}: another description`]),
      ...(section.text.includes(`\nModule: ${module ? `\`${module}\`` : 'none'}.\n`)
        ? []
        : [`${type}: another module`]),
      ...(validate.errors ?? []).map(({ instancePath, message }) => `${type}: ${instancePath} ${message}`),
      ...superfluous(section.example, schema).map((name) => `${type}: ${name} is in no schema`),
    ];
  });
  return [...faults, ...unknown.map((name) => `${name} is unknown`)];
}

/** Returns properties of an example that the schema lacks. The schemas themselves allow further properties. */
function superfluous(example: unknown, schema: object): string[] {
  const known = JSON.stringify(schema);
  return Object.keys(example as object).filter((name) => !known.includes(`"${name}":`));
}

const SECONDS: readonly [name: string, seconds: number][] = [
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
];
const spoken = (delay: number): string => {
  const [name, seconds] = SECONDS.find(([, unit]) => delay % unit === 0)!;
  return `${delay / seconds} ${name}`;
};

describe('docs/events.md', () => {
  const text = documents().get('docs/events.md')!;
  let app: TestApp;
  let catalogue: Type[];
  beforeAll(async () => {
    app = await TestApp.start();
    catalogue = (await app.send(await app.tenant(), 'GET', '/b2b/v2/type-evenement')).json;
  });
  afterAll(() => app.stop());

  it('has each type with its description, its module and data that pass its schema', () => {
    expect(catalogue).toHaveLength(Object.keys(EVENT_TYPES).length);
    expect(faultsOf(text, catalogue)).toEqual([]);
  });

  it('names the delays of repeated deliveries', () => {
    const delays = DELAYS_S.map(spoken);
    const sentence = `at once, then after ${delays.slice(0, -1).join(', ')} and ${delays.at(-1)}, each up to a tenth later`;
    expect(text.replaceAll('\n', ' ')).toContain(sentence);
  });

  it.each([
    ['a missing type', /### webhook\.test[\s\S]*/, '', 'webhook.test is missing'],
    ['an unknown type', '### webhook.test', '### webhook.essai', 'webhook.essai is unknown'],
    [
      'another description',
      'Sent to one endpoint',
      'Sent to an endpoint',
      'webhook.test: another description',
    ],
    ['another module', 'Module: `vote`.', 'Module: none.', 'campagne.publiee: another module'],
    [
      'an example without a property',
      '"crees": 942,',
      '',
      "sync.terminee:  must have required property 'crees'",
    ],
    [
      'an example with another type',
      '"crees": 942',
      '"crees": "942"',
      'sync.terminee: /crees must be integer',
    ],
    [
      'an example with an additional property',
      '"crees": 942,',
      '"crees": 942, "perdus": 0,',
      'sync.terminee: perdus is in no schema',
    ],
  ])('%s is reported', (_what, from, to, found) => {
    expect(faultsOf(text.replace(from, to), catalogue)).toContain(found);
  });
});
