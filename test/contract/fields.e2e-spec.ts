import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SurfaceName } from '../../apps/partner-api/src/openapi';
import { fileOf, NAMES } from '../../tools/openapi/documents';
import { resolved } from '../../tools/openapi/resolve';
import { depth } from '../setup/depth';
import { perFile } from '../setup/fixtures';
import { TestApp } from '../setup/test-app';
import { fieldCasesOf } from './support/fields';
import { type Document, operationsOf, type Placed } from './support/openapi-faults';

/** These operations report the faults of records in a 200. */
const OF_RECORDS = /\/(?:employe\/sync|v2\/sync|v2\/plan|employe\/upsert)$/;

/** An operation whose body has the schema of another one gets one case in this number. */
const EVERY = depth(20, 1);

/** Values that another rule excludes. */
const EXCLUDED = [
  // The example is a field of choices.
  'POST /b2b/v2/champ-utilisateur: /choix null',
  // At most as many as `inscrits`.
  'PUT /plateforme/v1/seances/:seanceId/presences: /presents 2147483647',
  'PUT /plateforme/v1/seances/:seanceId/presences: /votants 2147483647',
  // At most as many as `employes`.
  'POST /b2b/v2/essai/electorat: /defauts 5000',
  // Either this or `webhookId`, and one of `statut`, `delaiMs` and `coupure`.
  'PUT /b2b/v2/essai/pannes: /route null',
  'PUT /b2b/v2/essai/pannes: /statut null',
  // At most as many as `gardiens`.
  'PUT /b2b/v1/campagnes/:id/chiffrement: /seuil 9',
  // Either this or `BulletinChiffre`.
  'POST /plateforme/v1/campagnes/:id/bulletins: /Reponses null',
  // Their bodies may be absent.
  'POST /b2b/v2/sync/:id/annuler:  "null"',
  'POST /b2b/v2/conciliation/:id/confirmer:  "null"',
];

describe('Each property of a body has the type, the limits and the obligation of its document', () => {
  const app = perFile(() => TestApp.start());
  let keys: Record<string, string>;

  beforeAll(async () => {
    const tenant = await app.tenant();
    keys = { partenaire: tenant.cle, plateforme: (await app.platformOf(tenant)).cle, admin: app.adminKey };
  });

  /** Returns a document of docs/openapi. The service makes the one that it serves from its own limits. */
  const documentOf = (name: SurfaceName): Document =>
    resolved(JSON.parse(readFileSync(fileOf(join(__dirname, '../..'), name), 'utf8')) as Document);

  /** Returns the differences between the faults of an operation and those that its document gives. */
  async function faultsOf(placed: Placed, document: Document, isKnown = false): Promise<string[]> {
    const { operation, method, name, path } = placed;
    const target = path.replaceAll(/\{(\w+)\}/g, (_, part: string) => {
      const parameter = operation.parameters!.find((one) => one.in === 'path' && one.name === part)!;
      return encodeURIComponent(String(parameter.schema!.example));
    });
    const faults: string[] = [];
    const cases = fieldCasesOf(placed, document);
    for (const one of isKnown ? cases.filter((_, index) => index % EVERY === 0) : cases) {
      const answer = await app.send(keys[operation['x-requires']!.role], method, target, one.body);
      const errors = (answer.json?.errors ?? []) as { pointer: string; code: string }[];
      const found = errors.map(({ pointer, code }) => `${pointer} ${code}`).join(', ');
      const isRight = one.isAllowed
        ? !errors.some(({ pointer, code }) => pointer === one.pointer && [code, 'none'].includes(one.code))
        : found === `${one.pointer} ${one.code}`;
      if (!isRight) faults.push(`${name}: ${one.name} (${one.code}): ${answer.status} ${found}`);
    }
    return faults.filter((fault) => !EXCLUDED.some((known) => fault.startsWith(known)));
  }

  it.each(NAMES)('of the surface %s', async (surface) => {
    const document = documentOf(surface);
    const faults = [];
    const known = new Set<string>();
    for (const placed of operationsOf(document).filter(({ path }) => !OF_RECORDS.test(path))) {
      const shape = JSON.stringify(placed.operation.requestBody?.content['application/json']?.schema);
      faults.push(...(await faultsOf(placed, document, known.has(shape))));
      known.add(shape);
    }
    expect(faults).toEqual([]);
  });

  it('control: another limit, type and obligation in the document are found', async () => {
    const document = documentOf('partenaire');
    const placed = operationsOf(document).find(({ name }) => name === 'POST /b2b/v1/employe')!;
    const { EmployeInput } = document.components.schemas as unknown as Record<
      string,
      { properties: Record<string, object>; required: string[] }
    >;
    Object.assign(EmployeInput!.properties.nom!, { maxLength: 256 });
    Object.assign(EmployeInput!.properties.ville!, { type: 'boolean', maxLength: undefined });
    EmployeInput!.required.push('province');
    const found = (await faultsOf(placed, document)).map((fault) => fault.split(' ')[2]);
    expect([...new Set(found)].sort()).toEqual(['/nom', '/province', '/ville']);
  });
});
