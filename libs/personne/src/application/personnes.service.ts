import { EMPLOYE_ACTIONS } from '../domain/personne.actions';
import { SIGNATURE_ACTIONS } from '#adhesion';
import { Injectable } from '@nestjs/common';
import { ClientsService } from '#clients';
import { ActiveCampaigns, EMPLOYE, IdentifiantRepository, noEmploye } from '#membership';
import type { Environment } from '#access/caller';
import type { Actor } from '#platform/audit/actor';
import { AuditTrail } from '#platform/audit/audit-trail';
import { FOREIGN_KEY_VIOLATION } from '#platform/errors/sql-errors';
import { Transactions } from '#platform/database/transactions';
import { DomainError } from '#platform/errors/domain-error';
import { inTurn } from '#platform/limits/list-parts';
import { PlansService, TachesService, UndoService, syncLockOf } from '#sync';
import { VoterErasureRepository } from '#voting';
import { PersonFinder } from './person-finder';
import { PersonalDataRepository, type SectionPage } from '../persistence/personal-data.repository';
import { fr } from '#platform/errors/text';

/** Export and erasure of a person's data (docs/adr/0018). */
@Injectable()
export class PersonnesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly clients: ClientsService,
    private readonly campaigns: ActiveCampaigns,
    private readonly voters: VoterErasureRepository,
    private readonly taches: TachesService,
    private readonly plans: PlansService,
    private readonly syncs: UndoService,
    private readonly identifiants: IdentifiantRepository,
    private readonly finder: PersonFinder,
    private readonly repository: PersonalDataRepository,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Returns all stored data about an employee, also if the partner has deleted it, as JSON in parts: rows by section, with the
   * wire's names of columns. Records the export and each signature image in the audit trail before the first part.
   *
   * @throws DomainError `Client.NotFound`, `Employe.NotFound`
   */
  async export(
    actor: Actor,
    clientId: string,
    environnement: Environment,
    idExterne: string,
    supprime: boolean,
  ): Promise<AsyncGenerator<Uint8Array, void>> {
    const tenantId = await this.tenantOf(clientId, environnement);
    const { person, numero } = await this.transactions.run({ tenantId }, async () => {
      const person = (await this.finder.find(tenantId, idExterne, supprime)) ?? missing();
      const numero = await this.repository.lastEntry(tenantId);
      this.audit.record(tenantId, actor, EMPLOYE_ACTIONS.exporter, person.employes);
      this.audit.record(tenantId, actor, SIGNATURE_ACTIONS.lire, await this.repository.withImage(person));
      return { person, numero };
    });
    return inTurn(this.transactions.clientOf({ tenantId }), partsOf(this.repository.read(person, numero)));
  }

  /**
   * Removes all stored data about an employee: cards with signatures and payments, requests, consents, employments,
   * events. Voters of ended campaigns stay without a name; ballots, counts and the audit trail stay as they are.
   *
   * @throws DomainError `Client.NotFound`, `Employe.NotFound`, `Employe.LieCampagneActive`, `Employe.SyncEnAttente`
   */
  async erase(
    actor: Actor,
    clientId: string,
    environnement: Environment,
    idExterne: string,
    supprime: boolean,
  ): Promise<void> {
    const tenantId = await this.tenantOf(clientId, environnement);
    const erase = async (): Promise<void> => {
      // Waits for running syncs, because each could create the employee again.
      await this.transactions.lockByName(syncLockOf(tenantId));
      const person = (await this.finder.find(tenantId, idExterne, supprime)) ?? missing();
      const votants = person.found.votants ?? [];
      if (
        (person.employe !== null && (await this.campaigns.check.hasVoter(tenantId, person.employe))) ||
        (await this.voters.hasOpenBox(tenantId, votants))
      ) {
        const detail = {
          en: 'The person is a voter of an active campaign. Erase it once the campaign has ended.',
          fr: fr(
            "La personne est votante d'une campagne active. Supprimez-la une fois la campagne terminée.",
          ),
        };
        throw new DomainError(EMPLOYE.LieCampagneActive, detail);
      }
      if (!(await this.voters.keepFromSealing(tenantId, votants))) {
        const detail = {
          en: 'The ballot box of a campaign of the person is being sealed. Try again in some minutes.',
          fr: fr(
            "Le scellement de l'urne d'une campagne de la personne est en cours. Réessayez dans quelques minutes.",
          ),
        };
        throw new DomainError(EMPLOYE.LieCampagneActive, detail);
      }
      for (const id of [person.idExterne, ...person.anciensIdentifiants]) {
        if (id === null) continue;
        if (await this.taches.namesEmploye(tenantId, id)) {
          const detail = {
            en: 'A sync that names the employee has not ended. Erase the employee once it has.',
            fr: fr(
              "Une synchronisation qui mentionne l'employé n'est pas terminée. Supprimez l'employé une fois qu'elle l'est.",
            ),
          };
          throw new DomainError(EMPLOYE.SyncEnAttente, detail);
        }
      }
      await this.plans.forget(tenantId, person.tenures);
      await this.syncs.forget(tenantId, person.tenures);
      if (person.employe !== null) await this.identifiants.withoutLast(tenantId, person.employe);
      await this.voters.removeFromDrafts(tenantId, votants);
      await this.repository.erase(person);
      this.audit.record(tenantId, actor, EMPLOYE_ACTIONS.effacer, person.employes);
    };
    // The next try finds records that were linked in the meantime, for example a payment.
    await this.transactions.run({ tenantId, erasing: true }, erase, { retryOn: [FOREIGN_KEY_VIOLATION] });
  }

  private async tenantOf(clientId: string, environnement: Environment): Promise<string> {
    return (await this.clients.tenantIn(clientId, environnement)) ?? missing();
  }
}

/** Yields sections as the text of one JSON object. */
export async function* partsOf(pages: AsyncGenerator<SectionPage, void>): AsyncGenerator<Uint8Array, void> {
  let open: string | undefined;
  let isEmpty = true;
  for await (const { section, rows } of pages) {
    const items = rows.map((row) => JSON.stringify(asOnTheWire(row))).join();
    if (section === open) yield Buffer.from(items && !isEmpty ? `,${items}` : items);
    else yield Buffer.from(`${open === undefined ? '{' : '],'}"${section}":[${items}`);
    isEmpty = items === '' && (section !== open || isEmpty);
    open = section;
  }
  yield Buffer.from(']}');
}

/** `date_creation` → `dateCreation`, and times in UTC with `Z`. */
function asOnTheWire(row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column.replace(/_([a-z0-9])/g, (_all, letter: string) => letter.toUpperCase()),
      typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/.test(value)
        ? new Date(value).toISOString()
        : value,
    ]),
  );
}

function missing(): never {
  throw noEmploye();
}
