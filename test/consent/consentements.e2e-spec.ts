import { openTenant, signed } from '../adhesion/support/cards';
import { unchanged } from '../setup/digests';
import { APP_ROLE } from '../../libs/platform/src/database/roles';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { comparable, INSTANT, synced, times, walk } from '../membership/synced';
import { type Answer, TestApp } from '../setup/test-app';
import { perFile, perTest } from '../setup/fixtures';

const PATH = '/b2b/v1/consentement';
const WRITE_PATH = '/plateforme/v1/consentements';
const CONSENT = { idExterneEmploye: 'E-1', objetConsentementIdExterne: 'INFO', accepte: true };

const app = perFile(() => TestApp.start());
const tenant = perTest(() => openTenant(app));

beforeEach(async () => {
  for (const id of ['INFO', 'TEXTOS']) await makeObjet(id);
});

const partner = (method: string, path: string, body?: unknown) =>
  app.send(tenant.partenaire, method, path, body);
const read = (query = '') => partner('GET', PATH + query);
const write = (overrides: object = {}, headers?: Record<string, string>) =>
  app.send(tenant.plateforme, 'POST', WRITE_PATH, { ...CONSENT, ...overrides }, headers);

async function written(overrides: object = {}): Promise<Answer> {
  const answer = await write(overrides);
  expect({ status: answer.status, errors: answer.json.errors }).toEqual({ status: 201, errors: undefined });
  return answer;
}
async function makeObjet(idExterne: string): Promise<void> {
  const answer = await partner('POST', '/b2b/v2/objet-consentement', {
    idExterne,
    nom: `Objet ${idExterne}`,
  });
  expect(answer.status).toBe(201);
}
/** Adds consents of these dates, one after the other. */
async function dated(...dates: string[]): Promise<void> {
  for (const dateConsentement of dates) await written({ dateConsentement });
}
const datesOf = ({ json }: Answer): string[] =>
  json.map(({ dateConsentement }: { dateConsentement: string }) => dateConsentement);
async function count(): Promise<number> {
  const { rowCount } = await app.database.query('SELECT FROM consentement WHERE tenant_id = $1', [
    tenant.tenantId,
  ]);
  return rowCount!;
}

describe('POST /plateforme/v1/consentements', () => {
  it('201 answers the consent as partners read it, exact to every property, with Location', async () => {
    const answer = await write({ dateConsentement: '2026-03-02T09:05:09.120-05:00' });
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `${PATH}/E-1`]);
    expect(answer.text).toBe(
      JSON.stringify({
        idExterneEmploye: 'E-1',
        objetConsentement: { idExterne: 'INFO', nom: 'Objet INFO' },
        accepte: true,
        dateConsentement: '2026-03-02T14:05:09.120Z',
        valeursChampUtilisateur: [],
      }),
    );
    expect((await read()).text).toBe(`[${answer.text}]`);
    expect((await read('/E-1')).text).toBe(`[${answer.text}]`);
  });

  it.each([undefined, null, '', '  '])(
    '201 with the time of the request where the date is %j',
    async (date) => {
      const before = Date.now();
      const { dateConsentement } = (await written({ dateConsentement: date })).json;
      expect(dateConsentement).toMatch(INSTANT);
      expect(Date.parse(dateConsentement)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(dateConsentement)).toBeLessThanOrEqual(Date.now());
    },
  );

  it.each([
    ['2026-03-02', '2026-03-02T00:00:00.000Z'],
    ['2024-02-29T23:59:59.999Z', '2024-02-29T23:59:59.999Z'],
    ['2026-03-02T00:00:00+14:00', '2026-03-01T10:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('201 with the date %s, read as %s', async (sent, expected) => {
    expect((await written({ dateConsentement: sent })).json.dateConsentement).toBe(expected);
    expect(datesOf(await read())).toEqual([expected]);
  });

  it('201 trims texts and takes either case of a first letter', async () => {
    const answer = await app.send(tenant.plateforme, 'POST', WRITE_PATH, {
      ...{
        IdExterneEmploye: ' E-1 ',
        ObjetConsentementIdExterne: ' INFO ',
        Accepte: false,
        DateConsentement: null,
      },
    });
    expect(answer.json).toMatchObject({ idExterneEmploye: 'E-1', accepte: false });
  });

  it.each(['a/b', '100%', 'où?#1', '🙂👩', '"\\\'', '__proto__', 'ü+ü'])(
    '201 for the identifiers %s, whose Location leads to the consent',
    async (id) => {
      await makeObjet(id);
      await synced(app, tenant.partenaire, { Employes: [{ IdExterne: id, Prenom: 'Zoé', Nom: 'Roy' }] });
      const answer = await written({ idExterneEmploye: id, objetConsentementIdExterne: id });
      expect(answer.headers.get('location')).toBe(`${PATH}/${encodeURIComponent(id)}`);
      expect((await partner('GET', answer.headers.get('location')!)).text).toBe(`[${answer.text}]`);
    },
  );

  it.each<[string, unknown, Record<string, string>]>([
    [
      'nothing',
      {},
      { '/idExterneEmploye': 'required', '/objetConsentementIdExterne': 'required', '/accepte': 'required' },
    ],
    ['a list', [CONSENT], { '': 'type' }],
    ['accepte as text', { ...CONSENT, accepte: 'true' }, { '/accepte': 'type' }],
    ['accepte as number', { ...CONSENT, accepte: 1 }, { '/accepte': 'type' }],
    ['accepte null', { ...CONSENT, accepte: null }, { '/accepte': 'required' }],
    [
      'an unknown property',
      { ...CONSENT, valeursChampUtilisateur: [] },
      { '/valeursChampUtilisateur': 'unknown' },
    ],
    ['a property in both casings', { ...CONSENT, Accepte: true }, { '/Accepte': 'duplicate' }],
    [
      'a date more than 10 minutes ahead',
      { ...CONSENT, dateConsentement: new Date(Date.now() + 12 * 60_000).toISOString() },
      { '/dateConsentement': 'range' },
    ],
    ['no date', { ...CONSENT, dateConsentement: 'hier' }, { '/dateConsentement': 'date' }],
    [
      'a date without offset',
      { ...CONSENT, dateConsentement: '2026-03-02T09:05:09' },
      { '/dateConsentement': 'date' },
    ],
    [
      'a day that there is not',
      { ...CONSENT, dateConsentement: '2026-02-30' },
      { '/dateConsentement': 'date' },
    ],
    ['a number as date', { ...CONSENT, dateConsentement: 1_772_460_309 }, { '/dateConsentement': 'date' }],
    [
      'what does not exist, both at once',
      { ...CONSENT, idExterneEmploye: 'e-1', objetConsentementIdExterne: 'info' },
      { '/idExterneEmploye': 'reference', '/objetConsentementIdExterne': 'reference' },
    ],
    [
      'texts that cannot be kept',
      { ...CONSENT, idExterneEmploye: 'E\u0000', objetConsentementIdExterne: '\ud83d' },
      { '/idExterneEmploye': 'characters', '/objetConsentementIdExterne': 'characters' },
    ],
    [
      'a long identifier',
      { ...CONSENT, idExterneEmploye: 'x'.repeat(256) },
      { '/idExterneEmploye': 'length' },
    ],
  ])('400 for %s, and nothing is written', async (_what, body, faults) => {
    await unchanged(app, async () => {
      expectFaults(await app.send(tenant.plateforme, 'POST', WRITE_PATH, body), faults);
    });
  });

  it('adds to the history: an earlier answer to the same object stays, even an equal one of the same time', async () => {
    const dateConsentement = '2026-03-02T14:05:09.120Z';
    const first = await written({ dateConsentement });
    const second = await written({ accepte: false, dateConsentement });
    const third = await written({ dateConsentement });
    expect((await read()).text).toBe(`[${first.text},${second.text},${third.text}]`);
  });

  it('replays the first answer to the same Idempotency-Key; twenty at once without one are twenty', async () => {
    const headers = { 'Idempotency-Key': 'one' };
    const [first, again] = [await write({}, headers), await write({}, headers)];
    expect([again.status, again.text, again.headers.get('location')]).toEqual([
      201,
      first.text,
      `${PATH}/E-1`,
    ]);
    expect(await count()).toBe(1);
    const answers = await Promise.all(times(20, () => write()));
    expect(answers.map(({ status }) => status)).toEqual(times(20, () => 201));
    expect(await count()).toBe(21);
  });

  it('a consent and the deletion of its employee or object: one is first, without an error', async () => {
    for (let round = 0; round < 20; round++) {
      const id = `R-${round}`;
      const ofEmploye = round < 10;
      await (ofEmploye
        ? synced(app, tenant.partenaire, { Employes: [{ IdExterne: id, Prenom: 'Zoé', Nom: 'Roy' }] })
        : makeObjet(id));
      const remove = () =>
        partner('DELETE', ofEmploye ? `/b2b/v1/employe/${id}` : `/b2b/v2/objet-consentement/${id}`);
      const add = () => write(ofEmploye ? { idExterneEmploye: id } : { objetConsentementIdExterne: id });
      const answers = await Promise.all(round % 2 ? [remove(), add()] : [add(), remove()]);
      const [removal, consent] = (round % 2 ? answers : answers.reverse()) as [Answer, Answer];
      if (consent.status !== 201) {
        expectFaults(consent, {
          [ofEmploye ? '/idExterneEmploye' : '/objetConsentementIdExterne']: 'reference',
        });
      }
      if (ofEmploye || consent.status !== 201) expect(removal.status).toBe(204);
      else expectProblem(removal, 409, 'ObjetConsentement.Utilise');
    }
    // Those of employees went with them.
    expect((await read()).text).not.toMatch(/"idExterneEmploye":"R-/);
  });
});

describe('GET /b2b/v1/consentement', () => {
  const DATES = ['2026-03-02T14:05:09.119Z', '2026-03-02T14:05:09.120Z', '2026-03-02T14:05:09.121Z'];

  it('200 [] where there are none, and other tenants’ consents never', async () => {
    const other = await openTenant(app);
    await written();
    const answer = await app.send(other.partenaire, 'GET', PATH);
    expect([answer.status, answer.text, answer.headers.get('link')]).toEqual([200, '[]', null]);
  });

  it('the oldest consent first, whenever it was written; those of one time in the order of their writing', async () => {
    await dated(DATES[2]!, DATES[0]!, DATES[1]!, DATES[0]!);
    await written({ dateConsentement: DATES[1], objetConsentementIdExterne: 'TEXTOS', accepte: false });
    await written({ dateConsentement: DATES[1], idExterneEmploye: 'E-2' });
    const answer = await read();
    expect(datesOf(answer)).toEqual([0, 0, 1, 1, 1, 2].map((index) => DATES[index]));
    const tied = answer.json.slice(2, 5) as Answer['json'][];
    expect(tied.map((one) => [one.idExterneEmploye, one.objetConsentement.idExterne])).toEqual([
      ['E-1', 'INFO'],
      ['E-1', 'TEXTOS'],
      ['E-2', 'INFO'],
    ]);
  });

  it.each([
    ['2026-03-02T14:05:09.120Z', [1, 2]],
    ['2026-03-02T14:05:09.121Z', [2]],
    ['2026-03-02T14:05:09.122Z', []],
    ['2026-03-02T14:05:09.119Z', [0, 1, 2]],
    ['2026-03-02T14:05:09Z', [0, 1, 2]],
    ['2026-03-02T09:05:09.120-05:00', [1, 2]],
    ['2026-03-02T16:05:09.121%2B02:00', [2]],
    // A plus sign that was not escaped arrives as a space.
    ['2026-03-02T16:05:09.121+02:00', [2]],
    ['2026-03-02T16%3A05%3A09.121%2B0200', [2]],
    ['2026-03-02', [0, 1, 2]],
    ['2026-03-03', []],
  ])('depuis=%s is inclusive, to the millisecond', async (depuis, expected) => {
    await dated(...DATES);
    const answer = await read(`?depuis=${depuis}`);
    expect([answer.status, answer.json.error]).toEqual([200, undefined]);
    expect(datesOf(answer)).toEqual(expected.map((index) => DATES[index]));
  });

  it('the date of a read finds the consent again, also that of a signing without a date', async () => {
    await written();
    await signed(app, tenant.plateforme, {
      consentements: [{ objetConsentementIdExterne: 'TEXTOS', accepte: true }],
    });
    for (const [index, date] of datesOf(await read()).entries()) {
      expect((await read(`?depuis=${date}`)).json).toHaveLength(2 - index);
    }
  });

  it.each<[string, Record<string, string>]>([
    ['depuis=', { '?depuis': 'required' }],
    ['depuis=hier', { '?depuis': 'date' }],
    ['depuis=2026-02-30', { '?depuis': 'date' }],
    ['depuis=2026-03-02T14:05:09', { '?depuis': 'date' }],
    ['depuis=02/03/2026', { '?depuis': 'date' }],
    ['depuis=2026-01-01&depuis=2026-01-02', { '?depuis': 'duplicate' }],
    ['apres=2026-01-01', { '?apres': 'unknown' }],
    ['Depuis=2026-01-01', { '?Depuis': 'unknown' }],
    ['idExterne=E-1', { '?idExterne': 'unknown' }],
    ['limite=0', { '?limite': 'range' }],
    ['limite=1001', { '?limite': 'range' }],
    ['curseur=x', { '?curseur': 'cursor' }],
  ])('400 for ?%s', async (query, faults) => {
    await written();
    expectFaults(await read(`?${query}`), faults);
  });

  it('pages contain the list exactly once, with the filter, and consents added at its end', async () => {
    await dated(...times(7, (n) => `2026-03-0${1 + (n % 3)}T00:00:00Z`));
    for (const query of ['', '&depuis=2026-03-02']) {
      const whole = (await read(`?${query.slice(1)}`)).json;
      expect(whole).toHaveLength(query === '' ? 7 : 4);
      for (const limite of [1, 2, 3, 1000]) {
        const pages = await walk(app, tenant.partenaire, `${PATH}?limite=${limite}${query}`);
        expect(pages).toHaveLength(Math.ceil(whole.length / limite));
        expect(pages.flat()).toEqual(whole);
      }
    }
    const first = await read('?limite=6');
    await dated('2026-04-01T00:00:00Z');
    const next = /^<([^>]+)>/.exec(first.headers.get('link')!)![1]!.slice(app.config.publicUrl.length);
    expect(datesOf(await partner('GET', next))).toEqual([
      '2026-03-03T00:00:00.000Z',
      '2026-04-01T00:00:00.000Z',
    ]);
  });

  it('without limite, thousands are streamed complete and in order', async () => {
    await app.database.query(
      `INSERT INTO consentement (tenant_id, id_externe_employe, id_externe_objet, accepte, date_consentement, valeurs_champ)
       SELECT $1, 'E-1', 'INFO', n % 2 = 0, timestamptz '2026-01-01 00:00Z' + (n * 7919 % 12000) * interval '1 second', '[]'
       FROM generate_series(0, 11999) n`,
      [tenant.tenantId],
    );
    for (const path of ['', '/E-1']) {
      const answer = await read(path);
      expect(answer.headers.get('transfer-encoding')).toBe('chunked');
      expect(datesOf(answer)).toEqual(
        times(12_000, (n) => new Date(Date.UTC(2026, 0, 1) + n * 1_000).toISOString()),
      );
    }
    expect((await read('?depuis=2026-01-01T03:19:40Z')).json).toHaveLength(20);
  });

  it('shows the name of the object as it is now', async () => {
    await written();
    await partner('PUT', '/b2b/v2/objet-consentement', { idExterne: 'INFO', nom: 'Renommé' });
    expect((await read()).json[0].objetConsentement).toEqual({ idExterne: 'INFO', nom: 'Renommé' });
  });
});

describe('GET /b2b/v1/consentement/:idExterne', () => {
  it('the consents of the employee alone, oldest first, in pages too', async () => {
    await dated('2026-03-02', '2026-03-01', '2026-03-03');
    await written({ idExterneEmploye: 'E-2' });
    const answer = await read('/E-1');
    expect(datesOf(answer)).toEqual(['01', '02', '03'].map((day) => `2026-03-${day}T00:00:00.000Z`));
    const pages = await walk(app, tenant.partenaire, `${PATH}/E-1?limite=2`);
    expect(pages.map(({ length }) => length)).toEqual([2, 1]);
    expect(pages.flat()).toEqual(answer.json);
    expect((await read('/E-2')).json).toHaveLength(1);
  });

  it('200 [] for an employee without consents; 404 Employe.NotFound for none, and for another tenant’s as for none', async () => {
    const answer = await read('/E-2');
    expect([answer.status, answer.text]).toEqual([200, '[]']);
    const other = await openTenant(app);
    await synced(app, other.partenaire, { Employes: [{ IdExterne: 'E-LEUR', Prenom: 'Zoé', Nom: 'Roy' }] });
    const foreign = await read('/E-LEUR');
    expectProblem(foreign, 404, 'Employe.NotFound');
    expect(comparable(foreign)).toEqual(comparable(await read('/E-9')));
    expectProblem(await read('/e-1'), 404, 'Employe.NotFound');
    expectProblem(await read('/E-9?limite=1'), 404, 'Employe.NotFound');
  });

  it('400 for parameters that are unknown, and for an identifier that cannot be one', async () => {
    expectFaults(await read('/E-1?depuis=2026-01-01'), { '?depuis': 'unknown' });
    expectFaults(await read(`/${'x'.repeat(256)}`), { '{idExterne}': 'type' });
    expectFaults(await read('/%00'), { '{idExterne}': 'type' });
  });
});

describe('the history', () => {
  it('goes with its employee, and only then is its object free', async () => {
    await written();
    await written({ idExterneEmploye: 'E-2', objetConsentementIdExterne: 'TEXTOS' });
    expectProblem(
      await partner('DELETE', '/b2b/v2/objet-consentement/INFO'),
      409,
      'ObjetConsentement.Utilise',
    );
    expect((await partner('DELETE', '/b2b/v1/employe/E-1')).status).toBe(204);
    expect((await read()).json).toEqual([expect.objectContaining({ idExterneEmploye: 'E-2' })]);
    expect(await count()).toBe(1);
    expect((await partner('DELETE', '/b2b/v2/objet-consentement/INFO')).status).toBe(204);
    expectProblem(
      await partner('DELETE', '/b2b/v2/objet-consentement/TEXTOS'),
      409,
      'ObjetConsentement.Utilise',
    );
  });

  it('has no operation that changes or deletes it', async () => {
    await written();
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST']) {
      for (const path of [PATH, `${PATH}/E-1`]) {
        expectProblem(await partner(method, path, CONSENT), 405, 'Requete.MethodeNonPermise');
      }
      if (method === 'POST') continue;
      const answer = await app.send(tenant.plateforme, method, WRITE_PATH, CONSENT);
      expectProblem(answer, 405, 'Requete.MethodeNonPermise');
    }
    expect(await count()).toBe(1);
  });

  it('cannot be changed, deleted or emptied by the role of the application, which can read and add', async () => {
    await written();
    const as = async (role: string | undefined, sql: string): Promise<string | number | null> => {
      await app.database.query('BEGIN');
      try {
        if (role) {
          await app.database.query(`SELECT set_config('app.tenant_id', $1, true)`, [tenant.tenantId]);
          await app.database.query(`SET LOCAL ROLE ${role}`);
        }
        return (await app.database.query(sql)).rowCount;
      } catch (error) {
        return (error as { code: string }).code;
      } finally {
        await app.database.query('ROLLBACK');
      }
    };
    const where = `WHERE tenant_id = '${tenant.tenantId}'`;
    const forbidden = [
      `UPDATE consentement SET accepte = false ${where}`,
      `UPDATE consentement SET date_consentement = now() ${where}`,
      `DELETE FROM consentement ${where}`,
    ];
    for (const sql of [...forbidden, 'TRUNCATE consentement']) expect(await as(APP_ROLE, sql)).toBe('42501');
    expect(await as(APP_ROLE, `SELECT FROM consentement ${where}`)).toBe(1);
    const add = `INSERT INTO consentement (tenant_id, id_externe_employe, id_externe_objet, accepte, date_consentement, valeurs_champ)
      VALUES ('${tenant.tenantId}', 'E-1', 'INFO', true, now(), '[]')`;
    expect(await as(APP_ROLE, add)).toBe(1);
    // Negative control: it is the role that is refused, not the statement.
    for (const sql of forbidden) expect(await as(undefined, sql)).toBe(1);
    expect(await count()).toBe(1);
  });
});
