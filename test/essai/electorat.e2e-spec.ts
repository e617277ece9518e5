import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { listParts } from '../../libs/platform/src/limits/list-parts';
import { perFile } from '../setup/fixtures';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { TestApp } from '../setup/test-app';
import { TachesService } from '../../libs/sync/src';
import { DEFAUTS, NATURES_DEFAUT } from '../../libs/essai/src/domain/electorat.types';
import { KINDS, Partner } from '../sync/support';

const ELECTORAT = '/b2b/v2/essai/electorat';
const DEMANDE = { graine: 'essai', employes: 60, employeurs: 9, defauts: 24 };

/** SHA-256 of the export of `DEMANDE`, on any machine. */
const EMPREINTE = '0a76373e565b9213ce8bd9f62763e79e15fa57275aec0843dfceede13f900f9a';

const app = perFile(() => TestApp.start());
let partner: Partner;

beforeEach(async () => {
  partner = await Partner.start(app);
});

const query = (demande: object): string => new URLSearchParams(demande as Record<string, string>).toString();

const exported = async (demande: object): Promise<{ text: string; json: Record<string, never[]> }> => {
  const { status, text, json, headers } = await partner.send('GET', `${ELECTORAT}?${query(demande)}`);
  expect(status).toBe(200);
  expect(headers.get('mandat-empreinte')).toBe(createHash('sha256').update(text).digest('hex'));
  return { text, json };
};

/** Records of the data space without what the service gives them. */
async function stored(): Promise<unknown> {
  const lists = ['syndicat', 'employeur', 'employe', 'emploi', 'membership', 'syndicat_employeur'];
  const own = ['id_unique', 'tenant_id', 'date_creation', 'derniere_maj', 'json_lecture'];
  return Promise.all(
    lists.map(async (table) => {
      const { rows } = await app.database.query<{ row: unknown }>(
        `SELECT to_jsonb(t) - $2::text[] AS row FROM ${table} t WHERE tenant_id = $1 ORDER BY 1`,
        [partner.tenant.tenantId, own],
      );
      return rows.map(({ row }) => row);
    }),
  );
}

describe('GET /b2b/v2/essai/electorat', () => {
  it('same seed returns the same export, in any time zone of the process', async () => {
    const zones = ['UTC', 'Pacific/Kiritimati', 'America/St_Johns'];
    const before = process.env.TZ;
    const seen: [offset: number, empreinte: string][] = [];
    try {
      for (const zone of zones) {
        process.env.TZ = zone;
        const { text } = await exported(DEMANDE);
        seen.push([
          new Date(2026, 0, 1).getTimezoneOffset(),
          createHash('sha256').update(text).digest('hex'),
        ]);
      }
    } finally {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    }
    expect(seen.map(([, empreinte]) => empreinte)).toEqual(zones.map(() => EMPREINTE));
    // Control: the zones were in effect.
    expect(new Set(seen.map(([offset]) => offset)).size).toBe(zones.length);
  });

  it('another seed or number returns another export', async () => {
    const texts = await Promise.all(
      [
        DEMANDE,
        { ...DEMANDE, graine: 'autre' },
        { ...DEMANDE, employes: 61 },
        { ...DEMANDE, defauts: 23 },
      ].map(async (demande) => (await exported(demande)).text),
    );
    expect(new Set(texts).size).toBe(4);
  });

  it('one more employee changes no other', async () => {
    const plain = { graine: 'essai', employeurs: 9 };
    const [few, more] = [
      await exported({ ...plain, employes: 60 }),
      await exported({ ...plain, employes: 61 }),
    ];
    expect(more.json.Employes!.slice(0, 60)).toEqual(few.json.Employes);
  });
});

describe('electorates of one client', () => {
  it('are made in turn with its long lists, those of others meanwhile', async () => {
    const other = await Partner.start(app);
    let end = (): void => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    const turn = listParts.run(partner.tenant.clientId, () => held);
    let isDone = false;
    const own = partner.send('GET', `${ELECTORAT}?${query(DEMANDE)}`).finally(() => (isDone = true));
    expect((await other.send('GET', `${ELECTORAT}?${query(DEMANDE)}`)).status).toBe(200);
    expect((await other.send('POST', ELECTORAT, DEMANDE)).status).toBe(200);
    const written = partner.send('POST', ELECTORAT, DEMANDE).finally(() => (isDone = true));
    await sleep(500);
    expect(isDone).toBe(false);
    end();
    await turn;
    expect([(await own).status, (await written).status]).toEqual([200, 200]);
  });
});

describe('POST /b2b/v2/essai/electorat', () => {
  it('200 writes the export by the sync, and loses no record', async () => {
    const { json: sent } = await exported(DEMANDE);
    const { status, json, headers } = await partner.send('POST', ELECTORAT, DEMANDE);
    expect(status).toBe(200);
    expect(json.empreinte).toBe(EMPREINTE);
    expect(headers.get('mandat-empreinte')).toBe(EMPREINTE);
    expect(json.defauts).toEqual(NATURES_DEFAUT.map((nature) => ({ nature, nombre: 2 })));
    const { Employes, Emplois, Syndicats, Employeurs } = json.resultat;
    expect([Syndicats.AddCount, Employeurs.AddCount]).toEqual([2, 9]);
    // Every record is accepted or rejected; two employees are sent twice.
    expect(sent.Employes).toHaveLength(62);
    expect(Employes.AddCount + Employes.UpdateCount + Employes.Erreurs.length).toBe(62);
    const refused = Employes.Erreurs.length + Emplois.Erreurs.length;
    expect(refused).toBe(2 * Object.values(DEFAUTS).filter((sort) => sort === 'Refuse').length);
    expect(headers.get('mandat-effets')).toMatch(new RegExp(`refuses=${refused}$`));
  });

  it.each(NATURES_DEFAUT)('fault %s is answered as the sync answers a real export', async (nature) => {
    const place = NATURES_DEFAUT.indexOf(nature);
    const demande = { graine: 'defauts', employes: 12, employeurs: 3, defauts: place + 1 };
    const errorsOf = async (defauts: number): Promise<object[]> => {
      const { json } = await (await Partner.start(app)).send('POST', ELECTORAT, { ...demande, defauts });
      return KINDS.flatMap((kind) => json.resultat[kind].Erreurs);
    };
    const [without, withFault] = [await errorsOf(place), await errorsOf(place + 1)];
    const added = withFault.filter(
      (error) => !without.some((one) => JSON.stringify(one) === JSON.stringify(error)),
    );
    expect(added).toHaveLength(DEFAUTS[nature] === 'Refuse' ? 1 : 0);
  });

  it('same seed writes the same records into another data space', async () => {
    await partner.send('POST', ELECTORAT, DEMANDE);
    const first = await stored();
    partner = await Partner.start(app);
    await partner.send('POST', ELECTORAT, DEMANDE);
    expect(await stored()).toEqual(first);
    // Control: another seed writes others.
    partner = await Partner.start(app);
    await partner.send('POST', ELECTORAT, { ...DEMANDE, graine: 'autre' });
    expect(await stored()).not.toEqual(first);
  });

  it('a second request changes nothing', async () => {
    await partner.send('POST', ELECTORAT, DEMANDE);
    const { headers } = await partner.send('POST', ELECTORAT, DEMANDE);
    expect(headers.get('mandat-effets')).toMatch(/^crees=0, modifies=0, inchanges=/);
  });

  it('202 with Prefer: respond-async; the task does the same sync', async () => {
    const { status, json, headers } = await partner.send('POST', ELECTORAT, DEMANDE, {
      Prefer: 'respond-async',
    });
    expect(status).toBe(202);
    expect(headers.get('mandat-empreinte')).toBe(EMPREINTE);
    await app.app.get(TachesService).performAllDue();
    const task = await partner.get(`/b2b/v2/tache/${json.id}`);
    expect(task).toMatchObject({ type: 'sync', etat: 'Reussie' });
    expect(task.resultat.Employes.AddCount).toBeGreaterThan(50);
  });

  it('400 beyond the bounds, with the property', async () => {
    const refused = async (change: object, faults: string): Promise<void> =>
      expectFaults(await partner.send('POST', ELECTORAT, { ...DEMANDE, ...change }), faults);
    await refused({ employes: 50_001 }, '/employes range');
    await refused({ employes: 0 }, '/employes range');
    await refused({ employeurs: 1_001 }, '/employeurs range');
    await refused({ defauts: 61 }, '/defauts range');
    await refused({ defauts: 5_001, employes: 50_000 }, '/defauts range');
    await refused({ graine: '' }, '/graine required');
  });

  it('403 in production, and without the module', async () => {
    const production = new Partner(app, await app.tenant({ environnement: 'production' }));
    for (const [method, path, body] of [
      ['POST', ELECTORAT, DEMANDE],
      ['GET', `${ELECTORAT}?${query(DEMANDE)}`, undefined],
    ] as const)
      expectProblem(await production.send(method, path, body), 403, 'Essai.EnvironnementRequis');
    const { rows } = await app.database.query('SELECT FROM employe WHERE tenant_id = $1', [
      production.tenant.tenantId,
    ]);
    expect(rows).toHaveLength(0);
    const other = new Partner(app, await app.tenant({ modules: ['carteMembre'] }));
    expectProblem(await other.send('POST', ELECTORAT, DEMANDE), 403, 'Module.NonActif');
  });

  it('other data spaces stay as they are', async () => {
    await partner.send('POST', ELECTORAT, DEMANDE);
    const before = await stored();
    const other = await Partner.start(app);
    await other.send('POST', ELECTORAT, { ...DEMANDE, graine: 'autre' });
    expect(await stored()).toEqual(before);
  });
});
