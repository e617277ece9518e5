import { Input } from '#platform/input/field.decorator';
import { InputOf } from '#platform/input/record-classes';
import { NOUVEL_IDENTIFIANT_FIELDS, RENOMMAGE_FIELDS } from '../domain/renommage.fields';

export class NouvelIdentifiantInput extends InputOf(NOUVEL_IDENTIFIANT_FIELDS) {}

export class RenommageInput extends InputOf(RENOMMAGE_FIELDS) {}

/** The query parameter of a simulation. */
export function simulation(what: string) {
  const description = `\`true\` returns the result that the ${what} would have, and writes nothing.`;
  return { kind: 'boolean', description, example: false } as const;
}

export class RenommagesQuery {
  @Input(simulation('renaming'))
  simulation?: boolean;
}
