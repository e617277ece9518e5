import { ENTITES, NATURES } from '#membership';
import { text } from '#platform/input/field';
import { Input } from '#platform/input/field.decorator';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { PagingQuery } from '#platform/http/listing';
import type { Records } from '../application/record-limits';
import { PLAN_FIELDS } from '../domain/sync-v2.fields';
import { VERSIONS } from '../domain/plan.types';
import type { SyncBloquee } from '../domain/sync-terminee.types';
import { EffetsItem } from './effets.dto';
import { EmployeurSync } from './sync-v1.dto';
import { SyncV2Input } from './sync-v2.dto';

/** Identifiers of the documentation's examples. The demonstration tenant has such plans, so the examples work. */
export const EXAMPLE_PLAN_IDS = {
  aLire: '0198c2d4-9a10-7c22-8f01-6d3b5e2a7c51',
  aAppliquer: '0198c2d4-9a10-7c22-8f01-6d3b5e2a7c52',
  aSupprimer: '0198c2d4-9a10-7c22-8f01-6d3b5e2a7c53',
  aAutoriser: '0198c2d4-9a10-7c22-8f01-6d3b5e2a7c54',
} as const;

/** The body of a plan. */
export class PlanInput extends SyncV2Input {
  @Input(PLAN_FIELDS.Employeurs, EmployeurSync)
  Employeurs?: Records | null;
}

export class PlanQuery {
  @Input({
    kind: 'integer',
    min: 1,
    max: 2,
    description: 'Version of the sync whose body this is; 2 if absent.',
    example: 2,
  })
  version?: number;
}

export class PlanChangementList extends InputOf(
  {
    nature: {
      kind: 'choice',
      values: NATURES,
      description: 'Only changes of this kind.',
      example: 'Modifie',
    },
    entite: {
      kind: 'choice',
      values: ENTITES,
      description: 'Only changes of records of this kind.',
      example: 'Employe',
    },
  } as const,
  {},
  PagingQuery,
) {}

class EffetsParEmployeurItem extends ItemOf({
  identifiantExterneEmployeur: value.orNull(
    value.text(
      'External identifier of the employer; null for records of no employer, and for all beyond the 1,000 employers with the most changes.',
      'EMP-7',
    ),
  ),
  crees: value.integer('As in `resume`, for records of this employer.', 3),
  modifies: value.integer('As in `resume`, for records of this employer.', 1),
  inchanges: value.integer('As in `resume`, for records of this employer.', 10),
  termines: value.integer('As in `resume`, for records of this employer.', 2),
  champsVides: value.integer('As in `resume`, for records of this employer.', 5),
  refuses: value.integer('As in `resume`. Rejected records count for no employer.', 0),
}) {}

export class VoteToucheItem extends ItemOf({
  campagneId: value.id('Identifier of the campaign (GUID).', '6f1c2a9e-0d3b-4a51-9c61-5f0f1d0c7a11'),
  titre: value.text('Title of the campaign.', 'Entente de principe'),
  votants: value.integer('Voters on its roll whom the plan ends, changes or moves.', 31),
}) {}

/** A plan: the changes that a sync would make. */
export class PlanItem extends ItemOf({
  id: value.id('Identifier of the plan (GUID).', EXAMPLE_PLAN_IDS.aLire),
  version: value.choice(VERSIONS, 'Version of the sync.', 'V2'),
  etat: value.choice(
    ['Pret', 'Bloque', 'Applique', 'Perime', 'Expire'] as const,
    '`Pret`: can be applied. `Bloque`: the brake stops it, until an administrator releases it. `Applique`: was applied. `Perime`: what it touches has changed. `Expire`: was not applied within 24 h.',
    'Pret',
  ),
  empreinte: value.text(
    'SHA-256 over the records that it touches, as they are and as they would be (hexadecimal).',
    '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  ),
  resume: value.one(EffetsItem, 'Effects of the sync, as in `Mandat-Effets`.'),
  parEmployeur: value.list(EffetsParEmployeurItem, 'The effects by employer, the most changes first.'),
  votesTouches: value.list(
    VoteToucheItem,
    'Published campaigns that have not ended and whose rolls have employees that the plan ends, changes or moves, the most voters first; at most 500. Empty for a key without the module `vote`.',
  ),
  dateCreation: value.time('When it was made (UTC).', '2026-03-02T14:05:09.120Z'),
  expireLe: value.time('When it expires (UTC).', '2026-03-03T14:05:09.120Z'),
}) {}

class ChampModifieItem extends ItemOf({
  champ: value.text(
    'Property of V2; of a custom value `ValeursChampUtilisateur.` and the name of the field; `Employeurs` for a linked employer.',
    'DateFin',
  ),
  avant: value.textOrFlagOrNull('Value before; null if there is none.', null),
  apres: value.textOrFlagOrNull('Value after; null if there is none.', '2026-03-02T00:00:00.000Z'),
}) {}

/** A record that the sync would change. */
export class PlanChangementItem extends ItemOf({
  entite: value.choice(ENTITES, 'Kind of the record.', 'Emploi'),
  idExterne: value.text('External identifier of the record; of a membership, that of its union.', 'EMPLOI-1'),
  idExterneEmploye: value.optional(
    value.text('External identifier of the employee, of an employment or membership only.', 'E-1001'),
  ),
  nature: value.choice(NATURES, 'What happens to it.', 'Termine'),
  champs: value.list(ChampModifieItem, 'The properties that change.'),
}) {}

export class PlanReleaseInput extends InputOf({
  raison: text(1000, {
    required: true,
    description: 'Why the plan is released.',
    example: 'The plant at Laval has closed',
  }),
} as const) {}

/** Data of the event `sync.bloquee`. */
export class SyncBloqueeData
  extends ItemOf({
    version: value.choice(VERSIONS, 'Version of the sync.', 'V2'),
    planId: value.id('The plan of the sync (GUID), which shows each change.', EXAMPLE_PLAN_IDS.aAutoriser),
    effets: value.one(EffetsItem, 'What the sync would have done.'),
  })
  implements SyncBloquee {}
