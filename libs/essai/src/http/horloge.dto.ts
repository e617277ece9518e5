import { InputOf, ItemOf } from '#platform/input/record-classes';
import { AVANCE_FIELDS, HORLOGE_FIELDS } from '../domain/horloge.fields';

/** Body of PUT. */
export class HorlogeInput extends InputOf(HORLOGE_FIELDS) {}

export class HorlogeItem extends ItemOf(HORLOGE_FIELDS) {}

/** Body of the advance. */
export class AvanceInput extends InputOf(AVANCE_FIELDS) {}
