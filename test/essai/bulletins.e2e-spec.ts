import { perFile } from '../setup/fixtures';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { BulletinsService } from '../../libs/voting/src';
import { Partner } from '../sync/support';
import { Campaigns } from '../voting/support/campaigns';

const app = perFile(() => TestApp.start());

/** An open campaign of a data space of its own, with the members of a synthetic electorate on its roll. */
class Vote {
  private constructor(
    readonly tenant: TestTenant,
    readonly campaigns: Campaigns,
    readonly platform: { cle: string },
    readonly id: string,
    readonly voters: number,
  ) {}

  static async open(employes: number): Promise<Vote> {
    const tenant = await app.tenant();
    const partner = new Partner(app, tenant);
    await partner.send('POST', '/b2b/v2/essai/electorat', { graine: 'electorat', employes, employeurs: 8 });
    const campaigns = new Campaigns(app, tenant);
    const id = await campaigns.draft();
    const options = (count: number) => Array.from({ length: count }, (_, at) => ({ Libelle: `Choix ${at}` }));
    await campaigns.question(id, { Type: 'Election', Options: options(3) });
    await campaigns.question(id, { Type: 'Election', EstPreferentiel: true, Options: options(4) });
    await campaigns.question(id);
    const roll = await campaigns.sent('POST', `/${id}/liste-electorale`, {
      SyndicatsIdExternes: ['ESSAI-SYN-00001'],
    });
    await campaigns.sent('POST', `/${id}/publier`);
    await campaigns.sent('POST', `/${id}/ouvrir`);
    return new Vote(tenant, campaigns, await app.platformOf(tenant), id, roll.json.NombreVotants as number);
  }

  cast(body: object, id = this.id): Promise<Answer> {
    return app.send(this.platform, 'POST', `/plateforme/v1/essai/campagnes/${id}/bulletins`, body);
  }

  async voted(): Promise<string[]> {
    const { rows } = await app.database.query<{ id: string }>(
      `SELECT employe_id_externe AS id FROM votant WHERE tenant_id = $1 AND campagne_id = $2 AND a_vote ORDER BY 1`,
      [this.tenant.tenantId, this.id],
    );
    return rows.map(({ id }) => id);
  }

  /** Answers of the ballots, sorted. */
  async answers(): Promise<string[]> {
    const { rows } = await app.database.query<{ reponses: string }>(
      `SELECT reponses::text FROM bulletin WHERE tenant_id = $1 AND campagne_id = $2 ORDER BY 1`,
      [this.tenant.tenantId, this.id],
    );
    return rows.map(({ reponses }) => reponses);
  }
}

describe('POST /plateforme/v1/essai/campagnes/{id}/bulletins', () => {
  it('200 casts the ballots of the share of voters that the seed chooses', async () => {
    const vote = await Vote.open(60);
    const { status, json } = await vote.cast({ graine: 'a', participation: 50 });
    const half = Math.round(vote.voters / 2);
    expect(status).toBe(200);
    expect(json).toEqual({
      votants: vote.voters,
      bulletins: half,
      deposes: half,
      dejaDeposes: 0,
      restants: 0,
      empreinte: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(await vote.voted()).toHaveLength(half);
    expect(await vote.answers()).toHaveLength(half);
  });

  it('same seed gives the same voters, choices and digest in another data space, in any time zone', async () => {
    const zone = process.env.TZ;
    const seen = [];
    try {
      for (const TZ of ['UTC', 'Pacific/Kiritimati']) {
        process.env.TZ = TZ;
        const vote = await Vote.open(40);
        const { json } = await vote.cast({ graine: 'a', participation: 62.5 });
        seen.push([json.empreinte, await vote.voted(), await vote.answers()]);
      }
    } finally {
      if (zone === undefined) delete process.env.TZ;
      else process.env.TZ = zone;
    }
    expect(seen[1]).toEqual(seen[0]);
    // Control: another seed gives others.
    const vote = await Vote.open(40);
    const { json } = await vote.cast({ graine: 'b', participation: 62.5 });
    expect(json.empreinte).not.toBe(seen[0]![0]);
    expect(await vote.voted()).not.toEqual(seen[0]![1]);
  });

  it('a repetition casts nothing, and a larger share the rest', async () => {
    const vote = await Vote.open(40);
    const first = (await vote.cast({ graine: 'a', participation: 40 })).json;
    const voted = await vote.voted();
    expect((await vote.cast({ graine: 'a', participation: 40 })).json).toEqual({
      ...first,
      deposes: 0,
      dejaDeposes: first.deposes,
    });
    const all = (await vote.cast({ graine: 'a', participation: 100 })).json;
    expect(all).toMatchObject({ bulletins: vote.voters, deposes: vote.voters - first.deposes, restants: 0 });
    expect(await vote.voted()).toEqual(expect.arrayContaining(voted));
  });

  it('20 requests at once cast each ballot once', async () => {
    const vote = await Vote.open(60);
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => vote.cast({ graine: 'a', participation: 100 })),
    );
    const served = answers.filter(({ status }) => status === 200);
    expect(served.length).toBeGreaterThan(0);
    expect(served.reduce((sum, { json }) => sum + (json.deposes as number), 0)).toBe(vote.voters);
    expect(await vote.answers()).toHaveLength(vote.voters);
  });

  it('409 before the opening and after the close: the ballots pass the gate', async () => {
    const vote = await Vote.open(20);
    const draft = await vote.campaigns.ready();
    const body = { graine: 'a', participation: 100 };
    expectProblem(await vote.cast(body, draft), 409, 'Vote.CampagneNonOuverte');
    await vote.cast({ graine: 'a', participation: 10 });
    const before = await vote.answers();
    await vote.campaigns.sent('POST', `/${vote.id}/fermer`);
    expectProblem(await vote.cast(body), 409, 'Vote.CampagneNonOuverte');
    expect(await vote.answers()).toEqual(before);
  });

  it('a campaign that closes meanwhile keeps the ballots that were cast, and takes no more', async () => {
    const vote = await Vote.open(60);
    const gate = jest.spyOn(app.app.get(BulletinsService), 'cast');
    const original = gate.getMockImplementation() ?? BulletinsService.prototype.cast;
    let count = 0;
    gate.mockImplementation(async function (this: unknown, ...args) {
      if (++count === 20) await vote.campaigns.sent('POST', `/${vote.id}/fermer`);
      return original.apply(app.app.get(BulletinsService), args);
    });
    try {
      expectProblem(await vote.cast({ graine: 'a', participation: 100 }), 409, 'Vote.CampagneNonOuverte');
    } finally {
      gate.mockRestore();
    }
    expect((await vote.voted()).length).toBeLessThan(vote.voters);
    expect(await vote.answers()).toHaveLength((await vote.voted()).length);
  });

  it('voters without the right do not vote', async () => {
    const vote = await Vote.open(20);
    await vote.campaigns.votant(vote.id, { Prenom: 'Sans', Nom: 'Droit', ADroitDeVote: false });
    const { json } = await vote.cast({ graine: 'a', participation: 100 });
    expect(json).toMatchObject({ votants: vote.voters, deposes: vote.voters });
  });

  it('5,000 ballots take seconds', async () => {
    const vote = await Vote.open(6_000);
    const began = performance.now();
    const { json } = await vote.cast({ graine: 'a', participation: 100 });
    const seconds = (performance.now() - began) / 1_000;
    process.stderr.write(`${json.deposes} ballots in ${seconds.toFixed(1)} s\n`);
    expect(json.restants).toBe(0);
    expect(seconds).toBeLessThan(60);
  }, 120_000);

  it('400 beyond the bounds', async () => {
    const vote = await Vote.open(5);
    expectFaults(await vote.cast({ graine: 'a', participation: 100.5 }), '/participation range');
    expectFaults(await vote.cast({ participation: -1 }), '/graine required, /participation range');
  });

  it('403 in production and for the partner; 404 for the campaign of another data space', async () => {
    const vote = await Vote.open(5);
    const body = { graine: 'a', participation: 100 };
    const production = await app.tenant({ environnement: 'production', role: 'plateforme' });
    const path = `/plateforme/v1/essai/campagnes/${vote.id}/bulletins`;
    expectProblem(await app.send(production, 'POST', path, body), 403, 'Essai.EnvironnementRequis');
    expectProblem(await app.send(vote.tenant, 'POST', path, body), 403, 'Cle.RoleInsuffisant');
    const other = await app.tenant({ role: 'plateforme' });
    expectProblem(await app.send(other, 'POST', path, body), 404, 'Campagne.NotFound');
    expect(await vote.voted()).toEqual([]);
  });
});
