import { setTimeout as sleep } from 'node:timers/promises';
import { listParts } from '../../libs/platform/src/limits/list-parts';
import { perFile } from '../setup/fixtures';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { BulletinsService, ChiffrementService, EncryptedCountsService } from '../../libs/voting/src';
import { Partner } from '../sync/support';
import { summed } from '../voting/support/bundle';
import { Campaigns } from '../voting/support/campaigns';
import { Guardians } from '../voting/support/encrypted';

const app = perFile(() => TestApp.start());

/** An open campaign of a data space of its own, with the members of a synthetic electorate on its roll. */
class Vote {
  private constructor(
    readonly tenant: TestTenant,
    readonly campaigns: Campaigns,
    readonly platform: { cle: string },
    readonly id: string,
    readonly voters: number,
    private readonly guardians: Guardians | undefined,
  ) {}

  static async open(employes: number, kind: 'ranked' | 'unranked' | 'encrypted' = 'ranked'): Promise<Vote> {
    const tenant = await app.tenant();
    const partner = new Partner(app, tenant);
    await partner.send('POST', '/b2b/v2/essai/electorat', { graine: 'electorat', employes, employeurs: 8 });
    const campaigns = new Campaigns(app, tenant);
    const id = await campaigns.draft();
    const options = (count: number) => Array.from({ length: count }, (_, at) => ({ Libelle: `Choix ${at}` }));
    await campaigns.question(id, { Type: 'Election', Options: options(3) });
    if (kind === 'ranked')
      await campaigns.question(id, { Type: 'Election', EstPreferentiel: true, Options: options(4) });
    await campaigns.question(id);
    const roll = await campaigns.sent('POST', `/${id}/liste-electorale`, {
      SyndicatsIdExternes: ['ESSAI-SYN-00001'],
    });
    const platform = await app.platformOf(tenant);
    const guardians =
      kind === 'encrypted'
        ? await Guardians.of(
            {
              campaigns,
              platformGet: (rest) => app.send(platform, 'GET', `/plateforme/v1/campagnes${rest}`),
            },
            id,
            1,
            1,
          )
        : undefined;
    await guardians?.finish();
    await campaigns.sent('POST', `/${id}/publier`);
    await campaigns.sent('POST', `/${id}/ouvrir`);
    return new Vote(tenant, campaigns, platform, id, roll.json.NombreVotants as number, guardians);
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

  /** Closes the vote, and returns its result: the votes of the options of each question. */
  async result(): Promise<number[][]> {
    const { tenantId } = this.tenant;
    await this.campaigns.sent('POST', `/${this.id}/fermer`);
    if (this.guardians) {
      await summed(app, tenantId, this.id);
      await this.guardians.decrypt(await this.guardians.decryption(1));
      await app.app.get(EncryptedCountsService).advance(tenantId, this.id);
    }
    const { json } = await this.campaigns.sent('GET', `/${this.id}/stats`);
    return (json.questions as { Options: { Votes: number }[] }[]).map(({ Options }) =>
      Options.map(({ Votes }) => Votes),
    );
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

  it('200 in an encrypted vote, whose ballots are sealed and decrypted as those of devices', async () => {
    const [vote, plain] = [await Vote.open(60, 'encrypted'), await Vote.open(60, 'unranked')];
    const { status, json } = await vote.cast({ graine: 'a', participation: 50 });
    const half = Math.round(vote.voters / 2);
    expect([status, json.deposes]).toEqual([200, half]);
    expect((await plain.cast({ graine: 'a', participation: 50 })).json).toEqual(json);
    expect(new Set(await vote.answers())).toEqual(new Set(['{}']));
    const { json: again } = await vote.cast({ graine: 'a', participation: 50 });
    expect(again).toEqual({ ...json, deposes: 0, dejaDeposes: half });
    expect(await vote.result()).toEqual(await plain.result());
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

  it('a draw waits while a long list of the same client is read', async () => {
    const vote = await Vote.open(20);
    let end = (): void => undefined;
    const held = new Promise<void>((resolve) => (end = resolve));
    const turn = listParts.run(vote.tenant.clientId, () => held);
    let isDone = false;
    const cast = vote.cast({ graine: 'a', participation: 100 }).finally(() => (isDone = true));
    await sleep(500);
    expect(isDone).toBe(false);
    end();
    await turn;
    expect((await cast).status).toBe(200);
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

  it('a request casts 2,000 ballots of an encrypted vote at most; a repetition casts the others', async () => {
    const vote = await Vote.open(2_400, 'encrypted');
    expect(vote.voters).toBeGreaterThan(2_000);
    // Sealing and casting are mocked, because 2,000 real ballots take many seconds.
    const sealed = jest.spyOn(app.app.get(ChiffrementService), 'sealSynthetic').mockResolvedValue('');
    const cast = jest
      .spyOn(app.app.get(BulletinsService), 'cast')
      .mockResolvedValue({ recu: '', empreinteRecu: '', attestation: '' });
    try {
      const { json } = await vote.cast({ graine: 'a', participation: 100 });
      expect(json).toMatchObject({ bulletins: vote.voters, restants: vote.voters - 2_000 });
      expect(cast).toHaveBeenCalledTimes(2_000);
    } finally {
      sealed.mockRestore();
      cast.mockRestore();
    }
  });

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
