import fc from 'fast-check';
import { platformKey, PNG, SIGNING_PATH } from '../adhesion/support/cards';
import type { TestApp } from '../setup/test-app';
import { employer, type Loose, Partner, union } from '../sync/support';
import { Campaigns } from '../voting/support/campaigns';
import { Votes } from '../voting/support/votes';

/** Employees by number; a history names them by the identifiers that they have at each step. */
export const BORN = ['A', 'B', 'C'] as const;
export type Step =
  | { readonly kind: 'sync'; readonly who: number; readonly fields: Loose }
  | {
      readonly kind: 'put' | 'sign' | 'consent' | 'list' | 'vote' | 'request';
      readonly who: number;
      readonly n: number;
    }
  | { readonly kind: 'rename'; readonly to: readonly string[] };

export const who = fc.nat(BORN.length - 1);
export const some = <T>(...of: T[]): fc.Arbitrary<T> => fc.constantFrom(...of);
const fields = fc.record(
  {
    Ville: some('Laval', 'Québec', null),
    Emplois: fc.subarray(['J-1', 'J-2']).map((ids) =>
      ids.map((IdentifiantExterne) => ({
        ...{ IdentifiantExterne, IdentifiantExterneEmployeur: 'EMP', Matricule: '7' },
      })),
    ),
    Adhesions: fc
      .subarray(['SYN-1', 'SYN-2'])
      .map((ids) => ids.map((SyndicatIdExterne) => ({ SyndicatIdExterne, DateAdhesion: '2020-01-01' }))),
    ValeursChampUtilisateur: some(null, '58', '60').map((Valeur) => [{ NomChamp: 'Casque', Valeur }]),
  },
  { requiredKeys: [] },
);
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('sync' as const), who, fields }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: some(
        'put' as const,
        'sign' as const,
        'consent' as const,
        'list' as const,
        'vote' as const,
        'request' as const,
      ),
      who,
      n: fc.nat(2),
    }),
  },
);
/** A tenant with the present identifiers of its employees. */
export class Told {
  private made = 0;

  private constructor(
    private readonly app: TestApp,
    readonly partner: Partner,
    private readonly platform: { cle: string },
    private readonly votes: Votes,
    private readonly campaign: string,
    private readonly question: Loose & { Options: { Id: string }[] },
    public ids: readonly string[],
  ) {}

  static async start(app: TestApp, ids: readonly string[]): Promise<Told> {
    const partner = await Partner.start(app);
    const platform = await platformKey(app, partner.tenant);
    await partner.defineField('Casque', 'texte');
    await partner.sync({
      Syndicats: ['SYN-1', 'SYN-2'].map((id) => union(id, [employer('EMP')])),
      ObjetsConsentement: [{ IdExterne: 'INFO', Nom: 'Infos' }],
    });
    // One after the other, so the lists have the order of the numbers.
    for (const [n, IdExterne] of ids.entries())
      await partner.sync({ Employes: [{ IdExterne, Prenom: `P${n % BORN.length}`, Nom: 'Roy' }] });
    const campaigns = new Campaigns(app, partner.tenant);
    const votes = await Votes.of(app, campaigns);
    const campaign = await campaigns.opened();
    const [question] = (await campaigns.sent('GET', `/${campaign}/questions`)).json;
    return new Told(app, partner, platform, votes, campaign, question, ids);
  }

  /** Performs a step, and returns the status of its response. */
  async perform(one: Step, renames: boolean): Promise<number> {
    if (one.kind === 'rename') {
      if (!renames) return 200;
      const list = this.ids.map((ancien, n) => ({ ancien, nouveau: one.to[n]! }));
      this.ids = one.to;
      return (await this.partner.send('POST', '/b2b/v2/employe/nouveaux-identifiants', list)).status;
    }
    const id = this.ids[one.who]!;
    const person = { prenom: `P${one.who}`, nom: 'Roy', courriel: `p${one.who}@example.org` };
    switch (one.kind) {
      case 'sync':
        return (
          await this.partner.sync({
            Employes: [{ IdExterne: id, Prenom: `P${one.who}`, Nom: 'Roy', ...one.fields }],
          })
        ).status;
      case 'put':
        return (
          await this.partner.send('PUT', '/b2b/v1/employe', { idExterne: id, ...person, ville: `V${one.n}` })
        ).status;
      case 'sign':
        return (
          await this.app.send(this.platform, 'POST', SIGNING_PATH, {
            ...{ employeIdExterne: id, syndicatIdExterne: 'SYN-1', ...person, imageSignature: PNG },
            ...{ dateSignature: '2025-01-01T00:00:00Z', transactionId: `T-${++this.made}` },
          })
        ).status;
      case 'request':
        return (
          await this.app.send(this.platform, 'POST', SIGNING_PATH, {
            ...{ employeIdExterne: `X-${++this.made}`, syndicatIdExterne: 'SYN-1', ...person },
            dateSignature: '2025-01-01T00:00:00Z',
          })
        ).status;
      case 'consent':
        return (
          await this.app.send(this.platform, 'POST', '/plateforme/v1/consentements', {
            ...{ idExterneEmploye: id, objetConsentementIdExterne: 'INFO', accepte: one.n > 0 },
            dateConsentement: `2025-01-0${one.n + 1}T00:00:00Z`,
          })
        ).status;
      case 'list':
        return (
          await this.votes.campaigns.send('POST', `/${this.campaign}/liste-electorale`, {
            EmployesIdExternes: [id],
          })
        ).status;
      case 'vote':
        return this.vote(id);
    }
  }

  /** Votes in the place that the employee has on the roll, if it has one. */
  private async vote(id: string): Promise<number> {
    const roll = (await this.votes.campaigns.sent('GET', `/${this.campaign}/votants`)).json as Loose[];
    const place = roll.find(({ EmployeIdExterne }) => EmployeIdExterne === id);
    if (!place) return 0;
    const Reponses = [{ QuestionId: this.question.Id, Options: [this.question.Options[0]!.Id] }];
    return (await this.votes.cast(this.campaign, { VotantId: place.VotantId, Reponses })).status;
  }

  /** All that the API shows of the employees, without what the service gives. */
  async shown(): Promise<unknown> {
    const paths = [
      ...['/b2b/v1/employe', '/b2b/v2/employe', '/b2b/v2/emploi', '/b2b/v1/adhesion', '/b2b/v2/adhesion'],
      ...['/b2b/v1/consentement', '/b2b/v2/conciliation', `/b2b/v1/campagnes/${this.campaign}/votants`],
      ...['', '/ecarts'].map((rest) => `/b2b/v1/campagnes/${this.campaign}/liste-electorale${rest}`),
    ];
    const lists = [];
    for (const path of paths) lists.push([path.replace(this.campaign, ''), await this.partner.get(path)]);
    return JSON.parse(JSON.stringify(lists), (name, value: unknown) =>
      GIVEN.test(name) || name === 'empreinte' ? undefined : value,
    );
  }
}

/** Properties with ids and times of the service. */
const GIVEN =
  /^(.*[iI]dUnique.*|demandeId|adhesionId|[vV]otantId|Id|derniereMAJ|dateCreation.*|DateCreation.*|ActifsLe|aImageUrl)$/;
