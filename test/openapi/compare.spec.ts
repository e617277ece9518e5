import { changesBetween, type Document } from '../../tools/openapi/compare';

/** A document as loosely as a test changes it. */
type Loose = ReturnType<typeof JSON.parse>;

/** A small document with something of each kind that is compared. */
function base(): Loose {
  return {
    openapi: '3.0.0',
    info: { title: 'T', version: '1' },
    servers: [{ url: '/' }],
    paths: {
      '/things': {
        get: {
          operationId: 'Things_list',
          description: 'Lists.',
          'x-codes': ['Requete.Invalide', 'Chose.NotFound'],
          'x-requires': { role: 'partenaire' },
          parameters: [
            {
              in: 'query',
              name: 'limite',
              required: false,
              schema: { type: 'integer', minimum: 1, maximum: 100 },
            },
            { in: 'query', name: 'etat', required: true, schema: { type: 'string', enum: ['A', 'B'] } },
            { in: 'header', name: 'If-Match', schema: { type: 'string' } },
          ],
          responses: {
            200: {
              description: 'Success',
              headers: { Link: { description: 'Next.', schema: { type: 'string' } } },
              content: {
                'application/json': {
                  schema: { type: 'array', items: { $ref: '#/components/schemas/Item' } },
                },
              },
            },
            404: { description: 'Not there' },
          },
        },
        post: {
          operationId: 'Things_create',
          responses: { 201: { description: 'Created', content: {} } },
          requestBody: {
            required: false,
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Input' } } },
          },
          callbacks: {
            event: {
              '{$request.body#/url}': {
                post: {
                  parameters: [
                    { in: 'header', name: 'webhook-id', required: true, schema: { type: 'string' } },
                  ],
                  requestBody: {
                    required: true,
                    content: { 'application/json': { schema: { $ref: '#/components/schemas/Event' } } },
                  },
                  responses: {},
                },
              },
            },
          },
        },
      },
    },
    components: {
      securitySchemes: { Key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } },
      schemas: {
        Input: {
          type: 'object',
          required: ['nom'],
          properties: {
            nom: { type: 'string', minLength: 1, maxLength: 10, pattern: '^a', description: 'A name.' },
            age: { type: 'number', nullable: true },
            choix: { type: 'string', enum: ['x', 'y'], default: 'y' },
            libre: { type: 'string' },
            liste: { type: 'array', maxItems: 5, items: { type: 'string' } },
            poids: { oneOf: [{ type: 'number' }, { type: 'string' }] },
            parent: { $ref: '#/components/schemas/Input' },
          },
        },
        Item: {
          type: 'object',
          required: ['id', 'nom'],
          properties: {
            id: { type: 'string', format: 'uuid' },
            nom: { type: 'string', maxLength: 10 },
            age: { type: 'integer' },
            etat: { type: 'string', enum: ['A', 'B'] },
            detail: { allOf: [{ $ref: '#/components/schemas/Detail' }], nullable: true },
            valeur: {
              oneOf: [{ $ref: '#/components/schemas/Detail' }, { $ref: '#/components/schemas/Other' }],
              discriminator: { propertyName: 'type', mapping: { a: '#/components/schemas/Detail' } },
            },
            autres: { type: 'object', additionalProperties: { type: 'string' } },
            vieux: { type: 'string' },
          },
        },
        Detail: { type: 'object', properties: { texte: { type: 'string' } } },
        Other: { type: 'object', properties: { n: { type: 'integer' } } },
        Event: { type: 'object', required: ['type'], properties: { type: { type: 'string' } } },
      },
    },
  };
}

function changesOf(change: (document: Loose) => unknown): string[] {
  const after = base();
  change(after);
  return changesBetween(base() as Document, after as Document).map(
    ({ breaking, place, what }) => `${breaking ? '!' : ' '} ${place}: ${what}`,
  );
}

const list = (document: Loose): Loose => document.paths['/things'].get;
const create = (document: Loose): Loose => document.paths['/things'].post;
const input = (document: Loose): Loose => document.components.schemas.Input;
const item = (document: Loose): Loose => document.components.schemas.Item;
const delivery = (document: Loose): Loose => create(document).callbacks.event['{$request.body#/url}'].post;

type Case = [found: string, change: (document: Loose) => unknown];

const BREAKING: Case[] = [
  ['GET /things: the operation is gone', (d) => delete d.paths['/things'].get],
  [
    'the key: is expected in header X-Key instead of header X-Api-Key',
    (d) => (d.components.securitySchemes.Key.name = 'X-Key'),
  ],
  [
    'GET /things: is called Things_all instead of Things_list, in generated clients too',
    (d) => (list(d).operationId = 'Things_all'),
  ],
  [
    'GET /things: needs a key of role admin instead of partenaire',
    (d) => (list(d)['x-requires'].role = 'admin'),
  ],
  ['GET /things: needs the module vote', (d) => (list(d)['x-requires'].module = 'vote')],
  ['GET /things: the error code Chose.NotFound is gone', (d) => list(d)['x-codes'].pop()],
  // Parameters.
  ['GET /things, query parameter limite: is gone', (d) => list(d).parameters.shift()],
  ['GET /things, query parameter limite: is now required', (d) => (list(d).parameters[0].required = true)],
  [
    'GET /things, query parameter limite, as sent: has maximum 50 instead of 100',
    (d) => (list(d).parameters[0].schema.maximum = 50),
  ],
  [
    'GET /things, query parameter tri: is new and required',
    (d) => list(d).parameters.push({ in: 'query', name: 'tri', required: true, schema: { type: 'string' } }),
  ],
  [
    'GET /things, query parameter etat, as sent: can no longer be "B"',
    (d) => list(d).parameters[1].schema.enum.pop(),
  ],
  ['GET /things, header if-match: is gone', (d) => list(d).parameters.pop()],
  // Bodies.
  ['POST /things, body: is gone', (d) => delete create(d).requestBody],
  ['POST /things, body: is now required', (d) => (create(d).requestBody.required = true)],
  [
    'POST /things, body: is no longer application/json',
    (d) => (create(d).requestBody.content = { 'text/plain': { schema: { type: 'string' } } }),
  ],
  ['GET /things, body: is new and required', (d) => (list(d).requestBody = { required: true, content: {} })],
  // Requests: the document must accept at least the same as before.
  ['Input.libre, as sent: is gone', (d) => delete input(d).properties.libre],
  ['Input.libre, as sent: is now always required', (d) => input(d).required.push('libre')],
  [
    'Input.neuf, as sent: is new and required',
    (d) => {
      input(d).properties.neuf = { type: 'string' };
      input(d).required.push('neuf');
    },
  ],
  ['Input.age, as sent: is now integer instead of number', (d) => (input(d).properties.age.type = 'integer')],
  ['Input.age, as sent: is now string instead of number', (d) => (input(d).properties.age.type = 'string')],
  ['Input.age, as sent: can no longer be null', (d) => (input(d).properties.age.nullable = false)],
  ['Input.choix, as sent: can no longer be "y"', (d) => input(d).properties.choix.enum.pop()],
  ['Input.libre, as sent: can only be "x"', (d) => (input(d).properties.libre.enum = ['x'])],
  ['Input.libre, as sent: has maxLength 5 instead of none', (d) => (input(d).properties.libre.maxLength = 5)],
  ['Input.libre, as sent: is no longer read', (d) => (input(d).properties.libre.readOnly = true)],
  ['Input.nom, as sent: has maxLength 9 instead of 10', (d) => (input(d).properties.nom.maxLength = 9)],
  ['Input.nom, as sent: has minLength 2 instead of 1', (d) => (input(d).properties.nom.minLength = 2)],
  ['Input.nom, as sent: has pattern "^b" instead of "^a"', (d) => (input(d).properties.nom.pattern = '^b')],
  [
    'Input.libre, as sent: has format "email" instead of none',
    (d) => (input(d).properties.libre.format = 'email'),
  ],
  [
    'Input.liste, as sent: has uniqueItems true instead of false',
    (d) => (input(d).properties.liste.uniqueItems = true),
  ],
  [
    'Input.liste[], as sent: has maxLength 3 instead of none',
    (d) => (input(d).properties.liste.items.maxLength = 3),
  ],
  ['Input.poids, as sent: can no longer be string', (d) => input(d).properties.poids.oneOf.pop()],
  ['Input, as sent: can no longer have other properties', (d) => (input(d).additionalProperties = false)],
  // Responses: they must contain the same as before and not more.
  ['GET /things, answer 200: is gone', (d) => delete list(d).responses[200]],
  ['GET /things, answer 202: is new', (d) => (list(d).responses[202] = {})],
  ['GET /things, answer 200, Link: is gone', (d) => delete list(d).responses[200].headers.Link],
  ['GET /things, answer 200: is no longer application/json', (d) => (list(d).responses[200].content = {})],
  [
    'POST /things, answer 201: can now be text/html',
    (d) => (create(d).responses[201].content['text/html'] = {}),
  ],
  ['Item.vieux, as answered: is gone', (d) => delete item(d).properties.vieux],
  ['Item.nom, as answered: can now be absent', (d) => item(d).required.pop()],
  [
    'Item.age, as answered: is now number instead of integer',
    (d) => (item(d).properties.age.type = 'number'),
  ],
  ['Item.age, as answered: can now be null', (d) => (item(d).properties.age.nullable = true)],
  ['Item.etat, as answered: can now be "C"', (d) => item(d).properties.etat.enum.push('C')],
  ['Item.etat, as answered: can be more than "A", "B"', (d) => delete item(d).properties.etat.enum],
  ['Item.nom, as answered: has maxLength 20 instead of 10', (d) => (item(d).properties.nom.maxLength = 20)],
  ['Item.id, as answered: has format none instead of "uuid"', (d) => delete item(d).properties.id.format],
  ['Detail.texte, as answered: is gone', (d) => delete d.components.schemas.Detail.properties.texte],
  [
    'Item.valeur, as answered: can now be Event',
    (d) => item(d).properties.valeur.oneOf.push({ $ref: '#/components/schemas/Event' }),
  ],
  [
    'Item.autres.*, as answered: is now integer instead of string',
    (d) => (item(d).properties.autres.additionalProperties.type = 'integer'),
  ],
  // Messages of the service are responses for their receiver.
  ['POST /things, callback event: is gone', (d) => delete create(d).callbacks],
  ['POST /things, callback event, header webhook-id: is gone', (d) => delivery(d).parameters.pop()],
  ['Event.type, as answered: can now be absent', (d) => delete d.components.schemas.Event.required],
  // And whatever else a document may have.
  ['x-secret: differs in something that is not compared', (d) => (d['x-secret'] = true)],
  [
    'paths//things/get/security: differs in something that is not compared',
    (d) => {
      list(d).security = [{ Key: [] }];
      // Also beside another change.
      item(d).properties.neuf = { type: 'string' };
    },
  ],
  [
    'paths//things/get/parameters/0/style: differs in something that is not compared',
    (d) => (list(d).parameters[0].style = 'form'),
  ],
  [
    'components/schemas/Item/properties/valeur/discriminator: differs in something that is not compared',
    (d) => (item(d).properties.valeur.discriminator.mapping.a = '#/components/schemas/Other'),
  ],
  [
    'components/schemas/Item/properties/valeur/discriminator: differs in something that is not compared',
    (d) => delete item(d).properties.valeur.discriminator,
  ],
  ['Item.valeur, as answered: can now be null', (d) => (item(d).properties.valeur.nullable = true)],
  [
    'the document: differs in something that is not compared',
    (d) => (list(d).responses[200].headers.Link.required = true),
  ],
  ['Input.choix, as sent: has default "x" instead of "y"', (d) => (input(d).properties.choix.default = 'x')],
];

const HARMLESS: Case[] = [
  ['PUT /things: the operation is new', (d) => (d.paths['/things'].put = create(d))],
  ['GET /things: is deprecated', (d) => (list(d).deprecated = true)],
  ['GET /things: the error code Chose.Perdue is new', (d) => list(d)['x-codes'].push('Chose.Perdue')],
  [
    'GET /things, query parameter etat: is no longer required',
    (d) => (list(d).parameters[1].required = false),
  ],
  ['GET /things, query parameter tri: is new', (d) => list(d).parameters.push({ in: 'query', name: 'tri' })],
  [
    'GET /things, query parameter etat, as sent: can now be "C"',
    (d) => list(d).parameters[1].schema.enum.push('C'),
  ],
  ['GET /things, body: is new', (d) => (list(d).requestBody = { content: {} })],
  [
    'POST /things, body: can now be text/csv',
    (d) => (create(d).requestBody.content['text/csv'] = { schema: { type: 'string' } }),
  ],
  ['Input.neuf, as sent: is new', (d) => (input(d).properties.neuf = { type: 'string' })],
  ['Input.nom, as sent: can now be absent', (d) => delete input(d).required],
  ['Input.nom, as sent: can now be null', (d) => (input(d).properties.nom.nullable = true)],
  ['Input.nom, as sent: has maxLength 20 instead of 10', (d) => (input(d).properties.nom.maxLength = 20)],
  ['Input.nom, as sent: has maxLength none instead of 10', (d) => delete input(d).properties.nom.maxLength],
  ['Input.nom, as sent: has pattern none instead of "^a"', (d) => delete input(d).properties.nom.pattern],
  ['Input.libre, as sent: has default "x" instead of none', (d) => (input(d).properties.libre.default = 'x')],
  // A property that is called as a keyword of a document is none.
  ['Input.style, as sent: is new', (d) => (input(d).properties.style = { type: 'string' })],
  ['Input.choix, as sent: can now be "z"', (d) => input(d).properties.choix.enum.push('z')],
  [
    'Input.libre, as sent: can now be number',
    (d) => (input(d).properties.libre = { oneOf: [{ type: 'string' }, { type: 'number' }] }),
  ],
  ['GET /things, answer 409: is new', (d) => (list(d).responses[409] = { description: 'No' })],
  ['GET /things, answer 404: is gone', (d) => delete list(d).responses[404]],
  [
    'GET /things, answer 200, ETag: is new',
    (d) => (list(d).responses[200].headers.ETag = { schema: { type: 'string' } }),
  ],
  ['Item.neuf, as answered: is new', (d) => (item(d).properties.neuf = { type: 'string' })],
  ['Item.age, as answered: is now always required', (d) => item(d).required.push('age')],
  ['Item.etat, as answered: can no longer be "B"', (d) => item(d).properties.etat.enum.pop()],
  ['Item.nom, as answered: has maxLength 5 instead of 10', (d) => (item(d).properties.nom.maxLength = 5)],
  [
    'Item.detail, as answered: can no longer be null',
    (d) => (item(d).properties.detail = { $ref: '#/components/schemas/Detail' }),
  ],
  [
    'POST /things, callback other: is new',
    (d) => (create(d).callbacks.other = { '{$request.body#/url}': { post: { responses: {} } } }),
  ],
  ['paths//things/get/description: says something else', (d) => (list(d).description = 'Lists all.')],
  ['paths//things/get/summary: is said now', (d) => (list(d).summary = 'List')],
  [
    'components/schemas/Input/properties/nom/description: is no longer said',
    (d) => delete input(d).properties.nom.description,
  ],
  [
    'the document: has the same in another order',
    (d) => (d.components.schemas = Object.fromEntries(Object.entries(d.components.schemas).reverse())),
  ],
];

describe('Between two states of a document', () => {
  it('the same document gives no change', () => {
    expect(changesOf(() => undefined)).toEqual([]);
  });

  it.each(BREAKING)('is breaking: %s', (found, change) => {
    expect(changesOf(change)).toContain(`! ${found}`);
  });

  it.each(HARMLESS)('is harmless, and all there is: %s', (found, change) => {
    expect(changesOf(change)).toEqual([`  ${found}`]);
  });

  it('a change of a schema for requests and responses is reported for both', () => {
    const both = (document: Loose): Loose => {
      create(document).responses[201].content = {
        'application/json': { schema: { $ref: '#/components/schemas/Input' } },
      };
      return document;
    };
    const after = both(base());
    input(after).properties.nom.maxLength = 20;
    expect(changesBetween(both(base()) as Document, after as Document)).toEqual([
      { breaking: true, place: 'Input.nom, as answered', what: 'has maxLength 20 instead of 10' },
      { breaking: false, place: 'Input.nom, as sent', what: 'has maxLength 20 instead of 10' },
    ]);
  });

  it('a schema that is called otherwise is the same on the wire', () => {
    expect(
      changesOf((document) => {
        const { Detail, ...schemas } = document.components.schemas;
        document.components.schemas = { ...schemas, Precision: Detail };
        const text = JSON.stringify(document).replaceAll('schemas/Detail', 'schemas/Precision');
        Object.assign(document, JSON.parse(text));
      }),
    ).toEqual([
      // The name identifies each of several shapes.
      '! Item.valeur, as answered: can now be Precision',
      '! components/schemas/Item/properties/valeur/discriminator: differs in something that is not compared',
      '  Item.valeur, as answered: can no longer be Detail',
    ]);
  });

  it('all breaking changes come first', () => {
    const changes = changesOf((document) => {
      delete item(document).properties.vieux;
      item(document).properties.neuf = { type: 'string' };
      list(document).operationId = 'Things_all';
    });
    expect(changes.map((change) => change[0])).toEqual(['!', '!', ' ']);
  });
});
