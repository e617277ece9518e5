import type { TestApp, TestTenant } from '../setup/test-app';
import { Campaigns } from '../voting/support/campaigns';
import { sealed } from '../voting/support/bundle';
import { Votes } from '../voting/support/votes';
import type { KnownParts } from './valid-request';

/** States of the campaign, in rotation: most changes to it are possible in Brouillon only. */
const STATES = [
  { publiee: false },
  { publiee: false },
  { publiee: true, opening: '1 year' },
  { publiee: true, opening: '-1 year' },
];

/** A campaign that requests may lock, empty and delete: it is restored repeatedly. Another campaign beside it is counted. */
export class StandingCampaign {
  private turn = 0;

  private constructor(
    private readonly app: TestApp,
    private readonly tenant: TestTenant,
    private readonly ids: Record<'campagne' | 'question' | 'option' | 'votant' | 'comptee', string>,
  ) {}

  static async make(app: TestApp, tenant: TestTenant): Promise<StandingCampaign> {
    const campaigns = new Campaigns(app, tenant);
    const campagne = await campaigns.draft();
    const question = await campaigns.question(campagne);
    const { Options } = (await campaigns.sent('GET', `/${campagne}/questions/${question}`)).json;
    const votant = await campaigns.votant(campagne);
    const votes = await Votes.of(app, campaigns);
    const { id: comptee, ...vote } = await votes.opened(1);
    await votes.voted({ id: comptee, ...vote }, 0);
    await campaigns.sent('POST', `/${comptee}/fermer`);
    await sealed(app, tenant.tenantId, comptee);
    return new StandingCampaign(app, tenant, { campagne, question, option: Options[0].Id, votant, comptee });
  }

  get parts(): KnownParts {
    const { campagne, question, option, votant, comptee } = this.ids;
    return {
      // Twice as often as the counted one, which most requests cannot change.
      '/b2b/v1/campagnes': [campagne, campagne, comptee],
      questionId: [question],
      optionId: [option],
      votantId: [votant],
    };
  }

  /** Restores missing records, and puts the campaign into the next state. */
  async mend(): Promise<void> {
    const { publiee, opening = '1 year' } = STATES[this.turn++ % STATES.length]!;
    const { campagne, question, option, votant } = this.ids;
    const { tenantId } = this.tenant;
    const run = (text: string, ...values: unknown[]) => this.app.database.query(text, [tenantId, ...values]);
    await this.app.database.query('BEGIN');
    await run('DELETE FROM campagne WHERE tenant_id = $1 AND id_unique = $2', campagne);
    await run(
      `INSERT INTO campagne (tenant_id, id_unique, titre, slug, ouverture_du_vote_utc, fermeture_du_vote_utc,
         ordre_reponses_aleatoire, publiee, nombre_votants)
       VALUES ($1, $2::uuid, $2::text, $2::text, now() + $3::interval, now() + interval '2 years', false, $4, 1)`,
      campagne,
      opening,
      publiee,
    );
    await run(
      `INSERT INTO question (tenant_id, id_unique, campagne_id, ordre, titre, type, est_preferentiel,
         ordre_reponses_aleatoire, min_reponses, max_reponses)
       VALUES ($1, $2, $3, 1, 'Pour ou contre ?', 'Proposition', false, 0, 1, 1)`,
      question,
      campagne,
    );
    await run(
      `INSERT INTO option (tenant_id, id_unique, question_id, ordre, libelle) VALUES ($1, $2, $3, 1, 'Pour')`,
      option,
      question,
    );
    await run(
      `INSERT INTO votant (tenant_id, campagne_id, id_unique, prenom, nom, a_droit_de_vote, poids)
       VALUES ($1, $2, $3, 'Zoé', 'Roy', true, 1)`,
      campagne,
      votant,
    );
    if (publiee) await new Campaigns(this.app, this.tenant).copyStructure(campagne);
    await this.app.database.query('COMMIT');
  }
}
