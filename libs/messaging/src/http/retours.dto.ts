import { type ArgumentMetadata, Injectable } from '@nestjs/common';
import { DomainError, type InputFault, invalidRequest } from '#platform/errors/domain-error';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { InputPipe } from '#platform/input/input.pipe';
import { RawBody } from '#platform/input/request-parts.decorator';
import { value } from '#platform/input/values';
import { MOST_RETOURS, RETOUR_FIELDS, type RetourRecord } from '../domain/retour.fields';
import { fr, type Text } from '#platform/errors/text';

/** A notification of a relay. */
export class RetourInput extends InputOf(RETOUR_FIELDS) {}

/** Effects of notifications; `nombreRecus` is the sum of the others. */
export class RetoursItem extends ItemOf({
  nombreRecus: value.integer('Notifications in the request.', 1),
  nombreRejetes: value.integer('Recipients that became `Rejete`.', 0),
  nombreRetardes: value.integer('Recipients whose relay still tries; their state stays.', 0),
  nombreDejaConnus: value.integer('Notifications that say nothing new. Nothing was changed.', 0),
  nombreIgnores: value.integer(
    'Notifications of success, or about a message that was never handed over. Nothing was changed.',
    0,
  ),
  nombreInconnus: value.integer('Notifications that name no recipient of this data space.', 1),
}) {}

const AN_ARRAY: Text = {
  en: 'the body must be a JSON array',
  fr: fr('le corps doit être un tableau JSON'),
};
const SO_MANY: Text = {
  en: `the body must have 1 to ${MOST_RETOURS} notifications`,
  fr: fr`le corps doit avoir de 1 à ${MOST_RETOURS} notifications`,
};

/** Checks a list of notifications; leaves a body of another media type as it is. */
@Injectable()
export class RetoursPipe extends InputPipe {
  constructor() {
    super();
    this.expectedType = RetourInput;
  }

  /** @throws DomainError `Requete.Invalide` */
  override async transform(sent: unknown, metadata: ArgumentMetadata): Promise<RawBody | RetourRecord[]> {
    if (sent instanceof RawBody) return sent;
    if (!Array.isArray(sent)) throw invalidRequest([{ pointer: '', code: 'type', detail: AN_ARRAY }]);
    if (sent.length < 1 || sent.length > MOST_RETOURS) {
      throw invalidRequest([{ pointer: '', code: 'length', detail: SO_MANY }]);
    }
    const faults: InputFault[] = [];
    const records: RetourRecord[] = [];
    for (const [place, one] of sent.entries()) {
      try {
        records.push((await super.transform(one, metadata)) as RetourRecord);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        const found = error.members.errors ?? [];
        faults.push(...found.map((fault) => ({ ...fault, pointer: `/${place}${fault.pointer}` })));
      }
    }
    if (faults.length > 0) throw invalidRequest(faults);
    return records;
  }
}
