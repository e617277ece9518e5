import { type SyncV2, times } from '../../membership/synced';
import type { Answer } from '../../setup/test-app';
import type { Campaigns } from './campaigns';
import { app, campaigns } from './scene';

/** Two unions with two employers each, and the employees E-1 to E-4, members of SYN-1; E-1 has an address. */
export const UNIONS_AND_EMPLOYEES: SyncV2 = {
  Syndicats: ['SYN-1', 'SYN-2'].map((IdentifiantExterne) => ({
    ...{ IdentifiantExterne, Nom: 'Syndicat' },
    Employeurs: ['EMP-1', 'EMP-2'].map((employer) => ({ IdentifiantExterne: employer, Nom: 'Employeur' })),
  })),
  Employes: times(4, (index) => ({
    ...{
      IdExterne: `E-${index + 1}`,
      Prenom: ['Luc', 'Ève', 'Léa', 'Zoé'][index],
      Nom: index ? 'Roy' : 'Côté',
    },
    ...(index ? {} : { Courriel: 'luc@example.org' }),
    Adhesions: [{ SyndicatIdExterne: 'SYN-1', DateAdhesion: '2020-01-01' }],
  })),
};

/** The voters of a campaign, as the list returns them. */
export const voters = async (id: string, query = '', of = campaigns): Promise<Answer['json'][]> =>
  (await of.sent('GET', `/${id}/votants${query}`)).json;

/** Counts the voters of a campaign; its item must show the same number. */
export async function size(id: string): Promise<number> {
  const rows = await campaigns.rows<{ count: number }>(
    'SELECT count(*)::int AS count FROM votant WHERE tenant_id = $1 AND campagne_id = $2',
    id,
  );
  expect((await campaigns.item(id)).nombreVotants).toBe(rows[0]!.count);
  return rows[0]!.count;
}

/** The rows of a roll with their row versions, which every write changes. */
export const versions = (of = campaigns): Promise<object[]> =>
  of.rows('SELECT v.*, xmin::text FROM votant v WHERE tenant_id = $1 ORDER BY id_unique');

export const deleteEmployee = (id: string, by = app, of: Campaigns = campaigns): Promise<Answer> =>
  by.send(of.tenant, 'DELETE', `/b2b/v1/employe/${id}`);
