import { parse } from 'yaml';
import { changesBetween, type Document } from '../../tools/openapi/compare';

/** A document as loosely as a test changes it. */
type Loose = ReturnType<typeof JSON.parse>;

/** A small document with something of each kind that is compared. */
const base = (): Loose =>
  parse(`
openapi: 3.0.0
info: { title: T, version: '1' }
paths:
  /things:
    get:
      operationId: Things_list
      description: Lists.
      x-codes: [Requete.Invalide, Chose.NotFound]
      x-requires: { role: partenaire }
      parameters:
        - { in: query, name: limite, schema: { type: integer, minimum: 1, maximum: 100 } }
        - { in: query, name: etat, required: true, schema: { type: string, enum: [A, B] } }
        - { $ref: '#/components/parameters/If-Match' }
      responses:
        200:
          description: Success
          headers: { Link: { description: Next., schema: { type: string } } }
          content:
            application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Item' } } }
        404: { $ref: '#/components/responses/Chose.NotFound' }
    post:
      operationId: Things_create
      responses: { 201: { description: Created, content: {} } }
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Input' } } } }
      callbacks:
        event:
          url:
            post:
              parameters: [{ in: header, name: webhook-id, required: true, schema: { type: string } }]
              requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Event' } } } }
              responses: {}
components:
  securitySchemes: { Key: { type: apiKey, in: header, name: X-Api-Key } }
  parameters: { If-Match: { in: header, name: If-Match, schema: { type: string } } }
  responses: { Chose.NotFound: { description: Not there } }
  schemas:
    Input:
      type: object
      required: [nom]
      properties:
        nom: { type: string, minLength: 1, maxLength: 10, pattern: ^a, description: A name. }
        age: { type: number, nullable: true }
        choix: { type: string, enum: [x, y], default: y }
        libre: { type: string }
        liste: { type: array, maxItems: 5, items: { type: string } }
        poids: { oneOf: [{ type: number }, { type: string }] }
        parent: { $ref: '#/components/schemas/Input' }
    Item:
      type: object
      required: [id, nom]
      properties:
        id: { type: string, format: uuid }
        nom: { type: string, maxLength: 10 }
        age: { type: integer }
        etat: { type: string, enum: [A, B] }
        detail: { allOf: [{ $ref: '#/components/schemas/Detail' }], nullable: true }
        valeur:
          oneOf: [{ $ref: '#/components/schemas/Detail' }, { $ref: '#/components/schemas/Other' }]
          discriminator: { propertyName: type, mapping: { a: '#/components/schemas/Detail' } }
        autres: { type: object, additionalProperties: { type: string } }
    Detail: { type: object, properties: { texte: { type: string } } }
    Other: { type: object, properties: { n: { type: integer } } }
    Event: { type: object, required: [type], properties: { type: { type: string } } }
`);

const SHORT: Readonly<Record<string, string>> = {
  list: 'paths./things.get',
  create: 'paths./things.post',
  delivery: 'paths./things.post.callbacks.event.url.post',
  input: 'components.schemas.Input',
  sent: 'components.schemas.Input.properties',
  item: 'components.schemas.Item',
  answered: 'components.schemas.Item.properties',
};

/** Sets a place of a document to a value in YAML, or removes it. The first word of the place can be a short one. */
function changesOf(place: string, value: string): string[] {
  const after = base();
  const [, first, rest] = /^([\w-]+)(.*)$/.exec(place)!;
  const keys = `${SHORT[first!] ?? first}${rest}`.split('.').map((key) => key.replace('~', '.'));
  const last = keys.pop()!;
  const parent = keys.reduce((part, key) => part[key], after);
  if (value === '') delete parent[last];
  else parent[last] = parse(value);
  return changesBetween(base() as Document, after as Document).map(
    ({ breaking, place: where, what }) => `${breaking ? '!' : ' '} ${where}: ${what}`,
  );
}

/** Reads lines of the form "place = value → change". */
function casesOf(lines: string): [place: string, value: string, found: string][] {
  return lines
    .trim()
    .split('\n')
    .map((line) => /^(\S+) = (.*?) ?→ (.*)$/.exec(line)!.slice(1) as [string, string, string]);
}

const BREAKING = casesOf(`
list = → GET /things, as sent: is gone
components.securitySchemes.Key.name = "X-Key" → components, securitySchemes, Key, as sent: has name "X-Key" instead of "X-Api-Key"
list.operationId = "Things_all" → GET /things, as sent: has operationId "Things_all" instead of "Things_list"
list.x-requires.role = "admin" → GET /things, x-requires, as sent: has role "admin" instead of "partenaire"
list.x-requires.module = "vote" → GET /things, x-requires, as sent: has module "vote" instead of none
list.x-codes.1 = "Chose.Perdue" → GET /things, error code Chose.NotFound, as answered: is gone
list.security = [{"Key":[]}] → GET /things, as sent: has security [{"Key":[]}] instead of none
x-secret = true → the document, as sent: has x-secret true instead of none
list.parameters.0.name = "max" → GET /things, query parameter limite, as sent: is gone
list.parameters.0.required = true → GET /things, query parameter limite, as sent: has required true instead of none
list.parameters.0.schema.maximum = 50 → GET /things, query parameter limite, as sent: has maximum 50 instead of 100
list.parameters.0.style = "form" → GET /things, query parameter limite, as sent: has style "form" instead of none
list.parameters.3 = {"in":"query","name":"tri","required":true} → GET /things, query parameter tri, as sent: is new
list.parameters.1.schema.enum = ["A"] → GET /things, query parameter etat, as sent: has enum ["A"] instead of ["A","B"]
components.parameters.If-Match.required = true → GET /things, header parameter if-match, as sent: has required true instead of none
create.requestBody = → POST /things, body, as sent: is gone
create.requestBody.required = true → POST /things, body, as sent: has required true instead of none
create.requestBody.content = {"text/plain":{"schema":{"type":"string"}}} → POST /things, body, application/json, as sent: is gone
sent.libre = → Input.libre, as sent: is gone
input.required = ["nom","libre"] → Input.libre, as sent: has required true instead of false
sent.age.type = "integer" → Input.age, as sent: has type "integer" instead of "number"
sent.age.type = "string" → Input.age, as sent: has type "string" instead of "number"
sent.age.nullable = false → Input.age, as sent: has nullable false instead of true
sent.choix.enum = ["x","z"] → Input.choix, as sent: has enum ["x","z"] instead of ["x","y"]
sent.choix.default = "x" → Input.choix, as sent: has default "x" instead of "y"
sent.libre.enum = ["x"] → Input.libre, as sent: has enum ["x"] instead of none
sent.libre.readOnly = true → Input.libre, as sent: has readOnly true instead of none
sent.nom.minLength = 2 → Input.nom, as sent: has minLength 2 instead of 1
sent.nom.pattern = "^b" → Input.nom, as sent: has pattern "^b" instead of "^a"
sent.liste.uniqueItems = true → Input.liste, as sent: has uniqueItems true instead of none
sent.liste.items.maxLength = 3 → Input.liste[], as sent: has maxLength 3 instead of none
sent.poids.oneOf = [{"type":"number"}] → Input.poids, string, as sent: is gone
input.additionalProperties = false → Input, as sent: has closed true instead of false
list.responses.200 = → GET /things, 200, as answered: is gone
list.responses.202 = {} → GET /things, 202, as answered: is new
list.responses.200.headers = {} → GET /things, 200, Link, as answered: is gone
list.responses.200.content = {} → GET /things, 200, application/json, as answered: is gone
answered.age = → Item.age, as answered: is gone
item.required = ["id"] → Item.nom, as answered: has required false instead of true
answered.age.type = "number" → Item.age, as answered: has type "number" instead of "integer"
answered.valeur.nullable = true → Item.valeur, as answered: has nullable true instead of none
answered.etat.enum = ["A","B","C"] → Item.etat, as answered: has enum ["A","B","C"] instead of ["A","B"]
answered.etat.enum = → Item.etat, as answered: has enum none instead of ["A","B"]
answered.id.format = → Item.id, as answered: has format none instead of "uuid"
components.schemas.Detail.properties = {} → Detail.texte, as answered: is gone
answered.valeur.oneOf.2 = {"$ref":"#/components/schemas/Event"} → Item.valeur, Event, as answered: is new
answered.valeur.discriminator = → Item.valeur, as answered: has discriminator none instead of {"propertyName":"type","mapping":{"a":"#/components/schemas/Detail"}}
answered.autres.additionalProperties.type = "integer" → Item.autres.*, as answered: has type "integer" instead of "string"
create.callbacks = {} → POST /things, callback event, as answered: is gone
delivery.parameters = [] → POST /things, callback event, header parameter webhook-id, as answered: is gone
components.schemas.Event.required = [] → Event.type, as answered: has required false instead of true
`);

const HARMLESS = casesOf(`
paths./things.put = {"responses":{}} → PUT /things, as sent: is new
list.deprecated = true → GET /things, as sent: has deprecated true instead of none
list.x-codes.2 = "Chose.Perdue" → GET /things, error code Chose.Perdue, as answered: is new
list.parameters.3 = {"in":"query","name":"tri"} → GET /things, query parameter tri, as sent: is new
sent.neuf = { type: string } → Input.neuf, as sent: is new
sent.style = { type: string } → Input.style, as sent: is new
input.required = [] → Input.nom, as sent: has required false instead of true
sent.nom.nullable = true → Input.nom, as sent: has nullable true instead of none
sent.libre.default = "x" → Input.libre, as sent: has default "x" instead of none
sent.choix.enum = ["x","y","z"] → Input.choix, as sent: has enum ["x","y","z"] instead of ["x","y"]
sent.libre = {"oneOf":[{"type":"string"},{"type":"number"}]} → Input.libre, number, as sent: is new
list.responses.409 = {"description":"No"} → GET /things, 409, as answered: is new
create.responses.201.content = {"text/plain":{"schema":{"type":"string"}}} → POST /things, 201, text/plain, as answered: is new
list.responses.200.headers.ETag = {"schema":{"type":"string"}} → GET /things, 200, ETag, as answered: is new
list.responses.200.headers.Link.required = true → GET /things, 200, Link, as answered: has required true instead of none
item.required = ["id","nom","age"] → Item.age, as answered: has required true instead of false
answered.etat.enum = ["A"] → Item.etat, as answered: has enum ["A"] instead of ["A","B"]
answered.nom.maxLength = 5 → Item.nom, as answered: has maxLength 5 instead of 10
answered.detail.nullable = → Item.detail, as answered: has nullable none instead of true
create.callbacks.other = {"url":{"post":{"responses":{}}}} → POST /things, callback other, as answered: is new
list.description = "Lists all." → GET /things, as sent: has description "Lists all." instead of "Lists."
sent.nom.description = → Input.nom, as sent: has description none instead of "A name."
components.responses.Chose~NotFound.description = "No" → GET /things, 404, as answered: has description "No" instead of "Not there"
`);

describe('Between two states of a document', () => {
  it('the same document gives no change', () => {
    expect(changesOf('openapi', '3.0.0')).toEqual([]);
  });

  it.each(BREAKING)('is breaking: %s = %s → %s', (place, value, found) => {
    expect(changesOf(place, value)).toContain(`! ${found}`);
  });

  it.each(HARMLESS)('is harmless, and the only change: %s = %s → %s', (place, value, found) => {
    expect(changesOf(place, value)).toEqual([`  ${found}`]);
  });

  it('a change of a schema for requests and answers is reported for both, breaking changes first', () => {
    const both = (maxLength: number): Document => {
      const document = base();
      document.paths['/things'].get.responses[200] = document.paths['/things'].post.requestBody;
      document.components.schemas.Input.properties.nom.maxLength = maxLength;
      return document as Document;
    };
    expect(changesBetween(both(10), both(20)).map(({ breaking, place }) => [breaking, place])).toEqual([
      [true, 'Input.nom, as answered'],
      [false, 'Input.nom, as sent'],
    ]);
  });

  it('another order is harmless', () => {
    const { paths, ...rest } = base();
    expect(changesBetween(base() as Document, { ...rest, paths } as Document)).toEqual([
      { breaking: false, place: 'the document', what: 'has the same in another order' },
    ]);
  });
});
