import {
  given,
  givenId,
  givenOf,
  givenTime,
  readOnly,
  readOnlyOf,
  type RecordOf,
  text,
} from '#platform/input/field';

/** States of a campaign, in the order in which it goes through them (docs/contract.md, "States and transitions"). */
export const ETATS = ['Brouillon', 'Planifie', 'VoteOuvert', 'Termine', 'Archive'] as const;
export type Etat = (typeof ETATS)[number];

/** A campaign (docs/contract.md, "Campaigns"). */
export const CAMPAGNE_FIELDS = {
  titre: text(255, {
    required: true,
    description: 'Title, unique among campaigns without regard to case.',
    example: 'Élection du comité exécutif 2027',
  }),
  ouvertureDuVoteUtc: {
    kind: 'date',
    required: true,
    description: 'Opening of the vote; not after the closing.',
    example: '2027-03-01T13:00:00.000Z',
  },
  fermetureDuVoteUtc: {
    kind: 'date',
    required: true,
    description: 'Closing of the vote: from this moment on no ballot is accepted.',
    example: '2027-03-08T22:00:00.000Z',
  },
  textePageAccueil: text(100_000, {
    format: 'html',
    description:
      'Text of the welcome page, in HTML, with at most 20,000 tags and 100 levels. It is kept cleaned: scripts, styles, forms, event handlers and addresses other than http, https, mailto and tel are taken out.',
    example: '<p>Bienvenue au vote de <strong>votre</strong> syndicat.</p>',
  }),
  libelleAbstention: text(100, {
    description: 'Label of the abstention, which every question accepts.',
    example: 'Je m’abstiens',
  }),
  ordreReponsesAleatoire: {
    kind: 'boolean',
    always: true,
    description:
      'Whether options are shown in random order, unless a question says otherwise. False if absent.',
    example: false,
  },
  id: givenId('Identifier given by the service (GUID).', '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c01'),
  slug: given('Made of the title; unique among campaigns.', 'election-du-comite-executif-2027'),
  etat: given(
    'State at this moment: a campaign opens and closes at its dates, to the millisecond.',
    'Brouillon',
  ),
  estPublie: givenOf('boolean', 'Whether the state is Planifie, VoteOuvert or Termine.', false),
  estArchive: givenOf('boolean', 'Whether the state is Archive.', false),
  nombreVotants: givenOf('integer', 'Number of voters on the roll.', 3),
  nombreQuestions: givenOf('integer', 'Number of questions.', 2),
  dateCreationUtc: givenTime('Creation.', '2026-11-02T15:04:05.000Z'),
  dateModificationUtc: givenTime(
    'Last change of the campaign, its questions or its publication.',
    '2026-11-02T15:04:05.000Z',
  ),
  resultatsVisibles: givenOf(
    'boolean',
    'Whether results count as visible: once the vote has ended, or while it is open where the client wants it so. `Options` of the statistics stays empty until the vote has ended.',
    false,
  ),
  seuilAnonymat: readOnlyOf(
    'integer',
    'Smallest number of ballots that a filtered result may show. The client’s at the first publication, unless an administrator set another one for this campaign; null before.',
    null,
  ),
  raisonSeuilAnonymat: readOnly('Why an administrator set this threshold; null where none did.', null),
  raisonConstat: readOnly(
    'Why the vote has no result, where an administrator sealed a ballot box in which something did not agree; else null.',
    null,
  ),
  empreinteGraineDepartage: readOnly(
    'SHA-256 of the service’s seed of draws, in hexadecimal. A publication makes a new seed; null before.',
    null,
  ),
  empreinteGrainePartenaire: readOnly(
    'SHA-256 of the partner’s seed of draws, in hexadecimal; null without one.',
    null,
  ),
  graineDepartage: readOnly(
    'The service’s seed of the draws that break ties, in hexadecimal; null until the ballot box is closed, which is at most seconds after the vote.',
    null,
  ),
  grainePartenaire: readOnly(
    'The partner’s seed in base64; null without one, and until the ballot box is closed.',
    null,
  ),
} as const;

export type CampagneRecord = RecordOf<typeof CAMPAGNE_FIELDS>;

/** Bytes of the partner's seed. */
const GRAINE_BYTES = 32;

/** The partner's seed of draws (docs/adr/0026). */
export const GRAINE_FIELDS = {
  graine: text(44, {
    required: true,
    description: '32 random bytes in base64.',
    example: 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA=',
  }),
} as const;

/** @returns undefined where the text is not 32 bytes in base64 */
export function graineOf(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === GRAINE_BYTES && bytes.toString('base64') === text ? bytes : undefined;
}
