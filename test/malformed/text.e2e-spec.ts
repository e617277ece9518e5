import { TestApp } from '../setup/test-app';
import { perFile } from '../setup/fixtures';
import { type Operation, operationsOf, type Schema } from './operations';

/** Texts that name what is stored, perhaps by former rules. */
const NAMES_STORED = /^\[\]\.ancien$|^\.idExterneAbsorbe$/;

const GUID = '00000000-0000-4000-8000-000000000000';

/** A text of a body: its place, and a body that has a given value there and nothing else. */
interface Text {
  readonly at: string;
  readonly schema: Schema;
  readonly bodyOf: (value: string) => unknown;
}

describe('every text of every body', () => {
  const app = perFile(() => TestApp.start());
  let operations: Operation[];
  let schemas: Record<string, Schema>;
  let keys: Record<string, string>;
  let campagneId: string;

  beforeAll(async () => {
    const tenant = await app.tenant();
    keys = { partenaire: tenant.cle, plateforme: (await app.platformOf(tenant)).cle, admin: app.adminKey };
    ({ operations, schemas } = await operationsOf(app));
    const campagne = await app.send(tenant, 'POST', '/b2b/v1/campagnes', {
      titre: 'Élection',
      ouvertureDuVoteUtc: '2030-01-01T00:00:00Z',
      fermetureDuVoteUtc: '2030-01-02T00:00:00Z',
    });
    campagneId = campagne.json;
  });

  function textsOf(schema: Schema, at: string, wrap: (value: unknown) => unknown): Text[] {
    const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
    if (reference) return textsOf(schemas[reference.split('/').at(-1)!]!, at, wrap);
    const shapes = schema.oneOf ?? schema.anyOf;
    if (shapes) return shapes.flatMap((one) => textsOf(one, at, wrap));
    if (schema.type === 'array') return textsOf(schema.items!, `${at}[]`, (value) => wrap([value]));
    if (schema.properties) {
      return Object.entries(schema.properties).flatMap(([name, property]) =>
        (property as { readOnly?: boolean }).readOnly
          ? []
          : textsOf(property, `${at}.${name}`, (value) =>
              wrap({ ...aroundList(schema, property), [name]: value }),
            ),
      );
    }
    const isFree =
      schema.type === 'string' && !schema.enum && !['uuid', 'date-time'].includes(schema.format ?? '');
    return isFree ? [{ at, schema, bodyOf: wrap }] : [];
  }

  /** The records of a list are read if the record around them is sound. */
  function aroundList({ properties, required }: Schema, property: Schema): object {
    if (property.type !== 'array') return {};
    return Object.fromEntries((required ?? []).map((name) => [name, properties![name]!.example]));
  }

  async function answers(value: (text: Text) => string | undefined): Promise<Map<string, string>> {
    const answered = new Map<string, string>();
    for (const { method, path, role, body } of operations) {
      // A plan only counts rejected records: they are those of the sync, which is among the operations.
      if (!body || !role || path === '/b2b/v2/plan') continue;
      for (const text of textsOf(body, '', (one) => one)) {
        const sent = value(text);
        if (sent === undefined) continue;
        const target = path.replaceAll(/:(\w+)/g, (_part, name: string) =>
          name === 'environnement' ? 'staging' : path.endsWith('/votants/upsert') ? campagneId : GUID,
        );
        const answer = await app.send(keys[role], method, target, text.bodyOf(sent));
        answered.set(`${method} ${path} ${text.at}`, `${answer.status} ${answer.text}`);
      }
    }
    return answered;
  }

  const without = (answered: Map<string, string>, part: RegExp): string[] =>
    [...answered].flatMap(([at, answer]) => (part.test(answer) ? [] : [`${at}: ${answer.slice(0, 300)}`]));

  it('a control of direction is refused by its code point and place', async () => {
    const answered = await answers(({ at }) => (NAMES_STORED.test(at) ? undefined : 'a\u202eb'));
    expect(answered.size).toBeGreaterThan(100);
    expect(without(answered, /U\+202E\b.*\bcharacter 2\b/)).toEqual([]);
  });

  it('an invisible character in an identifier or an address is refused by its code point and place', async () => {
    const isName = ({ at, schema }: Text): boolean =>
      schema.format === 'email' ||
      /(Externe|ExterneEmployeur|ExterneEmploye|ExterneMembre|\.NomChamp|\.Identifiant|champ-utilisateur.*\.nom)$/.test(
        at,
      );
    for (const [character, point] of [
      ['\u200b', '200B'],
      ['\u2060', '2060'],
      ['\ufeff', 'FEFF'],
      ['\u00ad', '00AD'],
      ['\u3164', '3164'],
      ['\u0007', '0007'],
    ] as const) {
      const answered = await answers((text) => (isName(text) ? `ab${character}` : undefined));
      expect(answered.size).toBeGreaterThan(20);
      expect(without(answered, new RegExp(`U\\+${point}\\b.*\\bcharacter 3\\b`))).toEqual([]);
    }
  });

  it('invisible text alone is refused where a text is required', async () => {
    const answered = await answers(({ at, schema }) =>
      (schema as { minLength?: number }).minLength && schema.format !== 'email' && !NAMES_STORED.test(at)
        ? '\u200b\u3164'
        : undefined,
    );
    expect(answered.size).toBeGreaterThan(20);
    expect(without(answered, /must have a visible character|must not be empty|U\+200B/)).toEqual([]);
  });

  it('decomposed text is as long as it is composed', async () => {
    const answered = await answers(({ schema }) =>
      schema.maxLength && schema.maxLength < 20_000 && schema.format !== 'email'
        ? 'e\u0301'.repeat(schema.maxLength)
        : undefined,
    );
    expect(answered.size).toBeGreaterThan(100);
    expect(without(answered, /^(?!.*must have at most \d+ characters)/s)).toEqual([]);
  });
});

describe('text of the same meaning', () => {
  const app = perFile(() => TestApp.start());
  const [composed, decomposed] = ['Zo\u00e9', 'Zoe\u0301'];

  it('one employee has an identifier composed and decomposed, in the body, the path and the query', async () => {
    const tenant = await app.tenant();
    const person = { prenom: 'Zoe\u0301', nom: 'Roy' };
    const made = await app.send(tenant, 'POST', '/b2b/v1/employe', { idExterne: decomposed, ...person });
    expect(made.json).toMatchObject({ idExterne: composed, prenom: composed });
    const twice = await app.send(tenant, 'POST', '/b2b/v1/employe', { idExterne: composed, ...person });
    expect(twice.status).toBe(409);
    for (const form of [composed, decomposed]) {
      const path = encodeURIComponent(form);
      expect((await app.send(tenant, 'GET', `/b2b/v1/employe/${path}`)).status).toBe(200);
      expect((await app.send(tenant, 'GET', `/b2b/v2/emploi?idExterneEmploye=${path}`)).status).toBe(200);
    }
    const synced = await app.send(tenant, 'POST', '/b2b/v1/employe/sync', {
      employes: [composed, decomposed].map((idExterne) => ({ idExterne, ...person })),
    });
    expect(synced.text).toContain('appears twice in this request');
    expect((await app.send(tenant, 'GET', '/b2b/v1/employe')).json).toHaveLength(1);
  });

  it('a stored name with invisible characters is read, and replaced', async () => {
    const tenant = await app.tenant();
    const person = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' };
    await app.send(tenant, 'POST', '/b2b/v1/employe', person);
    await app.database.query(
      `UPDATE employe SET nom = E'\\u202eyoR', courriel = E'z\\u200b@example.org' WHERE tenant_id = $1`,
      [tenant.tenantId],
    );
    const read = await app.send(tenant, 'GET', '/b2b/v1/employe/E-1');
    expect(read.json).toMatchObject({ nom: '\u202eyoR', courriel: 'z\u200b@example.org' });
    expect((await app.send(tenant, 'PUT', '/b2b/v1/employe', person)).json).toMatchObject({ nom: 'Roy' });
  });

  it('a stored identifier with an invisible character is read, and renamed or deleted by its path', async () => {
    const tenant = await app.tenant();
    await app.send(tenant, 'POST', '/b2b/v2/objet-consentement', { idExterne: 'OC-1', nom: 'Infolettre' });
    await app.database.query(`UPDATE objet_consentement SET id_externe = E'OC\\u200b' WHERE tenant_id = $1`, [
      tenant.tenantId,
    ]);
    const path = '/b2b/v2/objet-consentement/OC%E2%80%8B';
    expect((await app.send(tenant, 'GET', path)).status).toBe(200);
    expect((await app.send(tenant, 'PUT', path, { nom: 'Autre' })).json).toMatchObject({ nom: 'Autre' });
    expect((await app.send(tenant, 'DELETE', path)).status).toBe(204);
  });

  it.each([
    ['bob@exa mple.org'],
    ['bob@\u2488com.example'],
    ['bob@exa\u200bmple.org'],
    ['b\u2060ob@example.org'],
    ['\ufeffbob@example.org'],
  ])('an address that the sender would skip is refused: %j', async (courriel) => {
    const tenant = await app.tenant();
    const person = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy', courriel };
    expect((await app.send(tenant, 'POST', '/b2b/v1/employe', person)).json).toMatchObject({
      errors: [{ pointer: '/courriel' }],
    });
    const synced = await app.send(tenant, 'POST', '/b2b/v1/employe/sync', { employes: [person] });
    expect(synced.text).toMatch(/invalid e-mail|courriel must not contain U\+/);
  });

  it.each(['<p>\u200b</p>', '<p>&#8203;&nbsp;</p>', '<p>\u3164</p>', '<p>a&#8238;b</p>'])(
    'an email of %j is refused',
    async (corpsHtml) => {
      const tenant = await app.tenant();
      await app.send(tenant, 'POST', '/b2b/v1/employe', { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' });
      const email = { destinataires: { idExternes: ['E-1'] }, sujet: 'Assemblée', corpsHtml };
      const answer = await app.send(tenant, 'POST', '/b2b/v2/courriel', email);
      expect(answer.json).toMatchObject({ status: 400, errors: [{ pointer: '/corpsHtml' }] });
    },
  );
});
