import { ENTITES, RAISONS } from '#membership';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { NOMS_SYNC } from '../domain/sync.types';
import { EffetsItem } from './effets.dto';
import { EXAMPLE_PLAN_IDS, VoteToucheItem } from './plans.dto';
import { EXAMPLE_TACHE_ID } from './taches.dto';

/** Identifiers of the documentation's examples. The demonstration tenant has such syncs, so the examples work. */
export const EXAMPLE_SYNC_IDS = {
  aLire: '0198c2d4-9a10-7c22-8f01-6d3b5e2a7c71',
  aAnnuler: '0198c2d4-9a10-7c22-8f01-6d3b5e2a7c72',
} as const;

/** A sync that has written. */
export class SyncItem extends ItemOf({
  id: value.id(
    'Identifier of the sync (GUID): the feed of changes has it as `syncId`.',
    EXAMPLE_SYNC_IDS.aLire,
  ),
  version: value.choice(NOMS_SYNC, 'Version of the sync; `Annulation` of an undo.', 'V2'),
  tacheId: value.orNull(value.id('The task (GUID), if the sync was one.', EXAMPLE_TACHE_ID)),
  planId: value.orNull(value.id('The plan (GUID), if one was applied.', EXAMPLE_PLAN_IDS.aLire)),
  annule: value.orNull(
    value.id('The sync (GUID) that it has undone, if it is an undo.', EXAMPLE_SYNC_IDS.aAnnuler),
  ),
  evenementId: value.id('Its event `sync.terminee` (GUID).', '0198c2d4-9a10-7c22-8f01-6d3b5e2a7c81'),
  annulable: value.flag('Whether the values of before were kept, so that it can be undone.', true),
  effets: value.one(EffetsItem, 'Its effects, as in `Mandat-Effets`.'),
  dateCreation: value.time('When it was done (UTC).', '2026-03-02T14:05:09.120Z'),
}) {}

/** Body of an undo, which may be left out. */
export class AnnulationInput extends InputOf({
  ignorerConflits: {
    kind: 'boolean',
    description:
      '`true` leaves records that have changed since, or that others refer to, and puts back the rest. Otherwise one such record is 409, and nothing is written.',
    example: true,
  },
} as const) {
  static readonly mayBeAbsent = true;
}

class ConflitItem extends ItemOf({
  entite: value.choice(ENTITES, 'Kind of the record.', 'Employe'),
  idExterne: value.text('External identifier of the record; of a membership, that of its union.', 'E-1001'),
  idExterneEmploye: value.optional(
    value.text('External identifier of the employee, of an employment or membership only.', 'E-1001'),
  ),
  champ: value.optional(
    value.text(
      'Of a custom value, `ValeursChampUtilisateur.` and the name of the field; of a linked employer, `Employeurs.` and its identifier.',
      'ValeursChampUtilisateur.Casque',
    ),
  ),
  raison: value.choice(
    RAISONS,
    '`Modifie`: it has changed since. `Supprime`: it was deleted since. `Retenu`: other records refer to it, for example a card or a voter. `ReferenceAbsente`: what it referred to was deleted since.',
    'Modifie',
  ),
}) {}

class NonAnnulesItem extends ItemOf({
  evenements: value.ids('Events of the sync (GUID), which were sent.', [
    '0198c2d4-9a10-7c22-8f01-6d3b5e2a7c81',
  ]),
  votes: value.list(
    VoteToucheItem,
    'Published campaigns that have not ended and whose rolls have employees that were put back, the most voters first; at most 500. The rolls stay as they are. Empty for a key without the module `vote`.',
  ),
}) {}

/** The result of an undo. */
export class AnnulationItem extends ItemOf({
  syncId: value.orNull(
    value.id(
      'The undo (GUID), which is a sync and can be undone; null for a simulation.',
      EXAMPLE_SYNC_IDS.aLire,
    ),
  ),
  effets: value.one(EffetsItem, 'Its effects, as in `Mandat-Effets`.'),
  nombreConflits: value.integer('Records that were left as they are.', 0),
  conflits: value.list(ConflitItem, 'The first 1,000 of them.'),
  nonAnnules: value.one(NonAnnulesItem, 'What an undo cannot put back. A sync sends no email.'),
}) {}
