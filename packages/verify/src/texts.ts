/** Languages of the output. Names of files and figures are those of the format in each. */
const EN = {
  proved:
    'A recount proves that the published figures follow from the answers, receipts and roll in these files, and that the ' +
    'service has signed the files.',
  notProved:
    'It does not prove that ballots were cast as the voters meant, that the roll has only entitled persons, or that the ' +
    'votes stayed secret.',
  provedEncrypted:
    'The check proves that each ballot is an allowed answer of one voter, that the published figures are the sums of the encrypted ballots ' +
    'in these files, and that the service and the guardians have signed them.',
  notProvedEncrypted:
    'It does not prove that the devices encrypted what the voters chose (open a ballot to see that), that the roll has only ' +
    'entitled persons, or that the guardians have decrypted nothing else.',
  recountOf: (title: string) => `Recount: ${title}`,
  eyebrow: 'Recount of a vote',
  equal: 'All figures are equal',
  differences: (number: number) => `${number} ${number === 1 ? 'difference' : 'differences'}`,
  opened: 'Opened',
  closed: 'Closed',
  ballots: 'Ballots',
  entitled: 'Entitled voters',
  turnout: 'Turnout',
  voters: 'Voters on the roll',
  weight: 'Weight of the ballots',
  receipts: 'Receipts',
  threshold: 'Anonymity threshold',
  changes: 'Changes of the roll after the opening',
  changesOf: (added: number, removed: number, changed: number) =>
    `${added} added, ${removed} removed, ${changed} changed`,
  headings: ['File', 'Figure', 'Expected', 'Found'],
  title: 'Differences',
  results: 'Recounted results',
  checked: 'What was checked',
  seeds: 'Seeds of the draws',
  commitment: 'Commitment of the service before the first vote (SHA-256)',
  seed: 'Seed of the service, shown after the close',
  partnerSeed: 'Seed of the partner',
  noSeed: 'none',
  seedRemedy: 'Compare the commitment with the one that the campaign showed before the opening.',
  limits: 'What a recount does not prove',
  limitsOf: [
    'that ballots were cast as the voters meant: a voter can only check that the own receipt is in the log;',
    'that the roll has only entitled persons: compare it with a list of your own;',
    'that the votes stayed secret.',
  ],
  digest: 'Digest of the bundle (SHA-256 of manifeste.json)',
  reportOf: (campaign: string, at: string) => `Campaign ${campaign} · report of ${at} by mandat-verify`,
  more: (number: number, what: 'differences' | 'options' | 'rounds') => `and ${number} further ${what}`,
  round: (number: number) => `Round ${number}`,
  quota: (threshold: string) => `threshold ${threshold}`,
  exhausted: 'exhausted',
  elected: 'elected',
  eliminated: 'eliminated',
  surplus: 'surplus transferred',
  tie: (name: string, round: number | null) =>
    `tie: ${name} by ${round === null ? 'a draw' : `round ${round}`}`,
  drawn: (number: number) => ` · drawn: ${number}`,
  ranked: ', ranked',
  expressed: 'expressed',
  abstentions: 'abstentions',
  firstChoices: 'First choices',
  votes: 'Votes',
  columns: 'ballots · weight · share',
  summary: (ballots: number, entitled: number, recounted: number, questions: number) =>
    `${ballots} ballots of ${entitled} entitled voters, ${recounted} of ${questions} questions recounted`,
  difference: (figure: string, expected: string, found: string) =>
    `${figure}: expected ${expected}, found ${found}`,
  openedOf: (voter: string, campaign: string) => `Opened ballot of voter ${voter} in campaign ${campaign}`,
  receiptOf: (receipt: string) =>
    `Its receipt is ${receipt}. Compare it with the one that the device showed before you chose to open the ballot.`,
  noVote:
    'The device that sealed the ballot names the vote itself. Give the vote from another source with --scrutin, so that its key ' +
    'and its labels are compared.',
  notCast: 'This ballot must not be cast. It says nothing about ballots that the device seals later.',
  abstention: 'abstention',
  right: 'THE BALLOT ENCRYPTS THESE CHOICES',
  allEqual: 'ALL EQUAL',
  differs: (number: number) => `DIFFERS: ${number} difference${number === 1 ? '' : 's'}`,
};

export type Texts = typeof EN;
export type Language = 'en' | 'fr';

const FR: Texts = {
  proved:
    'Un recomptage prouve que les chiffres publiés découlent des réponses, des reçus et de la liste de ces fichiers, et ' +
    'que le service a signé les fichiers.',
  notProved:
    'Il ne prouve pas que les bulletins expriment la volonté des électeurs, que la liste ne compte que des ayants droit, ni ' +
    'que les votes sont restés secrets.',
  provedEncrypted:
    'La vérification prouve que chaque bulletin est une réponse permise d’un électeur, que les chiffres publiés sont les sommes des ' +
    'bulletins chiffrés de ces fichiers, et que le service et les gardiens les ont signés.',
  notProvedEncrypted:
    'Elle ne prouve pas que les appareils ont chiffré le choix des électeurs (ouvrez un bulletin pour le voir), que la liste ne compte ' +
    'que des ayants droit, ni que les gardiens n’ont rien déchiffré d’autre.',
  recountOf: (title) => `Recomptage : ${title}`,
  eyebrow: 'Recomptage d’un vote',
  equal: 'Tous les chiffres concordent',
  differences: (number) => `${number} ${number === 1 ? 'différence' : 'différences'}`,
  opened: 'Ouverture',
  closed: 'Fermeture',
  ballots: 'Bulletins',
  entitled: 'Électeurs avec droit de vote',
  turnout: 'Participation',
  voters: 'Électeurs sur la liste',
  weight: 'Poids des bulletins',
  receipts: 'Reçus',
  threshold: 'Seuil d’anonymat',
  changes: 'Changements de la liste après l’ouverture',
  changesOf: (added, removed, changed) => `${added} ajoutés, ${removed} retirés, ${changed} modifiés`,
  headings: ['Fichier', 'Chiffre', 'Attendu', 'Trouvé'],
  title: 'Différences',
  results: 'Résultats recomptés',
  checked: 'Ce qui a été vérifié',
  seeds: 'Graines des tirages',
  commitment: 'Engagement du service avant le premier vote (SHA-256)',
  seed: 'Graine du service, montrée après la fermeture',
  partnerSeed: 'Graine du partenaire',
  noSeed: 'aucune',
  seedRemedy: 'Comparez l’engagement avec celui que la campagne montrait avant l’ouverture.',
  limits: 'Ce qu’un recomptage ne prouve pas',
  limitsOf: [
    'que les bulletins expriment la volonté des électeurs : un électeur peut seulement vérifier que son reçu est au registre;',
    'que la liste ne compte que des ayants droit : comparez-la avec une liste à vous;',
    'que les votes sont restés secrets.',
  ],
  digest: 'Empreinte du dossier (SHA-256 de manifeste.json)',
  reportOf: (campaign, at) => `Campagne ${campaign} · rapport du ${at} par mandat-verify`,
  more: (number, what) =>
    `et ${number} autres ${{ differences: 'différences', options: 'options', rounds: 'tours' }[what]}`,
  round: (number) => `Tour ${number}`,
  quota: (threshold) => `seuil ${threshold}`,
  exhausted: 'épuisés',
  elected: 'élus',
  eliminated: 'éliminés',
  surplus: 'surplus transféré',
  tie: (name, round) => `égalité : ${name} par ${round === null ? 'tirage' : `le tour ${round}`}`,
  drawn: (number) => ` · tirages : ${number}`,
  ranked: ', préférentiel',
  expressed: 'exprimés',
  abstentions: 'abstentions',
  firstChoices: 'Premiers choix',
  votes: 'Votes',
  columns: 'bulletins · poids · part',
  summary: (ballots, entitled, recounted, questions) =>
    `${ballots} bulletins de ${entitled} électeurs avec droit de vote, ${recounted} de ${questions} questions recomptées`,
  difference: (figure, expected, found) => `${figure} : attendu ${expected}, trouvé ${found}`,
  openedOf: (voter, campaign) => `Bulletin ouvert de l’électeur ${voter}, campagne ${campaign}`,
  receiptOf: (receipt) =>
    `Son reçu est ${receipt}. Comparez-le avec celui que l’appareil montrait avant que vous choisissiez d’ouvrir le bulletin.`,
  noVote:
    'L’appareil qui a scellé le bulletin nomme lui-même le vote. Donnez le vote d’une autre source avec --scrutin, pour comparer ' +
    'sa clé et ses libellés.',
  notCast:
    'Ce bulletin ne doit pas être déposé. Il ne dit rien des bulletins que l’appareil scellera plus tard.',
  abstention: 'abstention',
  right: 'LE BULLETIN CHIFFRE CES CHOIX',
  allEqual: 'TOUT CONCORDE',
  differs: (number) => `DIFFÉRENT : ${number} différence${number === 1 ? '' : 's'}`,
};

export const TEXTS: Readonly<Record<Language, Texts>> = { en: EN, fr: FR };

/** Returns the texts about what the check of a vote proves, and about its limits. */
export function proofOf(
  language: Language,
  isEncrypted: boolean,
): { proved: string; notProved: string; limits: readonly string[] } {
  const { proved, notProved, limitsOf, provedEncrypted, notProvedEncrypted } = TEXTS[language];
  return isEncrypted
    ? { proved: provedEncrypted, notProved: notProvedEncrypted, limits: [notProvedEncrypted] }
    : { proved, notProved, limits: limitsOf };
}
