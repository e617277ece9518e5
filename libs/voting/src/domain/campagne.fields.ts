import { readOnly, readOnlyOf, type RecordOf, text } from '#shared/records/field';

/** States of a campaign, in the order in which it goes through them (specification, "States and transitions"). */
export const ETATS = ['Brouillon', 'Planifie', 'VoteOuvert', 'Termine', 'Archive'] as const;
export type Etat = (typeof ETATS)[number];

/** A campaign (specification, "Campaign"). */
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
    description:
      'Text of the welcome page, in HTML. It is kept cleaned: scripts, styles, forms, event handlers and addresses other than http, https, mailto and tel are taken out.',
    example: '<p>Bienvenue au vote de <strong>votre</strong> syndicat.</p>',
  }),
  libelleAbstention: text(100, {
    description: 'Label of the abstention, which every question accepts.',
    example: 'Je m’abstiens',
  }),
  ordreReponsesAleatoire: {
    kind: 'boolean',
    description:
      'Whether options are shown in random order, unless a question says otherwise. False if absent.',
    example: false,
  },
  id: readOnly('Identifier given by the service (GUID).', '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c01'),
  slug: readOnly('Made of the title; unique among campaigns.', 'election-du-comite-executif-2027'),
  etat: readOnly(
    'State at this moment: a campaign opens and closes at its dates, to the millisecond.',
    'Brouillon',
  ),
  estPublie: readOnlyOf('boolean', 'Whether the state is Planifie, VoteOuvert or Termine.', false),
  estArchive: readOnlyOf('boolean', 'Whether the state is Archive.', false),
  nombreVotants: readOnlyOf('integer', 'Number of voters on the roll.', 3),
  nombreQuestions: readOnlyOf('integer', 'Number of questions.', 2),
  dateCreationUtc: readOnly('Creation.', '2026-11-02T15:04:05.000Z'),
  dateModificationUtc: readOnly(
    'Last change of the campaign, its questions or its publication.',
    '2026-11-02T15:04:05.000Z',
  ),
  resultatsVisibles: readOnlyOf(
    'boolean',
    'Whether results can be seen: once the vote has ended, or while it is open where the client wants it so.',
    false,
  ),
  graineDepartage: readOnly(
    'Seed of the draws that break ties of ranked counts; null until the opening.',
    '5f2b0c7d9e1a4b38a6c4d2e0f19b8375',
  ),
} as const;

export type CampagneRecord = RecordOf<typeof CAMPAGNE_FIELDS>;
