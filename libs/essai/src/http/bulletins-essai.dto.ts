import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import type { BulletinsDeposes } from '../application/bulletins-essai.service';
import { BULLETINS_ESSAI_FIELDS } from '../domain/bulletins-essai.fields';
import { EXAMPLE_EMPREINTE } from './electorat.dto';

export class BulletinsEssaiInput extends InputOf(BULLETINS_ESSAI_FIELDS) {}

/** Ballots that a seed has cast. Nothing shows who voted how. */
export class BulletinsEssaiItem
  extends ItemOf({
    votants: value.integer('Voters with the right to vote.', 4),
    bulletins: value.integer('Voters whom the seed has chosen.', 2),
    deposes: value.integer('Ballots that this request has cast.', 1),
    dejaDeposes: value.integer('Chosen voters who had voted before.', 1),
    restants: value.integer('Chosen voters who are left: send the request again.', 0),
    empreinte: value.text(
      'SHA-256 of all choices that the seed gives, in hexadecimal: the same for the same seed, voters and questions.',
      EXAMPLE_EMPREINTE,
    ),
  })
  implements BulletinsDeposes {}
