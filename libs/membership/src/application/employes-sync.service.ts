import { Injectable } from '@nestjs/common';
import { type BulkResult, NOTHING } from '#platform/bulk/bulk-upsert';
import type { StagedRow } from '#platform/bulk/stage';
import { SYNC_NESTED_REFUSALS } from '#platform/limits/request-sizes';
import { type CheckedItem, CheckedList, type Refusal, shortened } from '#platform/input/checked-list';
import { hasAtMost } from '#platform/input/faults';
import { textFault } from '#platform/input/characters';
import type { NestedLimits } from '#platform/limits/nested-limits';
import { RecordValidator } from '#platform/input/record-validator';
import {
  EMPLOI_FIELDS,
  EMPLOYE_V2_FIELDS,
  MEMBERSHIP_FIELDS,
  MOST_NESTED_BYTES,
  VALEUR_FIELDS,
} from '../domain/employe-v2.fields';
import { type ChampDefinition, readValeur, type Valeur } from '../domain/valeur-champ';
import { ChampUtilisateurQuery } from '../persistence/champ-utilisateur.query';
import { EmployesV2Bulk, type TooLarge, type RefusedNested } from '../persistence/employes-v2.bulk';
import { DATES, EmployeV2Stages } from '../persistence/employes-v2.stages';
import { countsOf } from './bulk-counts';
import { fr, type Text } from '#platform/errors/text';
import { GIVEN_TWICE, NAMES_NO } from '../domain/membership.errors';

export interface EmployesResult {
  readonly employes: BulkResult;
  readonly emplois: BulkResult;
  readonly adhesions: BulkResult;
}

/** The employees of a V2 sync with their nested records (docs/contract.md, "V2 sync", rules 2 to 5). */
@Injectable()
export class EmployesSyncService {
  private readonly employe = new RecordValidator(EMPLOYE_V2_FIELDS);
  private readonly emploi = new RecordValidator(EMPLOI_FIELDS);
  private readonly membership = new RecordValidator(MEMBERSHIP_FIELDS);
  private readonly valeur = new RecordValidator(VALEUR_FIELDS);

  constructor(
    private readonly bulk: EmployesV2Bulk,
    private readonly champs: ChampUtilisateurQuery,
  ) {}

  /**
   * Creates and updates the employees in the ambient transaction.
   *
   * @param keepOmitted stored employments that an employee leaves out do not end
   * @throws DomainError `Requete.TropVolumineuse` beyond the limits
   */
  async upsert(
    tenantId: string,
    records: Iterable<unknown>,
    limits: NestedLimits,
    keepOmitted: boolean,
  ): Promise<EmployesResult> {
    const walk = records[Symbol.iterator]();
    const first = walk.next();
    if (first.done) return { employes: NOTHING, emplois: NOTHING, adhesions: NOTHING };
    const reading = new Reading(
      new CheckedList(this.employe, 'IdExterne', 'Employes'),
      new CheckedList(this.emploi, 'IdentifiantExterne', 'Emplois'),
      new CheckedList(this.membership, 'SyndicatIdExterne', 'Adhesions'),
      this.valeur,
      await this.champs.definitions(tenantId),
      new EmployeV2Stages(),
    );
    await this.bulk.fill(reading.stages, rowsOf(reading, first, walk, limits));
    // One more than allowed shows that there are more.
    const written = await this.bulk.write(tenantId, reading.stages, SYNC_NESTED_REFUSALS + 1, keepOmitted);
    const { withoutEmployeur, withoutSyndicat, impossible } = written;
    const refused = [withoutEmployeur, withoutSyndicat, impossible.emplois, impossible.memberships];
    limits.refused(refused.reduce((sum, { length }) => sum + length, 0));
    const noEmployeur = refusalsOf(
      withoutEmployeur,
      namesNo('IdentifiantExterneEmployeur', NAMES_NO.employeur),
    );
    const noSyndicat = refusalsOf(withoutSyndicat, namesNo('SyndicatIdExterne', NAMES_NO.syndicat));
    const endsEarly = refusalsOf(impossible.emplois, endsBefore('DateDebut'));
    const endsEarlyAsMember = refusalsOf(impossible.memberships, endsBefore('DateAdhesion'));
    const { tooLarge, dropped, omitted } = written;
    return {
      employes: countsOf(reading.employes, written.employes, tooLarge.map(tooLargeRefusal)),
      emplois: countsOf(reading.emplois, written.emplois, [...noEmployeur, ...endsEarly], {
        omitted,
        dropped: dropped.emplois,
      }),
      adhesions: countsOf(reading.memberships, written.memberships, [...noSyndicat, ...endsEarlyAsMember], {
        dropped: dropped.memberships,
      }),
    };
  }
}

type Identified = Pick<CheckedItem<unknown>, 'id' | 'index'>;

/** Yields the rows of employees and adds their nested records to the other stages. */
function* rowsOf(
  reading: Reading,
  first: IteratorResult<unknown>,
  walk: Iterator<unknown>,
  limits: NestedLimits,
): Iterable<StagedRow | undefined> {
  for (let step = first; !step.done; step = walk.next()) {
    const row = reading.employe(step.value, limits);
    limits.refused(reading.emplois.refusals.length + reading.memberships.refusals.length);
    limits.kept(reading.keptBytes);
    yield row;
  }
}

/** Reads the employees of a request once. Valid records go to the stages; the others are reported. */
class Reading {
  /** Bytes of nested records that stay in memory until the employees are staged. */
  get keptBytes(): number {
    const { emplois, memberships, valeurs } = this.stages;
    return emplois.keptBytes + memberships.keptBytes + valeurs.keptBytes;
  }

  constructor(
    readonly employes: CheckedList<typeof EMPLOYE_V2_FIELDS>,
    readonly emplois: CheckedList<typeof EMPLOI_FIELDS>,
    readonly memberships: CheckedList<typeof MEMBERSHIP_FIELDS>,
    private readonly valeur: RecordValidator<typeof VALEUR_FIELDS>,
    private readonly champs: ReadonlyMap<string, ChampDefinition>,
    readonly stages: EmployeV2Stages,
  ) {}

  /** Returns the row of an employee; undefined if it is rejected. */
  employe(sent: unknown, limits: NestedLimits): StagedRow | undefined {
    const checked = this.employes.check(sent);
    const { values } = checked;
    if (!values) return undefined;
    const nested = (list: Iterable<unknown> | null | undefined): unknown[] => (list ?? []) as unknown[];
    const [valeurs, emplois, adhesions] = [
      nested(values.ValeursChampUtilisateur),
      nested(values.Emplois),
      nested(values.Adhesions),
    ];
    limits.read(valeurs.length + emplois.length + adhesions.length);
    const read = this.valeurs(valeurs);
    if (!(read instanceof Map)) {
      this.employes.refuse(checked, {
        en: `ValeursChampUtilisateur: ${read.en}`,
        fr: fr`ValeursChampUtilisateur : ${read.fr}`,
      });
      return undefined;
    }
    for (const [champ, valeur] of read) this.stageValeur(checked.id, champ, valeur);
    const identified = this.stageEmplois(checked, emplois);
    this.stageMemberships(checked, adhesions);
    const areComplete = identified > 0 && identified === emplois.length;
    return [checked.index, checked.id, identified > 0, areComplete, ...this.stages.proprietes.row(values)];
  }

  /** @returns the values by their fields, or the fault of the first invalid value */
  private valeurs(sent: readonly unknown[]): Map<ChampDefinition, Valeur> | Text {
    const read = new Map<ChampDefinition, Valeur>();
    for (const [index, one] of sent.entries()) {
      const { values, fault } = this.valeur.check(one);
      if (!values)
        return { en: `element ${index + 1}: ${fault.en}`, fr: fr`élément ${index + 1} : ${fault.fr}` };
      const champ = this.champs.get(values.NomChamp);
      if (!champ)
        return {
          en: `no custom field is named ${values.NomChamp}`,
          fr: fr`aucun champ utilisateur ne se nomme ${values.NomChamp}`,
        };
      if (read.has(champ)) return ofChamp(champ, GIVEN_TWICE);
      const valeur = readValeur(champ, values.Valeur ?? null);
      if ('fault' in valeur) return ofChamp(champ, valeur.fault);
      read.set(champ, valeur);
    }
    return read;
  }

  private stageValeur(employe: string, { nom, type }: ChampDefinition, valeur: Valeur): void {
    this.stages.valeurs.add(
      valeur.removed
        ? [employe, nom, true, type, null, null, null, null]
        : [employe, nom, false, type, valeur.texte, valeur.date, valeur.booleen, valeur.choix],
    );
  }

  /** @returns the number of employments with a readable identifier, accepted or not */
  private stageEmplois({ id: employe, index: parent }: Identified, sent: readonly unknown[]): number {
    let identified = 0;
    this.emplois.restart(`Employes[${parent}].Emplois`);
    for (const one of sent) {
      const { index, id, values } = this.emplois.check(one, () => noteOf(employe));
      const isIdentified = values !== undefined || (id !== '' && isReadable(one));
      if (isIdentified) identified++;
      if (values) {
        const { IdentifiantExterneEmployeur: employeur, Matricule, DateDebut, DateFin } = values;
        const present = DATES.of(values);
        this.stages.emplois.add([
          ...[index, employe, id, employeur, Matricule, DateDebut, DateFin, present, true],
        ]);
      } else if (isIdentified) {
        this.stages.emplois.add([index, employe, id, null, null, null, null, 0, false]);
      }
    }
    return identified;
  }

  private stageMemberships({ id: employe, index: parent }: Identified, sent: readonly unknown[]): void {
    this.memberships.restart(`Employes[${parent}].Adhesions`);
    for (const one of sent) {
      const { index, id, values } = this.memberships.check(one, () => noteOf(employe));
      if (!values) continue;
      const { DateAdhesion, DateFin } = values;
      this.stages.memberships.add([index, employe, id, DateAdhesion, DateFin, DATES.of(values)]);
    }
  }
}

/** @param fault a sentence without subject */
function ofChamp({ nom }: ChampDefinition, fault: Text): Text {
  return { en: `${nom} ${fault.en}`, fr: fr`${nom} ${fault.fr}` };
}

/** Returns whether a rejected employment has one storable identifier. */
function isReadable(sent: unknown): boolean {
  const { identifiantExterne: lower, IdentifiantExterne: upper } = sent as Record<string, unknown>;
  const id = lower ?? upper;
  const isOne = lower === undefined || upper === undefined;
  return isOne && typeof id === 'string' && hasAtMost(id.trim(), 255) && !textFault(id);
}

/** Returns the part of a message that names the employee, because nested identifiers are unique within it only. */
function noteOf(employe: string): Text {
  const id = shortened(employe);
  return { en: ` (employee ${id})`, fr: fr` (employé ${id})` };
}

function tooLargeRefusal({ index, idExterne, octets }: TooLarge): Refusal {
  const [most, is] = [MOST_NESTED_BYTES, octets].map((count) => count.toLocaleString('en'));
  const message = {
    en: `Emplois, Adhesions and ValeursChampUtilisateur would have ${is} bytes with what is stored, and may have ${most}. Use the identifiers of stored employments again, and shorten or remove custom values`,
    fr: fr`Emplois, Adhesions et ValeursChampUtilisateur auraient ${octets} octets avec ce qui est conservé, pour un maximum de ${MOST_NESTED_BYTES}. Réutilisez les identifiants des emplois conservés, et raccourcissez ou retirez des valeurs de champs utilisateur`,
  };
  return { index, idExterne, message };
}

/** Returns the message for a record whose period is impossible. */
const endsBefore = (begin: 'DateDebut' | 'DateAdhesion') => (): Text => ({
  en: `DateFin is before ${begin}; an absent date keeps what is stored, and null clears it`,
  fr: fr`DateFin est avant ${begin}; une date absente garde ce qui est conservé, et null l'efface`,
});

/** Returns the message for a record whose identifier of an employer or union names none. */
const namesNo =
  (property: string, fault: Text) =>
  ({ reference }: RefusedNested): Text => {
    const id = shortened(reference);
    return { en: `${property} ${fault.en}: ${id}`, fr: fr`${property} ${fault.fr} : ${id}` };
  };

function refusalsOf(
  records: readonly RefusedNested[],
  messageOf: (record: RefusedNested) => Text,
): Refusal[] {
  return records.map((record) => {
    const [message, note] = [messageOf(record), noteOf(record.employe)];
    return {
      index: record.index,
      idExterne: record.idExterne,
      message: { en: message.en + note.en, fr: fr`${message.fr}${note.fr}` },
    };
  });
}
