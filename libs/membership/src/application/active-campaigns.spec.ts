import { ActiveCampaigns } from './active-campaigns';

it('a process without campaigns deletes no employee', () => {
  const campaigns = new ActiveCampaigns();
  expect(() => campaigns.hasVoter('tenant', 'E-1')).toThrow('load VotingModule');
  expect(() => campaigns.release('tenant', 'E-1')).toThrow('load VotingModule');
});

it('the registered check decides', async () => {
  const campaigns = new ActiveCampaigns();
  campaigns.register({
    hasVoter: (_tenantId, idExterne) => Promise.resolve(idExterne === 'E-1'),
    release: () => Promise.resolve(),
  });
  expect([await campaigns.hasVoter('t', 'E-1'), await campaigns.hasVoter('t', 'E-2')]).toEqual([true, false]);
});
