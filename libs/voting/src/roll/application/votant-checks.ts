import { REQUETE } from '#platform/errors/platform.errors';
import { VOTANT } from '../../domain/voting.errors';
import type { ErrorDefinition } from '#platform/errors/error-definition';
import { TWICE } from '#platform/input/checked-list';
import { RecordValidator } from '#platform/input/record-validator';
import { VOTANT_FIELDS, type VotantRecord } from '../domain/votant.fields';
import type { StagedVotant } from '../persistence/votants.bulk';
import { fr, type Text } from '#platform/errors/text';

/** A record of a list that was not accepted: its place, from 0, and why. */
export interface VotantError {
  readonly n: number;
  readonly code: string;
  readonly message: Text;
}

/** Names of a voter, each with the error of a second record in the same request. */
const NAMES = [
  ['VotantId', REQUETE.Invalide],
  ['Identifiant', VOTANT.IdentifiantDejaUtilise],
  ['EmployeIdExterne', VOTANT.EmployeDejaInscrit],
] as const;

const VALIDATOR = new RecordValidator(VOTANT_FIELDS);

/** Checks voters of one list, each by itself and its names against those before; collects why they were refused. */
export class VotantChecks {
  readonly errors: VotantError[] = [];
  /** Records looked at so far. */
  count = 0;
  private readonly seen = new Set<string>();

  /** Missing fields of a new voter: names, unless an employee supplies them. */
  static missing(record: VotantRecord): ('Prenom' | 'Nom')[] {
    if (record.VotantId != null || record.EmployeIdExterne != null) return [];
    return (['Prenom', 'Nom'] as const).filter((name) => record[name] == null);
  }

  /** The records that can be looked at further, by their place; undefined for each that was refused. */
  *sound(records: Iterable<unknown>): Iterable<StagedVotant | undefined> {
    for (const sent of records) {
      const n = this.count++;
      const record = this.check(n, sent);
      yield record && { n, record };
    }
  }

  private check(n: number, sent: unknown): VotantRecord | undefined {
    const { values, fault } = VALIDATOR.check(sent);
    if (!values) return this.refuse(n, REQUETE.Invalide, fault);
    const [missing] = VotantChecks.missing(values);
    if (missing)
      return this.refuse(n, REQUETE.Invalide, {
        en: `${missing} is required`,
        fr: fr`${missing} est obligatoire`,
      });
    for (const [name, error] of NAMES) {
      const value = values[name];
      if (value == null) continue;
      const key = `${name} ${value}`;
      if (this.seen.has(key))
        return this.refuse(n, error, { en: `${name} ${TWICE.en}`, fr: fr`${name} ${TWICE.fr}` });
      this.seen.add(key);
    }
    return values;
  }

  private refuse(n: number, { code }: ErrorDefinition, message: Text): undefined {
    this.errors.push({ n, code, message });
  }
}
