import { PagingQuery } from '#platform/http/listing';
import { givenId, givenTime } from '#platform/input/field';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { CHANGEMENT_FILTERS, ENTITES, FED_NATURES, ORIGINES } from '../domain/changement.fields';

export class ChangementList extends InputOf(CHANGEMENT_FILTERS, {}, PagingQuery) {}

/** A change to a record of the master data, without its values. */
export class ChangementItem extends ItemOf({
  id: givenId('Identifier of the change (GUID).', '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f21'),
  entite: value.choice(ENTITES, 'Kind of the record.', 'Emploi'),
  idExterne: value.text('External identifier of the record; of a membership, that of its union.', 'EMPLOI-1'),
  idExterneEmploye: value.optional(
    value.text('External identifier of the employee, of an employment or membership only.', 'E-1001'),
  ),
  ancienIdExterne: value.optional(
    value.text(
      'External identifier that the employee had before, or that of the employee that it has absorbed; of a renaming and a merge only.',
      'E-0991',
    ),
  ),
  nature: value.choice(
    FED_NATURES,
    'What happened. `Termine`: an employment or membership that was active on the current day was ended. `Fusionne`: the employee has absorbed that of `ancienIdExterne`, with all of its records; read it again, and remove the other one.',
    'Termine',
  ),
  date: givenTime('Time of the change (UTC).', '2026-03-02T14:05:09.120Z'),
  origine: value.choice(ORIGINES, 'How it came about.', 'sync'),
  syncId: value.optional(
    value.id(
      'Identifier of the sync, of a change by a sync only; that of its task if it has one (GUID).',
      '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f22',
    ),
  ),
}) {}
