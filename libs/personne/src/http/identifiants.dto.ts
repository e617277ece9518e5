import { Input } from '#platform/input/field.decorator';
import { InputOf } from '#platform/input/record-classes';
import { NOUVEL_IDENTIFIANT_FIELDS, RENOMMAGE_FIELDS } from '../domain/renommage.fields';

export class NouvelIdentifiantInput extends InputOf(NOUVEL_IDENTIFIANT_FIELDS) {}

export class RenommageInput extends InputOf(RENOMMAGE_FIELDS) {}

export class RenommagesQuery {
  @Input({
    kind: 'boolean',
    description: '`true` returns the result that the renaming would have, and writes nothing.',
    example: false,
  })
  simulation?: boolean;
}
