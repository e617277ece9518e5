import { ActiveCampaigns } from './active-campaigns';

it('a process without campaigns deletes no employee', () => {
  const campaigns = new ActiveCampaigns();
  expect(() => campaigns.check).toThrow('load VotingModule');
});

it('the registered check decides', () => {
  const campaigns = new ActiveCampaigns();
  const check = {
    hasVoter: () => Promise.resolve(true),
    votesOf: () => Promise.resolve([]),
    release: () => Promise.resolve(),
  };
  campaigns.register(check);
  expect(campaigns.check).toBe(check);
});
