import { ENVIRONMENTS, MODULES } from '#access/caller';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { always, given, givenId, givenTime, readOnly, text, neverNull } from '#platform/input/field';
import { value } from '#platform/input/values';
import { type IssuedCle } from '../application/clients.service';
import type { Cle, CleWithEnvironment } from '../domain/cle.entity';
import { CLE_ROTATION_FIELDS } from '../domain/cle.fields';
import type { Client } from '../domain/client.entity';

const nom = text(255, {
  description: 'Name of the organisation, unique among clients.',
  example: 'Syndicat des métallos du Québec',
});
const modules = {
  kind: 'choices',
  values: MODULES,
  description: 'Modules that the client may use.',
  example: ['carteMembre', 'vote'],
} as const;
const limiteParMinute = {
  kind: 'integer',
  min: 1,
  max: 10_000_000,
  description:
    "Requests a minute of each of its keys; null for the service's default (RATE_LIMIT_PER_MINUTE).",
  example: 1200,
} as const;
const fuseauHoraire = text(64, {
  description:
    'IANA time zone of the client. It defines the current day, for example when an employment ends today.',
  example: 'America/Toronto',
});
const quotaCourrielsParJour = {
  kind: 'integer',
  min: 0,
  max: 1_000_000,
  description:
    'Maximum number of e-mail recipients of each data space a day, in the time zone of the client; 0 allows none. E-mails beyond it are rejected with `Courriel.QuotaDepasse`.',
  example: 5000,
} as const;
const adresseDeReponse = text(255, {
  format: 'email',
  description:
    'Reply-To of e-mails: one address in ASCII characters, an international domain as `xn--…`. If null, replies go to the address of the service.',
  example: 'secretariat@example.org',
});
const courrielsEssai = {
  kind: 'texts',
  max: 100,
  length: 320,
  description:
    'Recipients of e-mails from the staging data space: addresses, and domains such as `example.org` or `@example.org`, which do not include their subdomains. All other recipients there end as `Retenu`. An empty list permits none. It does not limit production.',
  example: ['equipe.essais@example.org', 'essais.example.org'],
} as const;
/** Identifiers of the documentation's examples. The demonstration tenant has them, because the examples must work. */
export const EXAMPLE_CLIENT_ID = '8c1c9ad4-7a7e-4e2b-9a44-9a63d7fdc2a1';
export const EXAMPLE_CLE_ID = '5b0c8f5e-94c1-4a0e-8f0a-6d0f0c9d7e21';

/** A client that may be suspended; the demonstration does not have it, because its other examples must work. */
export const EXAMPLE_FORMER_CLIENT_ID = '8c1c9ad4-7a7e-4e2b-9a44-9a63d7fdc2a2';
/** A client that may be erased; the demonstration does not have it either. */
export const EXAMPLE_CLOSED_CLIENT_ID = '8c1c9ad4-7a7e-4e2b-9a44-9a63d7fdc2a3';
/** The key of an administrator; the demonstration does not have it either. */
export const EXAMPLE_CLE_ADMIN_ID = '5b0c8f5e-94c1-4a0e-8f0a-6d0f0c9d7e22';

const clientId = givenId('Identifier of the client (GUID).', EXAMPLE_CLIENT_ID);
const cleId = givenId('Identifier of the key (GUID).', EXAMPLE_CLE_ID);
const dateCreation = givenTime('When it was made (UTC).', '2026-01-15T14:30:00.000Z');

const suspenduLe = {
  ...readOnly(
    'Since when the client is suspended: its keys get 403 `Client.Suspendu`, and its deliveries and e-mails wait (UTC). Null if it is not.',
    null,
  ),
  format: 'date-time',
} as const;
const raisonSuspension = readOnly('Why it is suspended; null if it is not.', null);

const suppressionDemandeeLe = {
  ...readOnly('When its erasure was requested (UTC); null if it was not.', '2026-07-01T12:00:00.000Z'),
  format: 'date-time',
} as const;
const effaceLe = {
  ...readOnly(
    'When its data spaces and keys were erased (UTC); null if they are not.',
    '2026-07-01T12:01:00.000Z',
  ),
  format: 'date-time',
} as const;

const cellules = {
  kind: 'readOnly',
  isList: true,
  description: 'The cells of its data spaces.',
} as const;

const resultatsVoteActifVisibles = {
  kind: 'boolean',
  description:
    'Whether `resultatsVisibles` is true while the vote is open. `Options` stays empty until the vote has ended in either case.',
  example: false,
} as const;
/** The threshold of anonymity, for a client and for one of its campaigns. */
export const SEUIL_ANONYMAT = {
  kind: 'integer',
  min: 1,
  max: 1000,
  description:
    'Smallest number of ballots that a filtered result may show; 1 hides nothing, 5 is recommended.',
  example: 5,
} as const;
const contactTechnique = text(255, {
  description: 'Technical contact of the organisation.',
  example: 'integration@example.org',
});
const casUsage = text(1000, {
  description: 'How the organisation uses the service.',
  example: 'Synchronise the payroll',
});

const DRAPEAUX = { resultatsVoteActifVisibles, seuilAnonymat: SEUIL_ANONYMAT } as const;
const ORGANISATION = { contactTechnique, casUsage } as const;

const percent = (description: string) =>
  ({ kind: 'integer', min: 0, max: 100, description, example: 10 }) as const;
const LIMITES = {
  terminaisonsPourcent: percent(
    'Percent of the current employments and memberships that one sync may end; null allows all.',
  ),
  champsVidesPourcent: percent(
    'Values of stored records that one sync may clear, in percent of the number of employees; null allows all.',
  ),
} as const;
const FREINS = {
  minimum: {
    kind: 'integer',
    min: 1,
    max: 1_000_000,
    description: 'Smaller numbers are always allowed.',
    example: 20,
  },
  jamaisSupprimer: {
    kind: 'boolean',
    description: 'Employments that a sync leaves out never end: only a sent `DateFin` ends one.',
    example: false,
  },
} as const;

export class Drapeaux extends InputOf(neverNull(DRAPEAUX)) {}

export class Organisation extends InputOf(ORGANISATION) {}

export class FreinsInput extends InputOf({ ...LIMITES, ...neverNull(FREINS) }) {}

const drapeaux = { kind: 'record', of: DRAPEAUX, description: 'Switches of the client.' } as const;
const freins = {
  kind: 'record',
  of: { ...LIMITES, ...FREINS },
  description: 'The brake: a sync that would end or clear more is rejected whole (`Sync.FreinDeclenche`).',
} as const;
const organisation = {
  kind: 'record',
  of: ORGANISATION,
  description: 'Details that the organisation gave when it requested access.',
} as const;

export class ClientCreation extends InputOf(
  {
    nom: { ...nom, required: true },
    modules: { ...modules, required: true },
    organisation,
    drapeaux: { ...drapeaux, description: 'Switches of the client; an absent one is false, or 1.' },
    limiteParMinute,
    fuseauHoraire: {
      ...fuseauHoraire,
      description: `${fuseauHoraire.description} America/Toronto if absent.`,
    },
    quotaCourrielsParJour: {
      ...quotaCourrielsParJour,
      description: `${quotaCourrielsParJour.description} 5,000 if absent.`,
    },
    adresseDeReponse,
    courrielsEssai,
    freins,
    cellule: text(20, {
      description:
        'Name of the cell that its data spaces will live in; that with the fewest data spaces if absent.',
      example: 'principal',
    }),
  } as const,
  { organisation: Organisation, drapeaux: Drapeaux, freins: FreinsInput },
) {}

export class ClientModification extends InputOf(
  {
    ...neverNull({ nom, modules, organisation, fuseauHoraire, quotaCourrielsParJour, courrielsEssai }),
    drapeaux: {
      ...drapeaux,
      neverNull: true,
      description: 'Switches of the client; an absent one stays as it is.',
    },
    freins: {
      ...freins,
      neverNull: true,
      description: `${freins.description} An absent property stays as it is.`,
    },
    limiteParMinute,
    adresseDeReponse,
    id: clientId,
    suspenduLe,
    raisonSuspension,
    suppressionDemandeeLe,
    effaceLe,
    cellules,
    dateCreation,
  } as const,
  { organisation: Organisation, drapeaux: Drapeaux, freins: FreinsInput },
) {}

export class ClientSuspension extends InputOf({
  raison: text(1000, {
    required: true,
    description: 'Why the client is suspended.',
    example: 'Unpaid invoices',
  }),
} as const) {}

class DrapeauxItem extends ItemOf(always(DRAPEAUX)) {}

class FreinsItem extends ItemOf({ ...LIMITES, ...always(FREINS) }) {}

class OrganisationItem extends ItemOf(ORGANISATION) {}

class CelluleDEspaceItem extends ItemOf({
  environnement: value.choice(ENVIRONMENTS, 'Environment of the data space.', 'staging'),
  cellule: value.text('Cell of the data space, or the one that it will get.', 'principal'),
}) {}

export class ClientItem extends ItemOf(
  {
    id: clientId,
    ...always({
      nom,
      modules,
      drapeaux,
      organisation,
      fuseauHoraire,
      quotaCourrielsParJour,
      courrielsEssai,
      freins,
    }),
    limiteParMinute,
    adresseDeReponse,
    suspenduLe,
    raisonSuspension,
    suppressionDemandeeLe,
    effaceLe,
    cellules: { ...cellules, always: true },
    dateCreation,
  } as const,
  {
    drapeaux: DrapeauxItem,
    freins: FreinsItem,
    organisation: OrganisationItem,
    cellules: CelluleDEspaceItem,
  },
) {
  static of(client: Client): ClientItem {
    const { id, nom, modules, resultatsVoteActifVisibles, seuilAnonymat, contactTechnique, casUsage } =
      client;
    return {
      id,
      nom,
      modules,
      drapeaux: { resultatsVoteActifVisibles, seuilAnonymat },
      organisation: { contactTechnique, casUsage },
      limiteParMinute: client.limiteParMinute,
      fuseauHoraire: client.fuseauHoraire,
      quotaCourrielsParJour: client.quotaCourrielsParJour,
      adresseDeReponse: client.adresseDeReponse,
      courrielsEssai: client.courrielsEssai,
      freins: client.freins,
      suspenduLe: client.suspenduLe?.toISOString() ?? null,
      raisonSuspension: client.raisonSuspension,
      suppressionDemandeeLe: client.suppressionDemandeeLe?.toISOString() ?? null,
      effaceLe: client.effaceLe?.toISOString() ?? null,
      cellules: ENVIRONMENTS.map((environnement) => ({
        environnement,
        cellule: client.cellules[environnement] ?? client.cellule,
      })),
      dateCreation: client.dateCreation.toISOString(),
    };
  }
}

const cleNom = text(255, {
  required: true,
  description: 'Purpose of the key.',
  example: 'Payroll synchronisation',
});
const environnement = {
  kind: 'choice',
  values: ENVIRONMENTS,
  required: true,
  description: 'Data space that the key opens. The two are separate.',
  example: 'staging',
} as const;
const role = {
  kind: 'choice',
  values: ['partenaire', 'plateforme'],
  required: true,
  description: 'Surface that the key opens.',
  example: 'partenaire',
} as const;
const cleModules = {
  ...modules,
  description: 'Modules that the key is restricted to; null restricts nothing.',
} as const;
const expireLe = {
  kind: 'date',
  description: 'When it expires; null if it never does.',
  example: '2030-01-01T00:00:00Z',
} as const;

export class CleCreation extends InputOf({
  nom: cleNom,
  environnement,
  role,
  modules: cleModules,
  expireLe,
} as const) {}

export class CleRotation extends InputOf(CLE_ROTATION_FIELDS) {}

/** Data of the event `cle.expireBientot`. */
export class CleExpireBientotData extends ItemOf({
  cleId: value.id('Identifier of the key (GUID).', EXAMPLE_CLE_ID),
  nom: value.text('Purpose of the key.', 'Payroll synchronisation'),
  prefixe: value.text('First characters of the key, to recognise it.', 'mdt_stg_4fGh2K'),
  environnement: value.choice(ENVIRONMENTS, 'Data space that the key opens.', 'staging'),
  role: value.choice(['partenaire', 'plateforme'] as const, 'Surface that the key opens.', 'partenaire'),
  expireLe: value.time('When it expires (UTC).', '2030-01-01T00:00:00.000Z'),
}) {}

const prefixe = given('First characters of the key, to recognise it.', 'mdt_stg_4fGh2K');
const LIFE = {
  expireLe,
  revoqueLe: value.orNull(value.time('When it was revoked; null if it was not.', null)),
  dernierUsage: value.orNull(
    value.time('Last use, to the minute; null if it was never used.', '2026-05-31T08:15:00.000Z'),
  ),
  dateCreation,
} as const;

const lifeOf = (cle: Cle) => ({
  expireLe: cle.expireLe?.toISOString() ?? null,
  revoqueLe: cle.revoqueLe?.toISOString() ?? null,
  dernierUsage: cle.dernierUsage?.toISOString() ?? null,
  dateCreation: cle.dateCreation.toISOString(),
});

export class CleItem extends ItemOf({
  id: cleId,
  nom: cleNom,
  environnement,
  role,
  modules: cleModules,
  prefixe,
  ...LIFE,
} as const) {
  static of(cle: CleWithEnvironment): CleItem {
    const { id, nom, environnement, role, modules, prefixe } = cle;
    return { id, nom, environnement, role, modules, prefixe, ...lifeOf(cle) };
  }
}

/** A key of an administrator. */
export class CleAdministrationItem extends ItemOf({
  id: { ...cleId, example: EXAMPLE_CLE_ADMIN_ID },
  nom: { ...cleNom, example: 'Administrator' },
  prefixe: { ...prefixe, example: 'mdt_admin_4fGh2K' },
  ...LIFE,
} as const) {
  static of(cle: Cle): CleAdministrationItem {
    const { id, nom, prefixe } = cle;
    return { id, nom, prefixe, ...lifeOf(cle) };
  }
}

export class IssuedCleItem extends ItemOf(
  {
    cle: value.text(
      'The key. Only this answer shows it, so store it now.',
      'mdt_stg_4fGh2KkQ0s8LmN3pRtVwXyZ1aBcDeF5hJ7kM',
    ),
  },
  {},
  CleItem,
) {
  static of(cle: IssuedCle): IssuedCleItem {
    return { ...CleItem.of(cle), cle: cle.cle };
  }
}
