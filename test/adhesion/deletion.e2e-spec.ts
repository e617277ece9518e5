import { randomUUID } from 'node:crypto';
import { type ActiveCampaignCheck, ActiveCampaigns } from '../../libs/membership/src';
import { Transactions } from '../../libs/platform/src/database/transactions';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { synced } from '../membership/synced';
import { TestApp } from '../setup/test-app';
import { openTenant, PNG } from './support/cards';
import { DataSpace, type LinkKind, LINKS, refusing } from './support/data-space';
import { perFile } from '../setup/fixtures';

/** Arguments of the question whether an employee is a voter. */
type Asked = [tenantId: string, employe: string, syndicats: readonly string[] | undefined];

const app = perFile(() => TestApp.start());
let cards: DataSpace;
/** Tenants and employees who are voters of an active campaign. */
const voters = new Set<string>();
let asked: Asked[];
/** Runs before the question is answered. */
let meanwhile: () => Promise<void>;

let registered: ActiveCampaignCheck;

beforeAll(() => {
  registered = app.app.get(ActiveCampaigns).check;
  app.app.get(ActiveCampaigns).register({
    hasVoter: async (...question) => {
      asked.push(question as Asked);
      await meanwhile();
      return voters.has(`${question[0]} ${question[1]}`);
    },
    votesOf: () => Promise.resolve([]),
    release: () => Promise.resolve(),
  });
});
// The next files of the same Jest worker use this application too.
afterAll(() => app.app.get(ActiveCampaigns).register(registered));
beforeEach(async () => {
  asked = [];
  meanwhile = () => Promise.resolve();
  cards = new DataSpace(app, await openTenant(app));
});

const get = (path: string) => app.send(cards.open.partenaire, 'GET', path);
const count = async (table: string): Promise<number> =>
  (await cards.rows(`SELECT FROM ${table} WHERE tenant_id = $1`)).length;

describe('DELETE /b2b/v2/adhesion/{idUnique}', () => {
  it('204: the card and its signature go; other cards, the membership and the consents stay', async () => {
    await synced(app, cards.open.partenaire, {
      ObjetsConsentement: [{ IdExterne: 'INFO', Nom: 'Infolettre' }],
    });
    const consentements = [{ objetConsentementIdExterne: 'INFO', accepte: true }];
    const kept = await cards.sign({ imageSignature: PNG, syndicatIdExterne: 'SYN-2' });
    const gone = await cards.sign({ imageSignature: PNG, consentements });
    const employe = await get('/b2b/v2/employe/E-1');
    const answer = await cards.delete(gone);
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(await cards.ids()).toEqual([kept]);
    const images = await cards.rows('SELECT adhesion_id FROM signature_manuscrite WHERE tenant_id = $1');
    expect(images).toEqual([{ adhesion_id: kept }]);
    // The item of the employee shows its memberships and the time of its last change.
    expect((await get('/b2b/v2/employe/E-1')).text).toBe(employe.text);
    expect(employe.json.adhesions).toHaveLength(2);
    expect((await get('/b2b/v1/consentement/E-1')).json).toHaveLength(1);
    expect((await get('/b2b/v2/adhesion')).json).toHaveLength(1);
    expectProblem(await cards.delete(gone), 404, 'Adhesion.NotFound');
  });

  it('writes an event and an entry in the audit trail, in the transaction of the deletion', async () => {
    const id = await cards.sign({ dateSignature: '2026-03-02T09:05:09.120-05:00' });
    const { idUnique } = (await get('/b2b/v1/employe/E-1')).json;
    expect((await cards.delete(id, { 'X-Request-Id': 'req-1' })).status).toBe(204);
    expect(await cards.events('adhesion.supprimee')).toEqual([
      {
        idUniqueAdhesion: id,
        dateSignature: '2026-03-02T14:05:09.120Z',
        syndicatIdExterne: 'SYN-1',
        employeIdExterne: 'E-1',
        employeIdUnique: idUnique,
      },
    ]);
    expect(await cards.journal()).toEqual([
      {
        cle_id: cards.open.partenaire.cleId,
        action: 'adhesion.supprimer',
        objet_id: id,
        requete_id: 'req-1',
      },
    ]);
    const writers = await cards.rows(
      `SELECT xmin::text FROM evenement WHERE tenant_id = $1 AND type = 'adhesion.supprimee'
       UNION SELECT xmin::text FROM journal WHERE tenant_id = $1 AND action = 'adhesion.supprimer'`,
    );
    expect(writers).toHaveLength(1);
  });

  it.each(['evenement', 'journal'])(
    'negative control: if %s rejects rows, nothing is deleted',
    async (table) => {
      const id = await cards.sign({ imageSignature: PNG });
      for (const rest of [id, 'membre/E-1']) {
        const answer = await refusing(app, table, () => cards.delete(rest));
        expectProblem(answer, 500, 'Service.ErreurInterne');
        expect(answer.text).not.toContain('refused');
        expect(await cards.ids()).toEqual([id]);
        expect(await count('signature_manuscrite')).toBe(1);
        expect(await cards.events('adhesion.supprimee')).toEqual([]);
        expect(await cards.journal()).toEqual([]);
      }
      expect((await cards.delete(id)).status).toBe(204);
    },
  );

  it('404 Adhesion.NotFound for an unknown card, without an event or audit entry', async () => {
    await cards.sign();
    for (const id of [randomUUID(), 'E-1', 'membre', '0', `${await cards.sign()}0`]) {
      expectProblem(await cards.delete(id), 404, 'Adhesion.NotFound');
    }
    expect(await cards.ids()).toHaveLength(2);
    expect([await cards.journal(), await cards.events('adhesion.supprimee')]).toEqual([[], []]);
  });

  it('takes the GUID in capitals, and no parameter', async () => {
    const id = await cards.sign();
    expectFaults(await cards.delete(`${id}?idExterneSyndicat=SYN-2`), { '?idExterneSyndicat': 'unknown' });
    expect(await cards.ids()).toEqual([id]);
    expect((await cards.delete(id.toUpperCase())).status).toBe(204);
    expect(await cards.ids()).toEqual([]);
  });
});

describe('DELETE /b2b/v2/adhesion/membre/{idExterneMembre}', () => {
  it('200: all cards of the member, or those of a union, with an event and an entry each', async () => {
    const [one, two, three] = [
      await cards.sign(),
      await cards.sign({ syndicatIdExterne: 'SYN-2', imageSignature: PNG }),
      await cards.sign({ imageSignature: PNG }),
    ];
    const other = await cards.sign({ employeIdExterne: 'E-2', syndicatIdExterne: 'SYN-2' });
    const ofUnion = await cards.delete('membre/E-1?idExterneSyndicat=SYN-2');
    expect([ofUnion.status, ofUnion.text]).toEqual([200, '{"nombreSupprime":1}']);
    expect(await cards.ids()).toEqual([one, three, other].sort());
    const all = await cards.delete('membre/E-1', { 'X-Request-Id': 'all' });
    expect([all.status, all.text]).toEqual([200, '{"nombreSupprime":2}']);
    expect(await cards.ids()).toEqual([other]);
    const events = await cards.events('adhesion.supprimee');
    expect(events.map(({ idUniqueAdhesion }) => idUniqueAdhesion)).toEqual([two, one, three]);
    const entries = await cards.journal();
    expect(entries.map(({ objet_id }) => objet_id).sort()).toEqual([one, two, three].sort());
    expect(entries.slice(1).map(({ requete_id }) => requete_id)).toEqual(['all', 'all']);
    expect(await count('signature_manuscrite')).toBe(0);
    expect(await count('membership')).toBe(3);
  });

  it('200 with 0 without a matching card or union; 404 for an unknown employee', async () => {
    await cards.sign();
    for (const rest of [
      'E-2',
      'E-1?idExterneSyndicat=SYN-2',
      'E-1?idExterneSyndicat=SYN-9',
      'E-1?idExterneSyndicat=%25',
    ]) {
      const answer = await cards.delete(`membre/${rest}`);
      expect([answer.status, answer.json]).toEqual([200, { nombreSupprime: 0 }]);
    }
    for (const rest of ['E-9', 'e-1', '%25', 'E-9?idExterneSyndicat=SYN-1']) {
      expectProblem(await cards.delete(`membre/${rest}`), 404, 'Employe.NotFound');
    }
    expect(await cards.ids()).toHaveLength(1);
    expect([await cards.journal(), await cards.events('adhesion.supprimee')]).toEqual([[], []]);
  });

  it('400 for an unknown, misspelt or empty parameter: it never means “all”', async () => {
    await cards.sign();
    const faults: [string, Record<string, string>][] = [
      ['syndicatIdExterne=SYN-2', { '?syndicatIdExterne': 'unknown' }],
      ['IdExterneSyndicat=SYN-2', { '?IdExterneSyndicat': 'unknown' }],
      ['idExterneSyndicat=', { '?idExterneSyndicat': 'required' }],
      ['idExterneSyndicat=SYN-2&idExterneSyndicat=SYN-1', { '?idExterneSyndicat': 'duplicate' }],
    ];
    for (const [query, expected] of faults) expectFaults(await cards.delete(`membre/E-1?${query}`), expected);
    expect(await cards.ids()).toHaveLength(1);
  });
});

describe('reasons that block deleting cards', () => {
  type Hold = LinkKind | 'campaign';
  /** The order of the reasons (docs/contract.md, "Deletion of cards"). */
  const HOLDS: [hold: Hold, code: string][] = [
    ['campaign', 'Adhesion.LinkedToActiveCampaign'],
    ['paiements', LINKS.paiements.code],
    ['autorisations-paiement', LINKS['autorisations-paiement'].code],
  ];
  const SUBSETS = [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => HOLDS.filter((_, index) => bits & (1 << index)));

  const hold = async (id: string, holds: typeof HOLDS): Promise<void> => {
    for (const [kind] of holds) {
      if (kind === 'campaign') voters.add(`${cards.open.tenantId} E-1`);
      else expect((await cards.link(id, kind)).status).toBe(201);
    }
  };

  it.each(SUBSETS.map((holds) => ({ names: holds.map(([kind]) => kind).join(' + ') || 'nothing', holds })))(
    'blocked by $names: the first code in the order of the table, one card or all',
    async ({ holds }) => {
      const [free, held] = [await cards.sign(), await cards.sign({ imageSignature: PNG })];
      await hold(held, holds);
      const [, code] = holds[0] ?? [];
      const answers = [await cards.delete(held), await cards.delete('membre/E-1')];
      if (code === undefined) {
        expect(answers.map(({ status }) => status)).toEqual([204, 200]);
        expect(answers[1]!.json).toEqual({ nombreSupprime: 1 });
        return;
      }
      for (const answer of answers) expectProblem(answer, 409, code);
      // All or none: the deletable card stays with the blocked one.
      expect(await cards.ids()).toEqual([free, held].sort());
      expect(await count('signature_manuscrite')).toBe(1);
      expect([await cards.journal(), await cards.events('adhesion.supprimee')]).toEqual([[], []]);
    },
  );

  it('several cards: the first code in that order of any of them counts', async () => {
    const [one, two] = [await cards.sign(), await cards.sign({ syndicatIdExterne: 'SYN-2' })];
    await cards.link(one, 'autorisations-paiement');
    await cards.link(two, 'paiements');
    expectProblem(await cards.delete('membre/E-1'), 409, 'Adhesion.HasPayments', 'Keep the card');
    expectProblem(
      await cards.delete('membre/E-1?idExterneSyndicat=SYN-1'),
      409,
      'Adhesion.HasPaymentAuthorizations',
      'Keep the card',
    );
    expect(await cards.ids()).toEqual([one, two].sort());
  });

  it('cards of another union do not block those of one', async () => {
    const held = await cards.sign();
    await cards.sign({ syndicatIdExterne: 'SYN-2' });
    await cards.link(held, 'paiements');
    expect((await cards.delete('membre/E-1?idExterneSyndicat=SYN-2')).json).toEqual({ nombreSupprime: 1 });
    expect(await cards.ids()).toEqual([held]);
  });

  it('campaigns get the question with the employee and the unions of the cards, each once', async () => {
    const one = await cards.sign({ syndicatIdExterne: 'SYN-2' });
    const { tenantId } = cards.open;
    await cards.delete(one);
    expect(asked).toEqual([[tenantId, 'E-1', ['SYN-2']]]);
    for (const syndicatIdExterne of ['SYN-1', 'SYN-2', 'SYN-1']) await cards.sign({ syndicatIdExterne });
    asked = [];
    await cards.delete('membre/E-1?idExterneSyndicat=SYN-2');
    expect(asked).toEqual([[tenantId, 'E-1', ['SYN-2']]]);
    await cards.sign({ syndicatIdExterne: 'SYN-2' });
    asked = [];
    await cards.delete('membre/E-1');
    expect(asked.map(([tenant, employe, syndicats]) => [tenant, employe, [...syndicats!].sort()])).toEqual([
      [tenantId, 'E-1', ['SYN-1', 'SYN-2']],
    ]);
  });
});

describe('the question to campaigns', () => {
  it('locks the employee: another transaction cannot make the employee a voter', async () => {
    const refer = `SELECT FROM employe WHERE tenant_id = '${cards.open.tenantId}' AND id_externe = 'E-1' FOR KEY SHARE NOWAIT`;
    const refused: unknown[] = [];
    const inTransaction: boolean[] = [];
    meanwhile = async () => {
      const transaction = app.app.get(Transactions).client();
      const { rows } = await transaction.query<{ holds: boolean }>(
        'SELECT pg_current_xact_id_if_assigned() IS NOT NULL AS holds',
      );
      inTransaction.push(rows[0]!.holds);
      await app.database.query(refer).catch(({ code }: { code: string }) => refused.push(code));
    };
    for (const rest of [await cards.sign(), 'membre/E-1']) {
      await cards.sign();
      expect((await cards.delete(rest)).status).toBeLessThan(300);
    }
    expect(refused).toEqual(['55P03', '55P03']);
    expect(inTransaction).toEqual([true, true]);
    // Afterwards it is possible.
    await app.database.query(refer);
  });
});

describe('DELETE /b2b/v1/employe/{idExterne} of an employee with cards', () => {
  it('409 Employe.LieAdhesions while there is a card, 204 after', async () => {
    const [one, two] = [await cards.sign(), await cards.sign({ syndicatIdExterne: 'SYN-2' })];
    const remove = () => app.send(cards.open.partenaire, 'DELETE', '/b2b/v1/employe/E-1');
    expectProblem(await remove(), 409, 'Employe.LieAdhesions');
    await cards.delete(one);
    expectProblem(await remove(), 409, 'Employe.LieAdhesions');
    await cards.delete(two);
    expect((await remove()).status).toBe(204);
    expectProblem(await get('/b2b/v2/adhesion/E-1'), 404, 'Employe.NotFound');
    expectProblem(await cards.delete('membre/E-1'), 404, 'Employe.NotFound');
  });
});
