import { ApiProperty } from '@nestjs/swagger';
import { Input, Shown } from '#shared/http/field.decorator';
import {
  CHAMP_FIELDS,
  type ChampRecord,
  CHOIX_FIELDS,
  type TypeChamp,
} from '../domain/champ-utilisateur.fields';

export class ChoixInput {
  @Input(CHOIX_FIELDS.idExterne)
  idExterne: string;

  @Input(CHOIX_FIELDS.libelle)
  libelle: string;
}

class ChampBody {
  @Input(CHAMP_FIELDS.type)
  type: TypeChamp;

  @Input(CHAMP_FIELDS.obligatoire)
  obligatoire?: boolean | null;

  @Input(CHAMP_FIELDS.choix, ChoixInput)
  choix?: ChoixInput[] | null;

  @Input(CHAMP_FIELDS.idUnique)
  idUnique?: unknown;

  @Input(CHAMP_FIELDS.dateCreation)
  dateCreation?: unknown;
}

/** Body of POST and PUT. */
export class ChampInput extends ChampBody implements ChampRecord {
  @Input(CHAMP_FIELDS.nom)
  nom: string;
}

/** Body of PUT under the name itself. */
export class ChampReplacement extends ChampBody {
  @Input({ ...CHAMP_FIELDS.nom, required: false, description: 'The name in the path, or nothing.' })
  nom?: string | null;
}

class ChoixItem {
  @Shown(CHOIX_FIELDS.idExterne)
  idExterne: string;

  @Shown(CHOIX_FIELDS.libelle)
  libelle: string;
}

/** A custom field. */
export class ChampItem {
  @Shown(CHAMP_FIELDS.nom)
  nom: string;

  @Shown(CHAMP_FIELDS.type)
  type: TypeChamp;

  @Shown(CHAMP_FIELDS.obligatoire, { always: true })
  obligatoire: boolean;

  @ApiProperty({ type: [ChoixItem], description: CHAMP_FIELDS.choix.description })
  choix: ChoixItem[];

  @Shown(CHAMP_FIELDS.idUnique, { always: true, format: 'uuid' })
  idUnique: string;

  @Shown(CHAMP_FIELDS.dateCreation, { always: true, format: 'date-time' })
  dateCreation: string;
}
