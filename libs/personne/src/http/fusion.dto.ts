import { Input } from '#platform/input/field.decorator';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { CHOSEN } from '#membership';
import { VoteToucheItem } from '#sync';
import type { EffetsFusion } from '../application/fusion.service';
import { FUSION_FIELDS, PREFERE_FIELDS } from '../domain/fusion.fields';
import { simulation } from './identifiants.dto';

/** Preferences of a merge. */
export class PrefereInput extends InputOf(PREFERE_FIELDS) {}

export class FusionInput extends InputOf(FUSION_FIELDS, { prefere: PrefereInput }) {}

export class FusionQuery {
  @Input(simulation('merge'))
  simulation?: boolean;
}

class ValeurFusionneeItem extends ItemOf({
  champ: value.text(
    'Property of the employee; of a custom value `valeursChampUtilisateur.` and the name of the field.',
    'courriel',
  ),
  retenu: value.choice(CHOSEN, 'Whose value stays.', 'conserve'),
}) {}

class DonneesFusionneesItem extends ItemOf({
  section: value.text('Kind of the rows, as in the export of personal data.', 'emplois'),
  deplacees: value.integer('Rows that the employee has got.', 2),
  reunies: value.integer('Rows that were one of both, and are one now.', 0),
}) {}

class EffetsFusionItem
  extends ItemOf({
    champs: value.list(ValeurFusionneeItem, 'Where both had a value, and not the same one.'),
    donnees: value.list(DonneesFusionneesItem, 'What has gone over. Kinds without a row are left out.'),
    votesTouches: value.list(
      VoteToucheItem,
      'Published campaigns that have not ended and whose rolls had one or both of them, at most 500. Empty for a key without the module `vote`.',
    ),
  })
  implements EffetsFusion {}

/** The effects of a merge or its simulation. */
export class FusionItem extends ItemOf({
  idExterne: value.text('External identifier of the employee that stays.', 'E-1008'),
  effets: value.one(EffetsFusionItem, 'What the merge has changed.'),
}) {}
