import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { APPLICATION_FIELDS, ECART_FILTERS, NATURES } from '../domain/ecart.fields';
import { EXAMPLE_IDS } from '../../http/examples';

export class EcartsQuery extends InputOf(ECART_FILTERS) {}

/** Body that applies differences. */
export class EcartsApplicationInput extends InputOf(APPLICATION_FIELDS) {}

/** A property of a voter that differs. */
export class EcartChampItem extends ItemOf({
  champ: value.text('Property of the voter.', 'Courriel'),
  avant: value.scalarOrNull('Value on the roll; null for a voter to add.', 'ancien@example.org'),
  apres: value.scalarOrNull('Value by the master data; null for a voter to remove.', 'neuf@example.org'),
}) {}

/** A difference between the roll and the master data. */
export class EcartItem extends ItemOf({
  nature: value.choice(NATURES, 'What applying it does.', 'AModifier'),
  votantId: value.orNull(
    value.id('Identifier of the voter (GUID); null for one to add.', EXAMPLE_IDS.votant),
  ),
  employeIdExterne: value.text('External identifier of the employee.', 'E-1001'),
  champs: value.list(EcartChampItem, 'The properties that differ, in the order of the voter’s properties.'),
}) {}

/** Differences between a roll and the master data. */
export class EcartsItem extends ItemOf({
  empreinte: value.text(
    'Digest of all differences, also of kinds that were not asked for and of voters who have voted: SHA-256 over the MD5 of each one’s row, hexadecimal.',
    APPLICATION_FIELDS.empreinte.example,
  ),
  ecarts: value.list(EcartItem, 'The differences, in the order in which the employees were created.'),
}) {}

/** Numbers of voters that were changed when differences were applied. */
export class EcartsAppliquesItem extends ItemOf({
  nombreAjoutes: value.integer('Voters added to the roll.', 2),
  nombreRetires: value.integer('Voters removed from the roll.', 1),
  nombreModifies: value.integer('Voters changed.', 3),
}) {}
