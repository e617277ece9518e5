import { createHash } from 'node:crypto';
import { times } from '../membership/synced';
import type { Answer } from '../setup/test-app';
import { app, campaigns, spaceOfFile, votes } from './support/scene';

spaceOfFile({
  sync: {
    Syndicats: [{ IdentifiantExterne: 'SYN-1', Nom: 'Un' }],
    Employes: times(3, (n) => ({ IdExterne: `E-${n}`, Prenom: 'Zoé', Nom: 'Roy' })),
  },
});

interface Changement {
  readonly type: string;
  readonly nombre: number;
  readonly ids: readonly string[] | null;
  readonly empreinte: string | null;
  readonly champs: readonly string[];
}

/** Actions and changes of the entries about a campaign or voter. */
async function trail(objetId: string): Promise<[action: string, changements: Changement[]][]> {
  const path = `/admin/v1/clients/${campaigns.tenant.clientId}/journal?objetId=${objetId}`;
  const { json } = await app.send(app.adminKey, 'GET', path);
  return (json as { action: string; changements: Changement[] }[])
    .filter(({ action }) => /^(votant|listeElectorale)\./.test(action))
    .map(({ action, changements }) => [action, changements]);
}

const named = (type: string, ids: readonly string[], ...champs: string[]): Changement => ({
  ...{ type, nombre: ids.length, ids: ids.toSorted(), empreinte: null, champs },
});

const upsert = (id: string, body: unknown): Promise<Answer> =>
  campaigns.sent('POST', `/${id}/votants/upsert`, body);

describe('The audit trail of a roll', () => {
  it('names the voters of each write and the changed fields, without their values', async () => {
    const id = await campaigns.draft();
    const one = await campaigns.votant(id, { Identifiant: 'V-1' });
    const two = await campaigns.votant(id, { Identifiant: 'V-2' });
    await upsert(id, { VotantId: one, Nom: 'Secret 🗳️', Courriel: 'secret@example.org' });
    await upsert(id, [
      { VotantId: one, SyndicatIdExterne: 'SYN-1' },
      { VotantId: two, Identifiant: 'V-2', Poids: 2 },
      { Prenom: 'A', Nom: 'B', Identifiant: 'V-3' },
      { VotantId: one, EmployeIdExterne: 'unknown' },
    ]);
    const [three] = await campaigns.rows<{ id: string }>(
      `SELECT id_unique AS id FROM votant WHERE tenant_id = $1 AND campagne_id = $2 AND identifiant = 'V-3'`,
      id,
    );
    const right = { VotantIds: [one, two], ADroitDeVote: false };
    for (let sent = 0; sent < 2; sent++) await campaigns.sent('PUT', `/${id}/votants/droit-de-vote`, right);
    expect(await trail(id)).toEqual([
      ['votant.enregistrer', [named('ajout', [one])]],
      ['votant.enregistrer', [named('ajout', [two])]],
      ['votant.enregistrer', [named('modification', [one], 'Courriel', 'Nom')]],
      [
        'votant.enregistrer',
        [named('ajout', [three!.id]), named('modification', [one, two], 'SyndicatIdExterne', 'Poids')],
      ],
      ['votant.droitDeVote', [named('modification', [one, two], 'ADroitDeVote')]],
      // The second request changes no voter.
      ['votant.droitDeVote', []],
    ]);
    await campaigns.sent('DELETE', `/${id}/votants/${two}`);
    expect(await trail(two)).toEqual([['votant.supprimer', [named('retrait', [two])]]]);
    const rows = await campaigns.rows<{ text: string }>(
      'SELECT journal::text AS text FROM journal WHERE tenant_id = $1',
    );
    expect(rows.filter(({ text }) => /secret|SYN-1|V-1/i.test(text))).toEqual([]);
  });

  it('names the voters that an electoral list adds', async () => {
    const id = await campaigns.draft();
    await campaigns.sent('POST', `/${id}/liste-electorale`, { EmployesIdExternes: ['E-0'] });
    await campaigns.sent('POST', `/${id}/liste-electorale`, { EmployesIdExternes: ['E-0', 'E-1', 'E-2'] });
    const added = await campaigns.rows<{ id: string; employe: string }>(
      `SELECT id_unique AS id, employe_id_externe AS employe FROM votant WHERE tenant_id = $1 AND campagne_id = $2 ORDER BY 2`,
      id,
    );
    const [first, ...rest] = added.map((one) => one.id);
    expect(await trail(id)).toEqual([
      ['listeElectorale.creer', [named('ajout', [first!])]],
      ['listeElectorale.creer', [named('ajout', rest)]],
    ]);
  });

  it('names up to 1,000 voters; for more it has the number and the digest of their ids', async () => {
    const id = await campaigns.draft();
    for (const count of [1_000, 1_001])
      await upsert(
        id,
        times(count, (n) => ({ Prenom: 'A', Nom: 'B', Identifiant: `${count}-${n}` })),
      );
    const idsOf = async (count: number): Promise<string[]> =>
      (
        await campaigns.rows<{ id: string }>(
          `SELECT id_unique AS id FROM votant WHERE tenant_id = $1 AND campagne_id = $2 AND identifiant LIKE $3`,
          ...[id, `${count}-%`],
        )
      )
        .map((row) => row.id)
        .sort();
    const empreinte = createHash('sha256')
      .update((await idsOf(1_001)).join('\n'))
      .digest('hex');
    expect(await trail(id)).toEqual([
      ['votant.enregistrer', [named('ajout', await idsOf(1_000))]],
      ['votant.enregistrer', [{ type: 'ajout', nombre: 1_001, ids: null, empreinte, champs: [] }]],
    ]);
  });

  it('names the voters that are added and changed while the vote is open', async () => {
    const vote = await votes.opened(1);
    const late = await campaigns.votant(vote.id);
    await upsert(vote.id, { VotantId: late, SyndicatIdExterne: 'SYN-1' });
    expect((await trail(vote.id)).slice(-2)).toEqual([
      ['votant.enregistrer', [named('ajout', [late])]],
      ['votant.enregistrer', [named('modification', [late], 'SyndicatIdExterne')]],
    ]);
    const { json } = await campaigns.sent('GET', `/${vote.id}/stats`);
    expect(json.modificationsApresOuverture).toEqual({ ajoutes: 1, retires: 0, modifies: 1 });
  });
});

describe('An employee', () => {
  const count = async (id: string): Promise<number> => (await campaigns.item(id)).nombreVotants as number;

  it('has one place on a roll: list, upsert and another Identifiant give no second one', async () => {
    const id = await campaigns.draft();
    const list = { EmployesIdExternes: ['E-1'] };
    await campaigns.sent('POST', `/${id}/liste-electorale`, list);
    for (const Identifiant of [undefined, 'AUTRE-1', 'AUTRE-2']) {
      const body = { EmployeIdExterne: 'E-1', Identifiant };
      const single = await campaigns.send('POST', `/${id}/votants/upsert`, body);
      expect([single.status, single.json.code]).toEqual([409, 'Votant.EmployeDejaInscrit']);
      const { Erreurs } = (await upsert(id, [body])).json;
      expect(Erreurs).toMatchObject([{ Index: 0, Code: 'Votant.EmployeDejaInscrit' }]);
    }
    // Another voter cannot become the employee.
    const other = await campaigns.votant(id);
    const change = { VotantId: other, EmployeIdExterne: 'E-1' };
    const made = await campaigns.send('POST', `/${id}/votants/upsert`, change);
    expect([made.status, made.json.code]).toEqual([409, 'Votant.EmployeDejaInscrit']);
    expect((await campaigns.sent('POST', `/${id}/liste-electorale`, list)).json).toMatchObject({
      NombreAjoutes: 0,
      NombreDejaPresents: 1,
    });
    expect(await count(id)).toBe(2);
  });

  it('has one place if these requests are sent at once', async () => {
    const id = await campaigns.draft();
    const answers = await Promise.all(
      times(20, (n) =>
        n % 2
          ? campaigns.send('POST', `/${id}/liste-electorale`, { EmployesIdExternes: ['E-2'] })
          : campaigns.send('POST', `/${id}/votants/upsert`, {
              EmployeIdExterne: 'E-2',
              Identifiant: `I-${n}`,
            }),
      ),
    );
    const made = answers.filter(({ status, json }) => status === 201 && json.NombreAjoutes !== 0);
    expect([made.length, await count(id)]).toEqual([1, 1]);
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
  });
});
