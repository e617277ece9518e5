import { expectFaults, expectProblem } from '../http/expect-problem';
import { syncedV1, times } from '../membership/synced';
import { depth, SEED } from '../setup/depth';
import { seeded } from '../setup/seeded';
import type { Answer } from '../setup/test-app';
import { awayFromMidnight, employee, job, type Loose, membership } from '../sync/support';
import { nodesOf, planOf, statementsOf } from '../membership/plans';
import { setTimeout as wait } from 'node:timers/promises';
import { comparisons } from '../../libs/platform/src/limits/list-parts';
import { EcartsRepository } from '../../libs/voting/src/roll/persistence/ecarts.repository';
import {
  asVoter,
  type Criteria,
  type Person,
  wire,
  EMPLOYERS,
  UNIONS,
  UNIONS_OF_EMPLOYERS,
} from './support/electorate';
import { deleteEmployee, size, versions, voters } from './support/roll';
import {
  app,
  campaigns,
  elsewhere,
  expectRefused,
  newSpace,
  spaceOfEachTest,
  unchanged,
} from './support/scene';
import { ballot, Votes } from './support/votes';
import { synced } from '../membership/synced';

const NATURES = ['AAjouter', 'ARetirer', 'AModifier'];

interface Ecart {
  nature: string;
  votantId: string | null;
  employeIdExterne: string;
  champs: { champ: string; avant: unknown; apres: unknown }[];
}

let id: string;

spaceOfEachTest({
  sync: UNIONS_OF_EMPLOYERS,
  withReplica: true,
});
beforeEach(async () => {
  id = await campaigns.draft();
});

const path = (rest = '', campaign = id): string => `/${campaign}/liste-electorale${rest}`;
const sync = (...Employes: Loose[]): Promise<Answer> => synced(app, campaigns.tenant, { Employes });
/** A member of SYN-1. */
const member = (name: string, more: Loose = {}): Loose =>
  employee(name, { Adhesions: [membership('SYN-1')], ...more });
const listed = (criteria: object, campaign = id): Promise<Answer> =>
  campaigns.sent('POST', path('', campaign), criteria);
const compared = async (query = '', campaign = id): Promise<{ empreinte: string; ecarts: Ecart[] }> =>
  (await campaigns.sent('GET', path(`/ecarts${query}`, campaign))).json;
const apply = (empreinte: string, natures: readonly string[] = NATURES, by = campaigns): Promise<Answer> =>
  by.send('POST', path('/ecarts/appliquer'), { empreinte, natures });
/** The differences as text: nature, employee, and the properties that differ. */
const summary = (ecarts: readonly Ecart[]): string[] =>
  ecarts.map((one) => [one.nature, one.employeIdExterne, ...one.champs.map(({ champ }) => champ)].join(' '));
/** Applies all differences that there are now, and asserts that none is left. */
async function applied(): Promise<object> {
  const { status, json } = await apply((await compared()).empreinte);
  expect({ status, json }).toMatchObject({ status: 200 });
  expect((await compared()).ecarts).toEqual([]);
  await size(id);
  return json;
}

describe('the differences', () => {
  it('list each kind, with the values on the roll and those of the master data', async () => {
    const past = '2025-01-01';
    await sync(member('RESTE'), member('CHANGE', { Courriel: 'vieux@example.org' }), member('PART'));
    await listed({ SyndicatsIdExternes: ['SYN-1'], Poids: '2.5' });
    expect((await compared()).ecarts).toEqual([]);
    await sync(
      employee('CHANGE', { Nom: 'Roy', Courriel: null }),
      member('PART', { Adhesions: [membership('SYN-1', '2021-05-01', past)] }),
      member('ARRIVE', { Emplois: [job('J', 'EMP-1')] }),
    );
    const roll = await voters(id);
    const of = (name: string) => roll.find((one) => one.EmployeIdExterne === name)!;
    const [change, part] = [of('CHANGE'), of('PART')];
    const { empreinte, ecarts } = await compared();
    const value = (champ: string, avant: unknown, apres: unknown) => ({ champ, avant, apres });
    expect(ecarts).toEqual([
      {
        ...{ nature: 'AModifier', votantId: change.VotantId, employeIdExterne: 'CHANGE' },
        champs: [value('Nom', "L'Écuyer", 'Roy'), value('Courriel', 'vieux@example.org', null)],
      },
      {
        ...{ nature: 'ARetirer', votantId: part.VotantId, employeIdExterne: 'PART' },
        champs: [
          ...[value('Prenom', 'Zoé', null), value('Nom', "L'Écuyer", null)],
          ...[value('SyndicatIdExterne', 'SYN-1', null), value('Poids', 2.5, null)],
        ],
      },
      {
        ...{ nature: 'AAjouter', votantId: null, employeIdExterne: 'ARRIVE' },
        champs: [
          ...[value('Prenom', null, 'Zoé'), value('Nom', null, "L'Écuyer")],
          ...[value('SyndicatIdExterne', null, 'SYN-1'), value('EmployeurIdentifiantExterne', null, 'EMP-1')],
          value('Poids', null, 2.5),
        ],
      },
    ]);
    expect(empreinte).toMatch(/^[0-9a-f]{64}$/);
    for (const nature of NATURES) {
      // The digest is that of all kinds.
      const filtered = ecarts.filter((one) => one.nature === nature);
      expect(await compared(`?nature=${nature}`)).toEqual({ empreinte, ecarts: filtered });
    }
    const made = await apply(empreinte);
    expect(made.json).toEqual({ nombreAjoutes: 1, nombreRetires: 1, nombreModifies: 1 });
    const after = (await voters(id)).map((one) => [one.EmployeIdExterne, one.Nom, one.Courriel, one.Poids]);
    expect(after.sort()).toEqual([
      ...[
        ['ARRIVE', "L'Écuyer", null, 2.5],
        ['CHANGE', 'Roy', null, 2.5],
      ],
      ['RESTE', "L'Écuyer", null, 2.5],
    ]);
    expect((await compared()).ecarts).toEqual([]);
    const journal = `/admin/v1/clients/${campaigns.tenant.clientId}/journal?objetId=${id}`;
    const entries = (await app.send(app.adminKey, 'GET', journal)).json as {
      action: string;
      changements: Loose[];
    }[];
    const { changements } = entries.find(({ action }) => action === 'listeElectorale.appliquer')!;
    // Ids and names of fields, without values.
    expect(changements).toMatchObject([
      { type: 'ajout', nombre: 1 },
      { type: 'modification', ids: [change.VotantId], champs: ['Nom', 'Courriel'] },
      { type: 'retrait', ids: [part.VotantId] },
    ]);
    expect(JSON.stringify(changements)).not.toMatch(/vieux|Roy/);
  });

  it('the day is the given one of a list with ActifsLe, else the current day', async () => {
    await awayFromMidnight();
    await sync(member('E-1'));
    const fixed = await campaigns.draft();
    await listed({ SyndicatsIdExternes: ['SYN-1'], ActifsLe: '2026-01-10' }, fixed);
    await listed({ SyndicatsIdExternes: ['SYN-1'] });
    await sync(employee('E-1', { Adhesions: [membership('SYN-1', '2021-05-01', '2026-02-01')] }));
    expect(summary((await compared('', fixed)).ecarts)).toEqual([]);
    expect(summary((await compared()).ecarts)).toEqual(['ARetirer E-1 Prenom Nom SyndicatIdExterne Poids']);
  });

  it('a voter belongs to the list that added it while it meets its criteria, else to the oldest list that it meets', async () => {
    await sync(member('E-1', { Emplois: [job('J', 'EMP-1')] }));
    await listed({ EmployeursIdentifiantsExternes: ['EMP-1'], Poids: 2 });
    await listed({ SyndicatsIdExternes: ['SYN-1'], Poids: 3 });
    expect((await compared()).ecarts).toEqual([]);
    const ended = job('J', 'EMP-1', { DateDebut: '2020-01-01', DateFin: '2021-01-01' });
    await sync(employee('E-1', { Emplois: [ended] }));
    expect(summary((await compared()).ecarts)).toEqual(['AModifier E-1 EmployeurIdentifiantExterne Poids']);
    await applied();
    // The voter belongs to the second list now, although the first would have it again.
    await sync(employee('E-1', { Emplois: [job('J', 'EMP-1')] }));
    expect(summary((await compared()).ecarts)).toEqual(['AModifier E-1 EmployeurIdentifiantExterne']);
    await applied();
    expect((await voters(id))[0]).toMatchObject({ Poids: 3, EmployeurIdentifiantExterne: 'EMP-1' });
  });

  it('voters added or changed manually stay as they are; an upsert without changes leaves the voter to its list', async () => {
    await sync(...['MAIN', 'CORRIGE', 'RENVOYE', 'SANS-DROIT'].map((name) => member(name)));
    await campaigns.votant(id, { EmployeIdExterne: 'MAIN' });
    await campaigns.votant(id, { Prenom: 'Léa', Nom: 'Roy' });
    await listed({ SyndicatsIdExternes: ['SYN-1'] });
    const roll = await voters(id);
    const named = (name: string) => roll.find((one) => one.EmployeIdExterne === name)!;
    await campaigns.sent('POST', `/${id}/votants/upsert`, { ...named('CORRIGE'), Courriel: 'z@example.org' });
    await campaigns.sent('POST', `/${id}/votants/upsert`, [named('RENVOYE')]);
    const rights = { VotantIds: [named('SANS-DROIT').VotantId], ADroitDeVote: false };
    await campaigns.sent('PUT', `/${id}/votants/droit-de-vote`, rights);
    const gone = { Nom: 'Autre', Adhesions: [membership('SYN-1', '2021-05-01', '2025-01-01')] };
    await sync(...['MAIN', 'CORRIGE', 'RENVOYE', 'SANS-DROIT'].map((name) => employee(name, gone)));
    const ecarts = summary((await compared()).ecarts);
    expect(ecarts.map((one) => one.split(' ').slice(0, 2).join(' '))).toEqual([
      ...['ARetirer RENVOYE', 'ARetirer SANS-DROIT'],
    ]);
    expect(await applied()).toEqual({ nombreAjoutes: 0, nombreRetires: 2, nombreModifies: 0 });
    expect(await size(id)).toBe(3);
  });

  it('an employee whose voter was deleted stays out for lists of before; a later list, or an upsert, brings it back', async () => {
    await sync(member('E-1'), member('E-2'));
    await listed({ SyndicatsIdExternes: ['SYN-1'] });
    const of = async (name: string): Promise<string | undefined> =>
      (await voters(id)).find(({ EmployeIdExterne }) => EmployeIdExterne === name)?.VotantId;
    const expected = async (campaign = id): Promise<string[]> =>
      (await compared('', campaign)).ecarts.map((one) => `${one.nature} ${one.employeIdExterne}`);
    const remove = async (name: string): Promise<void> => {
      expect((await campaigns.sent('DELETE', `/${id}/votants/${await of(name)}`)).status).toBe(204);
    };
    await remove('E-1');
    expect(await expected()).toEqual([]);
    // The decision does not hold in another campaign.
    const other = await campaigns.draft();
    await listed({ SyndicatsIdExternes: ['SYN-1'] }, other);
    await campaigns.rows('DELETE FROM votant WHERE tenant_id = $1 AND campagne_id = $2', other);
    expect(await expected(other)).toEqual(['AAjouter E-1', 'AAjouter E-2']);
    // Changes of the master data do not bring the employee back, and other differences are applied.
    await sync(member('E-1', { Nom: 'Autre' }), member('E-3'));
    expect(await expected()).toEqual(['AAjouter E-3']);
    expect(await applied()).toEqual({ nombreAjoutes: 1, nombreRetires: 0, nombreModifies: 0 });
    // A voter that an upsert added stays out after its deletion.
    await campaigns.votant(id, { EmployeIdExterne: 'E-1', Prenom: 'Zoé', Nom: 'Roy' });
    expect(await expected()).toEqual([]);
    await remove('E-1');
    expect(await expected()).toEqual([]);
    // A list of after expects the employee, also one with the same criteria.
    const list = await listed({ SyndicatsIdExternes: ['SYN-1'] });
    expect(list.json).toMatchObject({ NombreAjoutes: 1 });
    await sync(employee('E-1', { Adhesions: [membership('SYN-1', '2020-01-01', '2025-01-01')] }));
    expect(await expected()).toEqual(['ARetirer E-1']);
    expect(await applied()).toMatchObject({ nombreRetires: 1 });
    await sync(member('E-1'));
    expect(await expected()).toEqual(['AAjouter E-1']);
    // A deleted employee takes the decision along.
    expect(await applied()).toMatchObject({ nombreAjoutes: 1 });
    await remove('E-2');
    expect((await deleteEmployee('E-2')).status).toBe(204);
    await sync(member('E-2'));
    expect(await expected()).toEqual(['AAjouter E-2']);
  });

  it('a roll without lists has none; a deleted employee is in none', async () => {
    await campaigns.votant(id);
    expect((await campaigns.sent('GET', path('/ecarts'))).text).toMatch(
      /^\{"empreinte":"[0-9a-f]{64}","ecarts":\[\]\}$/,
    );
    await sync(member('E-1'), member('E-2'));
    await listed({ SyndicatsIdExternes: ['SYN-1'] });
    expect((await deleteEmployee('E-1')).status).toBe(204);
    expect((await compared()).ecarts).toEqual([]);
    expect(await size(id)).toBe(2);
  });

  it('many are streamed in parts, each difference once, with the digest of all', async () => {
    const count = 13_000;
    await syncedV1(app, campaigns.tenant, {
      employes: times(count, (n) => ({
        ...{ idExterne: `V1-${n}`, prenom: 'Zoé', nom: 'Ó'.repeat(120), courriel: `v-${n}@example.org` },
        identifiantExterneEmployeur: 'EMP-1',
      })),
    });
    await sync(employee('SEULE', { Emplois: [job('J', 'EMP-1')] }));
    await listed({ EmployeursIdentifiantsExternes: ['EMP-1'], EmployesIdExternes: ['SEULE'] });
    await listed({ EmployeursIdentifiantsExternes: ['EMP-1'], EmployesIdExternes: ['V1-7'] });
    const other = await campaigns.draft();
    await listed({ EmployeursIdentifiantsExternes: ['EMP-1'] }, other);
    await campaigns.rows('DELETE FROM votant WHERE tenant_id = $1 AND campagne_id = $2', other);
    const answer = await campaigns.sent('GET', path('/ecarts', other));
    // Several parts have no Content-Length.
    expect([answer.text.length > 4_500_000, answer.headers.get('content-length')]).toEqual([true, null]);
    const { ecarts } = answer.json as { ecarts: Ecart[] };
    expect(new Set(ecarts.map((one) => one.employeIdExterne)).size).toBe(count + 1);
    expect(ecarts).toHaveLength(count + 1);
    expect(answer.json.empreinte).toBe((await compared('?nature=ARetirer', other)).empreinte);
    expect((await compared()).ecarts).toEqual([]);
  }, 120_000);
});

describe('many criteria', () => {
  const COUNT = depth(5_000, 25_000);
  const LISTS = COUNT / 25;
  const names = times(COUNT, (n) => `V1-${n}`);
  beforeEach(async () => {
    await syncedV1(app, campaigns.tenant, {
      employes: names.map((idExterne) => ({
        ...{ idExterne, prenom: 'Zoé', nom: 'Roy', identifiantExterneEmployeur: 'EMP-1' },
      })),
    });
  });
  /** Lists that a partner made before, in the order of their criteria. */
  const notes = (criteria: readonly string[][]) =>
    campaigns.rows(
      `INSERT INTO liste_electorale (tenant_id, campagne_id, employes, actifs_le, poids, nombre_ajoutes, nombre_deja_presents, date_creation)
       SELECT $1, $2, string_to_array(noms, ' '), now(), 1, 0, 0, now() + n * interval '1 millisecond'
       FROM unnest($3::text[]) WITH ORDINALITY AS l (noms, n)`,
      id,
      criteria.map((one) => one.join(' ')),
    );

  it('many names in each of several lists, at most 25,000, are compared and applied within the statement timeout', async () => {
    await listed({ EmployesIdExternes: names });
    await notes(times(4, (n) => names.filter((_, place) => place % 5 !== n)));
    expect((await compared()).ecarts).toEqual([]);
    await sync(employee('V1-7', { Nom: 'Gagnon', Emplois: [job('J', 'EMP-1')] }));
    expect(summary((await compared()).ecarts)).toEqual(['AModifier V1-7 Nom']);
    expect(await applied()).toEqual({ nombreAjoutes: 0, nombreRetires: 0, nombreModifies: 1 });
  }, 240_000);

  it('many lists with a few names each, at most 1,000, are compared within the statement timeout', async () => {
    await notes(times(LISTS, (n) => names.slice(20 * n, 20 * (n + 1))));
    const { ecarts } = await compared();
    expect(new Set(ecarts.map((one) => one.employeIdExterne))).toEqual(new Set(names.slice(0, 20 * LISTS)));
  }, 240_000);

  it('lists with the same identifiers in another order, or twice, are one criterion', async () => {
    await notes([names.slice(0, 3), names.slice(0, 3).reverse(), [...names.slice(0, 3), names[1]!]]);
    const sent = await statementsOf(() => compared());
    const statement = sent.find(({ text }) => text.includes('AModifier'))!;
    const plan = await planOf(app, campaigns.tenant.tenantId, statement, 1);
    const criteria = nodesOf(plan).find((node) => node['Subplan Name'] === 'CTE critere')!;
    expect(criteria['Actual Rows']).toBe(1);
  }, 240_000);
});

describe('lists that name many employees together', () => {
  const pairs = (count: number) => jest.spyOn(EcartsRepository.prototype, 'pairs').mockResolvedValue(count);
  afterEach(() => jest.restoreAllMocks());

  it('are compared in ranges of employees, with the same differences and digest, and applied', async () => {
    await sync(...times(40, (n) => member(`E-${n}`)));
    await listed({ SyndicatsIdExternes: ['SYN-1'], ActifsLe: '2026-01-10' });
    await listed({ SyndicatsIdExternes: ['SYN-1'], ActifsLe: '2026-01-11', Poids: 2 });
    const gone = { Adhesions: [membership('SYN-1', '2021-05-01', '2026-01-01')] };
    await sync(
      ...times(20, (n) => employee(`E-${2 * n}`, n % 3 ? { Nom: `Roy ${n}` } : gone)),
      member('E-99'),
    );
    const whole = await compared();
    expect(whole.ecarts.length).toBeGreaterThan(20);
    pairs(3_000_000);
    const sent = await statementsOf(async () => expect(await compared()).toEqual(whole));
    const ranges = sent.filter(({ text }) => text.includes('AModifier'));
    expect(ranges).toHaveLength(7);
    const { empreinte, ecarts } = await compared('?nature=AModifier');
    expect({ empreinte, ecarts }).toEqual({
      empreinte: whole.empreinte,
      ecarts: whole.ecarts.filter(({ nature }) => nature === 'AModifier'),
    });
    await applied();
    jest.restoreAllMocks();
    expect((await compared()).ecarts).toEqual([]);
  });

  it('many differences are streamed over the ranges, each once', async () => {
    const count = 9_000;
    await syncedV1(app, campaigns.tenant, {
      employes: times(count, (n) => ({
        ...{
          idExterne: `V1-${n}`,
          prenom: 'Zoé',
          nom: 'Ó'.repeat(250),
          identifiantExterneEmployeur: 'EMP-1',
        },
      })),
    });
    await listed({ EmployeursIdentifiantsExternes: ['EMP-1'] });
    await campaigns.rows('DELETE FROM votant WHERE tenant_id = $1 AND campagne_id = $2', id);
    const whole = await compared();
    pairs(1_600_000);
    expect(await compared()).toEqual(whole);
    expect(whole.ecarts).toHaveLength(count);
  }, 120_000);

  it('400 for a list beyond what can be compared, and nothing is written', async () => {
    await sync(member('E-1'));
    pairs(4_000_001);
    const create = () => campaigns.send('POST', path(), { SyndicatsIdExternes: ['SYN-1'] });
    await expectRefused(create, 400, 'Requete.Invalide');
    expect((await create()).json.errors[0].detail).toMatch(/^would make the lists of the campaign too many/);
  });
});

describe('applying', () => {
  beforeEach(async () => {
    await sync(...times(4, (n) => member(`E-${n}`)));
    await listed({ SyndicatsIdExternes: ['SYN-1'] });
    await sync(...times(4, (n) => employee(`E-${n}`, { Nom: `Roy ${n}` })), member('E-9'));
  });

  it('only the kinds that are named', async () => {
    const { empreinte } = await compared();
    const { json } = await apply(empreinte, ['AAjouter']);
    expect(json).toEqual({ nombreAjoutes: 1, nombreRetires: 0, nombreModifies: 0 });
    expect(summary((await compared()).ecarts)).toEqual(times(4, (n) => `AModifier E-${n} Nom`));
    expect(await applied()).toEqual({ nombreAjoutes: 0, nombreRetires: 0, nombreModifies: 4 });
  });

  it.each<[string, () => Promise<unknown>]>([
    ['an employee', () => sync(employee('E-1', { Nom: 'Gagnon' }))],
    ['the roll', () => campaigns.votant(id, { EmployeIdExterne: 'E-9' })],
    ['a list', () => listed({ EmployesIdExternes: ['E-9'] })],
  ])(
    '409 ListeElectorale.EcartsPerimes after a change of %s, and nothing is written',
    async (_what, change) => {
      const { empreinte } = await compared();
      await change();
      await expectRefused(() => apply(empreinte), 409, 'ListeElectorale.EcartsPerimes');
      await applied();
    },
  );

  it('an unrelated change since the comparison: 200', async () => {
    const { empreinte } = await compared();
    await campaigns.votant(id);
    await sync(employee('AUTRE'));
    expect((await apply(empreinte)).status).toBe(200);
  });

  it('two at once: one applies, the other is outdated', async () => {
    const { empreinte } = await compared();
    const answers = await Promise.all([apply(empreinte), apply(empreinte, NATURES, elsewhere)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await size(id)).toBe(5);
  });

  it('400 for a body that names no kind, an unknown one, or no digest', async () => {
    const send = (body: object): Promise<Answer> => campaigns.send('POST', path('/ecarts/appliquer'), body);
    const empreinte = 'a'.repeat(64);
    expectFaults(await send({ empreinte, natures: [] }), '/natures required');
    expectFaults(await send({ empreinte }), '/natures required');
    expectFaults(await send({ natures: NATURES }), '/empreinte required');
    expectFaults(await send({ empreinte, natures: ['Tout'] }), '/natures choice');
    expectFaults(await campaigns.send('GET', path('/ecarts?nature=Tout')), '?nature choice');
    await expectRefused(() => apply('a'.repeat(64)), 409, 'ListeElectorale.EcartsPerimes');
  });

  it('404 for a foreign campaign; 409 after the end of a campaign, whose differences can still be read', async () => {
    const theirs = await newSpace();
    expectProblem(await theirs.send('GET', path('/ecarts')), 404, 'Campagne.NotFound');
    expectProblem(await apply('a'.repeat(64), NATURES, theirs), 404, 'Campagne.NotFound');
    await campaigns.question(id);
    for (const step of ['publier', 'ouvrir', 'fermer']) await campaigns.sent('POST', `/${id}/${step}`);
    const { empreinte, ecarts } = await compared();
    expect(ecarts).toHaveLength(5);
    await expectRefused(() => apply(empreinte), 409, 'Campagne.ModificationNonPermise');
  });

  it('409 Votant.PoidsIdentifiants if a weight would single voters out, and nothing is written', async () => {
    await campaigns.setFlags({ seuilAnonymat: 3 });
    const guarded = await campaigns.draft();
    await campaigns.question(guarded);
    await listed({ SyndicatsIdExternes: ['SYN-1'] }, guarded);
    await campaigns.sent('POST', `/${guarded}/publier`);
    await listed({ SyndicatsIdExternes: ['SYN-2'], Poids: 2 }, guarded);
    await sync(employee('E-10', { Adhesions: [membership('SYN-2')] }));
    id = guarded;
    const { empreinte } = await compared();
    await expectRefused(() => apply(empreinte), 409, 'Votant.PoidsIdentifiants');
  });

  it('one application for one Idempotency-Key', async () => {
    const { empreinte } = await compared();
    const send = () =>
      campaigns.send(
        'POST',
        path('/ecarts/appliquer'),
        { empreinte, natures: NATURES },
        { 'Idempotency-Key': 'e-1' },
      );
    const [first, second] = [await send(), await send()];
    expect([first.status, second.text]).toEqual([200, first.text]);
  });

  it.each([
    ['appliquer', '/ecarts/appliquer'],
    ['the making of a list', ''],
  ])('%s waits for other comparisons without a transaction', async (_what, rest) => {
    await sync(member('RESTE'));
    await listed({ SyndicatsIdExternes: ['SYN-1'] });
    const { empreinte } = await compared();
    const body = rest ? { empreinte, natures: NATURES } : { SyndicatsIdExternes: ['SYN-1'] };
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const others = ['a', 'b'].map((other) => comparisons.run(other, () => ended));
    const key = { 'idempotency-key': 'attend' };
    const waiting = campaigns.send('POST', path(rest), body, key);
    let answered = false;
    void waiting.then(() => (answered = true));
    try {
      for (let look = 0; look < 10; look++) {
        await wait(50);
        const { rows } = await app.database.query(
          `SELECT query FROM pg_stat_activity
           WHERE datname = current_database() AND state = 'idle in transaction' AND pid <> pg_backend_pid()`,
        );
        expect(rows).toEqual([]);
      }
      expect(answered).toBe(false);
    } finally {
      end();
      await Promise.all(others);
    }
    expect((await waiting).status).toBe(rest ? 200 : 201);
  });
});

describe('voters who vote', () => {
  it('are in no difference, and a vote does not outdate the digest', async () => {
    await sync(...times(3, (n) => member(`E-${n}`)));
    await listed({ SyndicatsIdExternes: ['SYN-1'] });
    await campaigns.question(id);
    for (const step of ['publier', 'ouvrir']) await campaigns.sent('POST', `/${id}/${step}`);
    const [first, second] = await voters(id);
    await campaigns.markVoted(id, first.VotantId);
    const gone = { Adhesions: [membership('SYN-1', '2021-05-01', '2025-01-01')] };
    await sync(...times(3, (n) => employee(`E-${n}`, gone)));
    const { empreinte, ecarts } = await compared();
    expect(ecarts.map((one) => one.employeIdExterne)).toEqual(['E-1', 'E-2']);
    await campaigns.markVoted(id, second.VotantId);
    expect((await apply(empreinte)).json).toEqual({ nombreAjoutes: 0, nombreRetires: 1, nombreModifies: 0 });
    expect((await voters(id)).map((one) => one.AVote)).toEqual([true, true]);
  });

  it('at the same time keep their places and their ballots', async () => {
    const count = 8;
    const votes = await Votes.of(app, campaigns);
    let late = 0;
    for (let round = 0; round < depth(4, 50); round++) {
      const name = (n: number): string => `R${round}-${n}`;
      await sync(...times(count, (n) => member(name(n))));
      id = await campaigns.draft();
      await campaigns.question(id);
      await listed({ EmployesIdExternes: times(count, name) });
      for (const step of ['publier', 'ouvrir']) await campaigns.sent('POST', `/${id}/${step}`);
      const roll = await voters(id);
      const [question] = (await campaigns.sent('GET', `/${id}/questions`)).json;
      // Half of them leave, the others get another name.
      const past = { DateDebut: '2020-01-01', DateFin: '2021-01-01' };
      const left = {
        Adhesions: [membership('SYN-1', '2021-05-01', '2025-01-01')],
        Emplois: [job('J', 'EMP-1', past)],
      };
      await sync(...times(count, (n) => employee(name(n), n % 2 ? left : { Nom: 'Gagnon' })));
      const { empreinte, ecarts } = await compared();
      expect(ecarts).toHaveLength(count);
      const vote = { id, question, voters: roll.map((one) => one.VotantId as string) };
      // One of those who leave votes before the change, one after it, and the others at about the same time.
      const early = await votes.cast(id, ballot(vote, 1));
      const change = apply(empreinte);
      const cast = await Promise.all(
        times(count, async (n) => {
          if (n === 1) return early;
          await (n === count - 1 ? change : wait(n * 6));
          return votes.cast(id, ballot(vote, n));
        }),
      );
      const outcome = await change;
      expect(outcome.status).toBe(200);
      const statuses = cast.map(({ status }) => status);
      const after = await voters(id);
      const kept = new Map(after.map((one) => [one.VotantId as string, one]));
      for (const [n, status] of statuses.entries()) {
        // Voters on the roll have voted: 201. Removed voters were rejected: 404.
        const voter = kept.get(vote.voters[n]!);
        expect({ n, status, aVote: voter?.AVote ?? 'gone' }).toEqual(
          voter ? { n, status: 201, aVote: true } : { n, status: 404, aVote: 'gone' },
        );
      }
      expect(await votes.box(id)).toHaveLength(after.length);
      expect((await compared()).ecarts).toEqual([]);
      await size(id);
      late += statuses.filter((status, n) => n % 2 === 1 && status === 404).length;
    }
    // Both orders must have happened.
    expect(late).toBeGreaterThan(0);
    expect(late).toBeLessThan((depth(4, 50) * count) / 2);
  }, 300_000);
});

describe('random worlds', () => {
  const chance = seeded(SEED);
  const random = (below: number): number => Math.floor(chance() * below);
  const pick = <T>(from: readonly T[]): T => from[random(from.length)]!;
  const some = <T>(from: readonly T[]): T[] => from.filter(() => random(2) === 0);
  const MOMENTS = [
    '2020-01-01',
    '2025-03-04T12:00:00Z',
    '2026-05-10',
    '2026-05-10T20:00:00Z',
    '2099-01-01',
  ].map((day) => Date.parse(day));

  /** An employment or membership that has ended before any day. */
  const ENDED = { employer: 'EMP-1', from: Date.parse('2000-01-01'), to: Date.parse('2000-01-02') };

  interface Somebody extends Person {
    readonly Nom: string;
    readonly Courriel: string | null;
  }
  /** A voter of the reference: its list, by its place, and what it has. */
  interface Voter {
    list: number | undefined;
    values: readonly unknown[];
    voted?: boolean;
  }

  function somebody(): Somebody {
    const moments = [...MOMENTS].sort(() => random(3) - 1);
    const end = (from: number): number =>
      pick([Infinity, Infinity, Infinity, Infinity, ...MOMENTS.filter((to) => to > from)]);
    const unions = some(UNIONS).map((name) => {
      const from = moments.pop()!;
      return [name, { from, to: end(from) }] as const;
    });
    const begins = [...MOMENTS].sort(() => random(3) - 1).slice(0, random(3));
    return {
      ...{ Nom: pick(['Roy', 'Côté', 'Nguyễn']), Courriel: pick([null, 'a@example.org', 'b@example.org']) },
      unions: Object.fromEntries(unions),
      jobs: times(3, (n) => {
        const from = begins[n];
        return from === undefined ? ENDED : { employer: pick(EMPLOYERS), from, to: end(from) };
      }),
    };
  }

  /** Writes employees as they are: memberships and employments that are gone end before any day. */
  function synchronise(people: Record<string, Somebody>): Promise<Answer> {
    return sync(
      ...Object.entries(people).map(([name, { Nom, Courriel, unions, jobs }]) =>
        employee(name, {
          ...{ Nom, Courriel },
          Adhesions: UNIONS.map((one) => {
            const span = unions[one] ?? ENDED;
            return membership(one, wire(span.from), wire(span.to));
          }),
          Emplois: jobs.map((held, n) =>
            job(`J-${n}`, held.employer, { DateDebut: wire(held.from), DateFin: wire(held.to) }),
          ),
        }),
      ),
    );
  }

  it('equal a naive comparison, and are none after they were applied', async () => {
    await awayFromMidnight();
    const seen = new Map(NATURES.map((nature) => [nature, 0]));
    for (let world = 0; world < depth(8, 500); world++) {
      // The last two are new to each world.
      const names = times(10, (n) => `M-${n}`);
      for (const name of names.slice(8)) await deleteEmployee(name);
      const people = Object.fromEntries(names.slice(0, 8).map((name) => [name, somebody()]));
      await synchronise(people);
      id = await campaigns.draft();
      const lists: { criteria: Criteria; poids: number }[] = [];
      const roll = new Map<string, Voter>();
      const given = (name: string, { criteria, poids }: (typeof lists)[number]): unknown[] | undefined => {
        const person = people[name];
        const found = person && asVoter(name, person, criteria);
        return found && ['Zoé', person.Nom, person.Courriel, ...found, poids];
      };
      const byHand = async (name: string): Promise<void> => {
        const { Nom, Courriel } = people[name]!;
        await campaigns.votant(id, { EmployeIdExterne: name });
        roll.set(name, { list: undefined, values: ['Zoé', Nom, Courriel, null, null, 1] });
      };
      await byHand(names[0]!);
      for (let n = 0; n <= random(3); n++) {
        const SyndicatsIdExternes = random(2) ? some(UNIONS) : [];
        const EmployeursIdentifiantsExternes = random(2) ? some(EMPLOYERS) : [];
        const criteria: Criteria = {
          ...{ SyndicatsIdExternes, EmployeursIdentifiantsExternes },
          // At least one criterion. The others meet in all their combinations.
          EmployesIdExternes: random(2) ? some(Object.keys(people)) : [],
          ...(random(3) ? {} : { ActifsLe: '2026-05-10' }),
        };
        if (Object.values(criteria).every((one) => !Array.isArray(one) || one.length === 0))
          criteria.SyndicatsIdExternes = ['SYN-1'];
        // The same criteria again, with another weight.
        const list = {
          criteria: lists.length && random(4) === 0 ? lists[0]!.criteria : criteria,
          poids: 1 + random(3),
        };
        const place = lists.push(list) - 1;
        await listed({ ...list.criteria, Poids: list.poids });
        for (const name of Object.keys(people)) {
          const values = given(name, list);
          if (values && !roll.has(name)) roll.set(name, { list: place, values });
        }
      }
      const before = await voters(id);
      const idOf = new Map(before.map((one) => [one.EmployeIdExterne as string, one.VotantId as string]));
      expect([...idOf.keys()].sort()).toEqual([...roll.keys()].sort());
      for (const [name, voter] of roll) {
        const VotantId = idOf.get(name)!;
        const fate = random(8);
        if (fate === 0) {
          voter.voted = true;
          await campaigns.markVoted(id, VotantId);
        } else if (fate === 1) {
          await campaigns.sent('POST', `/${id}/votants/upsert`, { VotantId, Courriel: 'main@example.org' });
          voter.list = undefined;
        }
      }
      const kept = (name: string): boolean => random(2) > 0 && name in people;
      for (const name of names) {
        if (kept(name)) continue;
        const next = somebody();
        // Names and addresses alone, or all.
        people[name] = random(2)
          ? next
          : { ...next, ...(people[name] && { unions: people[name].unions, jobs: people[name].jobs }) };
      }
      await synchronise(people);

      const expected = new Map<
        string,
        { nature: string; values: readonly unknown[] | undefined; list: number | undefined }
      >();
      for (const name of names) {
        const voter = roll.get(name);
        if (voter && (voter.list === undefined || voter.voted)) continue;
        const order = [...(voter ? [voter.list!] : []), ...lists.keys()];
        const list = order.find((place) => given(name, lists[place]!) !== undefined);
        const values = list === undefined ? undefined : given(name, lists[list]!)!;
        if (!voter && values) expected.set(name, { nature: 'AAjouter', values, list });
        if (voter && !values) expected.set(name, { nature: 'ARetirer', values, list });
        if (voter && values && JSON.stringify(values) !== JSON.stringify(voter.values))
          expected.set(name, { nature: 'AModifier', values, list });
      }
      const { empreinte, ecarts } = await compared();
      const CHAMPS = [
        'Prenom',
        'Nom',
        'Courriel',
        'SyndicatIdExterne',
        'EmployeurIdentifiantExterne',
        'Poids',
      ];
      const naive = names.flatMap((name) => {
        const one = expected.get(name);
        if (!one) return [];
        const champs = CHAMPS.map((champ, place) => ({
          ...{ champ, avant: roll.get(name)?.values[place] ?? null, apres: one.values?.[place] ?? null },
        })).filter(({ avant, apres }) => avant !== apres);
        return [{ nature: one.nature, votantId: idOf.get(name) ?? null, employeIdExterne: name, champs }];
      });
      expect({ world, lists, ecarts }).toEqual({ world, lists, ecarts: naive });
      for (const { nature } of ecarts) seen.set(nature, seen.get(nature)! + 1);

      const natures = random(3) ? NATURES : [pick(NATURES)];
      const { status, json } = await apply(empreinte, natures);
      const count = (nature: string): number =>
        natures.includes(nature) ? ecarts.filter((one) => one.nature === nature).length : 0;
      expect({ status, json }).toEqual({
        status: 200,
        json: {
          ...{ nombreAjoutes: count('AAjouter'), nombreRetires: count('ARetirer') },
          nombreModifies: count('AModifier'),
        },
      });
      expect(summary((await compared()).ecarts)).toEqual(
        summary(ecarts.filter(({ nature }) => !natures.includes(nature))),
      );
      const after = (await voters(id)).map((one) => one.EmployeIdExterne as string).sort();
      const wanted = names.filter((name) => {
        const one = expected.get(name);
        if (!one || !natures.includes(one.nature)) return roll.has(name);
        return one.nature !== 'ARetirer';
      });
      expect(after).toEqual(wanted.sort());
      await size(id);
    }
    // Each kind must have been there.
    expect(Math.min(...seen.values())).toBeGreaterThan(3);
  }, 3_600_000);
});

it('reading writes nothing, and applying an empty difference changes no voter', async () => {
  await sync(member('E-1'));
  await listed({ SyndicatsIdExternes: ['SYN-1'] });
  const { empreinte } = await unchanged(() => compared());
  const before = await versions();
  expect((await apply(empreinte)).json).toEqual({ nombreAjoutes: 0, nombreRetires: 0, nombreModifies: 0 });
  expect(await versions()).toEqual(before);
});
