import type { FaultName } from '@mandat/ballot/guardians';

/** Languages of the output. Names of files, members and commands are those of the format in each. */
const EN = {
  usage: `Usage: mandat-gardien COMMAND [options]

  commencer                 begin: make your secret file
  tour CEREMONIE            check the ceremony, and make your file of its next round
  verifier CEREMONIE        check the ceremony without a secret file
  dechiffrer FOLDER         check the count, and decrypt its sums. FOLDER has ceremonie.json,
                            scrutin.json, bulletins.ndjson and depouillement.json

  --secret FILE             your secret file: gardien.secret if absent
  --langue fr|en            language of the output: that of the system if absent
  --help                    show this text

CEREMONIE is the file of the ceremony as you have got it. Nothing is sent: the tool needs no network.
It asks for your passphrase. Rehearsals can set MANDAT_PHRASE instead.

Exit: 0 done or nothing to do, 1 failed or somebody has cheated, 2 wrong usage.
`,
  seeHelp: 'See mandat-gardien --help.',
  nameCommand: 'Name a command: commencer, tour, verifier or dechiffrer.',
  oneArgument: (command: string) => `mandat-gardien ${command} takes one file or folder.`,
  noArgument: (command: string) => `mandat-gardien ${command} takes no argument.`,
  badLanguage: '--langue must be fr or en.',
  unexpected: (message: string) => `An unexpected error: ${message}`,

  unreadable: (path: string, code: string) => `${path} cannot be read (${code}).`,
  unwritable: (path: string, code: string) => `${path} cannot be written (${code}).`,
  tooLarge: (path: string) => `${path} is too large.`,
  notCeremony: (path: string) =>
    `${path} is not the file of a ceremony. Download it again, and do not change it.`,
  written: (path: string) => `Written: ${path}. Send this file; it is not secret.`,

  askName: 'Your name, exactly as in the list of the guardians: ',
  askNumber: 'Your number in this list (the first guardian has 1): ',
  askPhrase: 'Passphrase: ',
  askPhraseAgain: 'The same passphrase again: ',
  emptyName: 'A name is needed.',
  badNumber: 'The number must be from 1 to 9.',
  shortPhrase: (least: number) =>
    `The passphrase needs at least ${least} characters, for example five words.`,
  otherPhrase: 'The two passphrases are not the same. Begin again.',
  noTerminal: 'There is no terminal to ask for the passphrase. Set MANDAT_PHRASE.',
  noAnswer: 'There was no answer.',
  yes: 'yes',
  notConfirmed: 'Nothing was done.',

  secretExists: (path: string) =>
    `${path} is there already. A secret file is never overwritten. Name another one with --secret.`,
  secretMade: (path: string) =>
    `Your secret file is ${path}. Make a copy on a USB stick, and keep it apart from the passphrase. Never send either to anybody.`,
  damaged: (path: string) => `${path} is not a secret file, or it is damaged. Take your copy of it.`,
  wrongPhrase: (path: string) =>
    `The passphrase is wrong, or ${path} is damaged. Try again; then take your copy of the file.`,

  loss: (seuil: number, count: number) =>
    seuil === count
      ? `ALL ${count} guardians must decrypt. If one of them loses the secret file or the passphrase, the vote is LOST: nobody can ever count it.`
      : `${seuil} of ${count} guardians must decrypt. If more than ${count - seuil} lose the secret file or the passphrase, the vote is LOST: nobody can ever count it.`,
  otherCampaign: (path: string) =>
    `${path} belongs to another campaign. Each campaign needs a secret file of its own: mandat-gardien commencer.`,
  otherName: (number: number, expected: string, own: string) =>
    `Guardian ${number} of this ceremony is ${expected}, but your secret file is that of ${own}.`,
  foreignFile: (round: number) =>
    `STOP: the ceremony has a file of round ${round} under your number that this secret file has not made. Either this is an old copy of your ` +
    'secret file, or somebody poses as you. If you have only this copy, tell the other guardians by telephone, and begin a new ceremony.',
  otherHistory: (round: number) =>
    `STOP: the files of round ${round} are not those for which you have made your file. Either this is an old or another ceremony, or not all ` +
    'guardians are shown the same files. Download it again; if it stays so, tell the other guardians by telephone.',
  fault: (guardian: number | undefined, name: string | undefined, text: string) =>
    guardian === undefined ? text : `Guardian ${guardian}${name ? ` (${name})` : ''}: ${text}`,
  unsigned: ' This guardian has not signed the file: anybody can have made it.',
  failed: (guardian: number, name: string, by: number) =>
    `Guardian ${guardian} (${name}) has CHEATED, or the tool or computer of this guardian is broken. ` +
    (guardian === by
      ? 'The complaint of this guardian about another one is false.'
      : `The complaint of guardian ${by} proves it: the share was wrong.`) +
    ' This ceremony has ended. Begin a new one, with new secret files.',
  fingerprints: 'Fingerprints of the guardians:',
  fingerprint: (number: number, text: string) => `  guardian ${number}  ${text}`,
  ownFingerprint: (text: string) =>
    `Your fingerprint: ${text}\nWrite it down. Before round 2, all guardians read theirs to each other by telephone.`,
  compare:
    'Compare each fingerprint by telephone with the guardian whose it is. The service could otherwise put itself in the place of one.',
  askCompared: (yes: string) => `Did every guardian read the same fingerprint to you? Then write ${yes}: `,
  waiting: (round: number, names: string) => `Round ${round} waits for: ${names}`,
  yours: (round: number) =>
    `Your file of round ${round} is there. There is nothing to do until the others have sent theirs.`,
  again: 'This is the file that you have made before.',
  madeRound: (round: number) => `Your file of round ${round} is made.`,
  madeComplaint: (guardian: number, name: string) =>
    `Guardian ${guardian} (${name}) has sent you a WRONG share. Your file is a complaint that proves it. Send it: the ceremony ends with it.`,
  runAgain:
    'When all files of this round are there, download the ceremony again, and run: mandat-gardien tour',
  complete: (digest: string) =>
    `The ceremony is complete. All shares and signatures are right.\nDigest of the ceremony: ${digest}\nAll guardians must see this digest. Keep your secret file until the result is published.`,
  holds: (count: number) => `${count} files: all signatures and proofs are right.`,

  noKey: 'The ceremony is not complete, so there is no key.',
  otherCeremony: 'STOP: this is not the ceremony that you have completed. Its digest is another one.',
  otherVote: (member: string) => `scrutin.json does not belong to this ceremony: ${member} is another one.`,
  badVote: (message: string) => `scrutin.json is not a vote: ${message}`,
  otherCount: (kept: string, now: string) =>
    `STOP: you have decrypted this campaign before, and the sums were other ones (${kept}, now ${now}). Differences of sums could show single ballots. ` +
    'Decrypt nothing, and ask who has made these sums.',
  checking: 'checking ballots',
  ballotLine: (line: number) => `bulletins.ndjson, line ${line}: this is not a ballot in the right form.`,
  ballotOrder: (line: number) =>
    `bulletins.ndjson, line ${line}: this ballot is there twice, or the ballots are not in their order.`,
  ballotProof: (line: number, check: string) =>
    `bulletins.ndjson, line ${line}: this ballot does not count, because its check fails (${check}).`,
  ballotVoter: (line: number) => `bulletins.ndjson, line ${line}: this voter has two ballots.`,
  noBallots: 'bulletins.ndjson has no ballots.',
  badSums: 'depouillement.json is not the answer of GET …/chiffrement/depouillement, with the list sommes.',
  sumsDiffer: (line: number) =>
    `depouillement.json, entry ${line} of sommes: this is not the sum of the ballots of the class.`,
  smallClass: (classe: number, ballots: number, least: number) =>
    `Class ${classe} has ${ballots} ballots; at least ${least} are needed. Its sums would say too much about single ballots.`,
  summary: (ballots: number, classes: number, smallest: number, sums: number) =>
    `${ballots} ballots in ${classes} class${classes === 1 ? '' : 'es'}, the smallest one with ${smallest}; ${sums} sums are to be decrypted.`,
  fewBallots: (smallest: number) =>
    `Note: the smallest class has ${smallest} ballot${smallest === 1 ? '' : 's'}. Whoever knows ${smallest === 1 ? 'its voter' : 'all but one'} then reads ${smallest === 1 ? 'this ballot' : 'the other one'}. The vote allows that (seuilAnonymat).`,
  checked: 'All proofs, sums and class sizes are right, and no ballot and no voter is there twice.',
  digest: (text: string) => `Digest of what is decrypted: ${text}`,
  once: 'You decrypt once in a campaign. After that the tool refuses other sums of it.',
  compareDigest:
    'Read this digest to the other guardians by telephone. Someone who gives them other sums of the same ballots could read single ballots from the differences.',
  askDecrypt: (yes: string) => `Decrypt these sums? Then write ${yes}: `,
  askDecryptCompared: (yes: string) =>
    `Did every guardian whom you can reach read the same digest to you? Then write ${yes}, and the sums are decrypted: `,

  faults: {
    format: 'This is not a file of a guardian, or it was changed.',
    campagne: 'The file is for another campaign.',
    tour: 'The file is not for the round whose files are awaited.',
    double: 'This guardian has already sent a file of this round.',
    signature: 'The signature is wrong.',
    nom: 'The name or number is not that of the list.',
    nombre: 'The number of guardians or the threshold is another one.',
    cleEnDouble: 'Another guardian has the same key.',
    preuveTransport: 'The proof of the key is wrong: the guardian does not have its secret.',
    precedent: 'The file answers other files of the round before.',
    engagements: 'There are too few or too many commitments, or one of them is zero.',
    preuveEngagement: 'The proof of the commitments is wrong: the guardian does not have their secret.',
    parts: 'A part is missing, or one is too many.',
    cle: 'The key of the vote is another one.',
    plainte: 'The complaint is against nobody.',
    preuvePlainte: 'The complaint is false: its proof is wrong.',
    depouillement: 'The file decrypts other sums.',
    preuvePart: 'A decryption is wrong.',
  } satisfies Record<FaultName, string> as Record<FaultName, string>,
};

export type Texts = typeof EN;
export type Language = 'en' | 'fr';

const FR: Texts = {
  usage: `Usage : mandat-gardien COMMANDE [options]

  commencer                 commencer : créer votre fichier secret
  tour CEREMONIE            vérifier la cérémonie et créer votre fichier du prochain tour
  verifier CEREMONIE        vérifier la cérémonie sans fichier secret
  dechiffrer DOSSIER        vérifier le dépouillement et déchiffrer ses sommes. DOSSIER contient
                            ceremonie.json, scrutin.json, bulletins.ndjson et depouillement.json

  --secret FICHIER          votre fichier secret : gardien.secret par défaut
  --langue fr|en            langue de l’affichage : celle du système par défaut
  --help                    afficher ce texte

CEREMONIE est le fichier de la cérémonie tel que vous l’avez reçu. Rien n’est envoyé : l’outil n’a
pas besoin de réseau. Il demande votre phrase secrète. Une répétition peut la donner par MANDAT_PHRASE.

Code de sortie : 0 fait ou rien à faire, 1 échec ou tricherie, 2 mauvais usage.
`,
  seeHelp: 'Voir mandat-gardien --help.',
  nameCommand: 'Nommez une commande : commencer, tour, verifier ou dechiffrer.',
  oneArgument: (command) => `mandat-gardien ${command} demande un fichier ou un dossier.`,
  noArgument: (command) => `mandat-gardien ${command} ne demande pas d’argument.`,
  badLanguage: '--langue doit être fr ou en.',
  unexpected: (message) => `Erreur inattendue : ${message}`,

  unreadable: (path, code) => `${path} ne peut pas être lu (${code}).`,
  unwritable: (path, code) => `${path} ne peut pas être écrit (${code}).`,
  tooLarge: (path) => `${path} est trop grand.`,
  notCeremony: (path) =>
    `${path} n’est pas le fichier d’une cérémonie. Téléchargez-le de nouveau et ne le modifiez pas.`,
  written: (path) => `Écrit : ${path}. Envoyez ce fichier ; il n’est pas secret.`,

  askName: 'Votre nom, exactement comme dans la liste des gardiens : ',
  askNumber: 'Votre numéro dans cette liste (le premier gardien a le 1) : ',
  askPhrase: 'Phrase secrète : ',
  askPhraseAgain: 'La même phrase secrète, encore une fois : ',
  emptyName: 'Il faut un nom.',
  badNumber: 'Le numéro doit être de 1 à 9.',
  shortPhrase: (least) => `La phrase secrète doit avoir au moins ${least} caractères, par exemple cinq mots.`,
  otherPhrase: 'Les deux phrases secrètes diffèrent. Recommencez.',
  noTerminal: 'Il n’y a pas de terminal pour demander la phrase secrète. Donnez-la par MANDAT_PHRASE.',
  noAnswer: 'Il n’y a pas eu de réponse.',
  yes: 'oui',
  notConfirmed: 'Rien n’a été fait.',

  secretExists: (path) =>
    `${path} existe déjà. Un fichier secret n’est jamais remplacé. Nommez-en un autre par --secret.`,
  secretMade: (path) =>
    `Votre fichier secret est ${path}. Faites-en une copie sur une clé USB, et gardez-la séparée de la phrase secrète. N’envoyez jamais ni l’un ni l’autre à personne.`,
  damaged: (path) => `${path} n’est pas un fichier secret, ou il est endommagé. Prenez votre copie.`,
  wrongPhrase: (path) =>
    `La phrase secrète est fausse, ou ${path} est endommagé. Essayez de nouveau, puis prenez votre copie du fichier.`,

  loss: (seuil, count) =>
    seuil === count
      ? `LES ${count} gardiens doivent tous déchiffrer. Si un seul perd son fichier secret ou sa phrase secrète, le vote est PERDU : personne ne pourra jamais le dépouiller.`
      : `${seuil} gardiens sur ${count} doivent déchiffrer. Si plus de ${count - seuil} perdent leur fichier secret ou leur phrase secrète, le vote est PERDU : personne ne pourra jamais le dépouiller.`,
  otherCampaign: (path) =>
    `${path} appartient à une autre campagne. Chaque campagne demande son propre fichier secret : mandat-gardien commencer.`,
  otherName: (number, expected, own) =>
    `Le gardien ${number} de cette cérémonie est ${expected}, mais votre fichier secret est celui de ${own}.`,
  foreignFile: (round) =>
    `ARRÊTEZ : la cérémonie a sous votre numéro un fichier du tour ${round} que ce fichier secret n’a pas créé. Soit c’est une vieille copie de votre ` +
    'fichier secret, soit quelqu’un se fait passer pour vous. Si vous n’avez que cette copie, prévenez les autres gardiens par téléphone et commencez une nouvelle cérémonie.',
  otherHistory: (round) =>
    `ARRÊTEZ : les fichiers du tour ${round} ne sont pas ceux auxquels répond votre fichier. Soit c’est une cérémonie ancienne ou différente, soit tous ` +
    'les gardiens ne voient pas les mêmes fichiers. Téléchargez-la de nouveau ; si rien ne change, prévenez les autres gardiens par téléphone.',
  fault: (guardian, name, text) =>
    guardian === undefined ? text : `Gardien ${guardian}${name ? ` (${name})` : ''} : ${text}`,
  unsigned: ' Ce gardien n’a pas signé le fichier : n’importe qui peut l’avoir créé.',
  failed: (guardian, name, by) =>
    `Le gardien ${guardian} (${name}) a TRICHÉ, ou son outil ou son ordinateur est défectueux. ` +
    (guardian === by
      ? 'Sa plainte contre un autre gardien est fausse.'
      : `La plainte du gardien ${by} le prouve : la part était fausse.`) +
    ' Cette cérémonie est finie. Commencez-en une nouvelle, avec de nouveaux fichiers secrets.',
  fingerprints: 'Empreintes des gardiens :',
  fingerprint: (number, text) => `  gardien ${number}  ${text}`,
  ownFingerprint: (text) =>
    `Votre empreinte : ${text}\nNotez-la. Avant le tour 2, les gardiens se lisent leurs empreintes par téléphone.`,
  compare:
    'Comparez chaque empreinte par téléphone avec le gardien concerné. Sans cela, le service pourrait prendre la place de l’un d’eux.',
  askCompared: (yes) => `Chaque gardien vous a-t-il lu la même empreinte ? Alors écrivez ${yes} : `,
  waiting: (round, names) => `Le tour ${round} attend : ${names}`,
  yours: (round) =>
    `Votre fichier du tour ${round} est là. Il n’y a rien à faire avant que les autres aient envoyé le leur.`,
  again: 'C’est le fichier que vous aviez déjà créé.',
  madeRound: (round) => `Votre fichier du tour ${round} est créé.`,
  madeComplaint: (guardian, name) =>
    `Le gardien ${guardian} (${name}) vous a envoyé une part FAUSSE. Votre fichier est une plainte qui le prouve. Envoyez-la : elle met fin à la cérémonie.`,
  runAgain:
    'Quand tous les fichiers de ce tour seront là, téléchargez de nouveau la cérémonie et lancez : mandat-gardien tour',
  complete: (digest) =>
    `La cérémonie est complète. Toutes les parts et signatures sont justes.\nEmpreinte de la cérémonie : ${digest}\nTous les gardiens doivent voir cette empreinte. Gardez votre fichier secret jusqu’à la publication du résultat.`,
  holds: (count) => `${count} fichiers : toutes les signatures et preuves sont justes.`,

  noKey: 'La cérémonie n’est pas complète : il n’y a pas de clé.',
  otherCeremony: 'ARRÊTEZ : ce n’est pas la cérémonie que vous avez achevée. Son empreinte est différente.',
  otherVote: (member) => `scrutin.json n’appartient pas à cette cérémonie : ${member} diffère.`,
  badVote: (message) => `scrutin.json n’est pas un scrutin : ${message}`,
  otherCount: (kept, now) =>
    `ARRÊTEZ : vous avez déjà déchiffré cette campagne, et les sommes étaient différentes (${kept}, maintenant ${now}). Des différences de sommes pourraient révéler ` +
    'des bulletins. Ne déchiffrez rien, et demandez qui a fait ces sommes.',
  checking: 'vérification des bulletins',
  ballotLine: (line) => `bulletins.ndjson, ligne ${line} : ce n’est pas un bulletin dans la bonne forme.`,
  ballotOrder: (line) =>
    `bulletins.ndjson, ligne ${line} : ce bulletin est là deux fois, ou les bulletins ne sont pas dans leur ordre.`,
  ballotProof: (line, check) =>
    `bulletins.ndjson, ligne ${line} : ce bulletin ne compte pas, car sa vérification échoue (${check}).`,
  ballotVoter: (line) => `bulletins.ndjson, ligne ${line} : cet électeur a deux bulletins.`,
  noBallots: 'bulletins.ndjson n’a pas de bulletins.',
  badSums:
    'depouillement.json n’est pas la réponse de GET …/chiffrement/depouillement, avec la liste sommes.',
  sumsDiffer: (line) =>
    `depouillement.json, élément ${line} de sommes : ce n’est pas la somme des bulletins de la classe.`,
  smallClass: (classe, ballots, least) =>
    `La classe ${classe} a ${ballots} bulletins ; il en faut au moins ${least}. Ses sommes en diraient trop sur chaque bulletin.`,
  summary: (ballots, classes, smallest, sums) =>
    `${ballots} bulletins en ${classes} classe${classes === 1 ? '' : 's'}, la plus petite en a ${smallest} ; ${sums} sommes sont à déchiffrer.`,
  fewBallots: (smallest) =>
    `À noter : la plus petite classe a ${smallest} bulletin${smallest === 1 ? '' : 's'}. Qui connaît ${smallest === 1 ? 'son électeur' : 'tous les bulletins sauf un'} lit alors ${smallest === 1 ? 'ce bulletin' : 'le dernier'}. Le scrutin le permet (seuilAnonymat).`,
  checked:
    'Toutes les preuves, sommes et tailles des classes sont justes ; aucun bulletin et aucun électeur n’est là deux fois.',
  digest: (text) => `Empreinte de ce qui est déchiffré : ${text}`,
  once: 'Vous déchiffrez une seule fois par campagne. Ensuite l’outil refuse d’autres sommes de celle-ci.',
  compareDigest:
    'Lisez cette empreinte aux autres gardiens par téléphone. Quelqu’un qui leur donne d’autres sommes des mêmes bulletins pourrait lire des bulletins dans les différences.',
  askDecrypt: (yes) => `Déchiffrer ces sommes ? Alors écrivez ${yes} : `,
  askDecryptCompared: (yes) =>
    `Chaque gardien que vous pouvez joindre vous a-t-il lu la même empreinte ? Alors écrivez ${yes}, et les sommes sont déchiffrées : `,

  faults: {
    format: 'Ce n’est pas un fichier d’un gardien, ou il a été modifié.',
    campagne: 'Le fichier est pour une autre campagne.',
    tour: 'Le fichier n’est pas pour le tour dont on attend les fichiers.',
    double: 'Ce gardien a déjà envoyé un fichier de ce tour.',
    signature: 'La signature est fausse.',
    nom: 'Le nom ou le numéro n’est pas celui de la liste.',
    nombre: 'Le nombre de gardiens ou le seuil diffère.',
    cleEnDouble: 'Un autre gardien a la même clé.',
    preuveTransport: 'La preuve de la clé est fausse : le gardien n’en a pas le secret.',
    precedent: 'Le fichier répond à d’autres fichiers du tour précédent.',
    engagements: 'Il y a trop ou trop peu d’engagements, ou l’un d’eux est zéro.',
    preuveEngagement: 'La preuve des engagements est fausse : le gardien n’en a pas le secret.',
    parts: 'Il manque une part, ou il y en a une de trop.',
    cle: 'La clé du vote diffère.',
    plainte: 'La plainte ne vise aucun gardien.',
    preuvePlainte: 'La plainte est fausse : sa preuve ne tient pas.',
    depouillement: 'Le fichier déchiffre d’autres sommes.',
    preuvePart: 'Un déchiffrement est faux.',
  },
};

export const TEXTS: Readonly<Record<Language, Texts>> = { en: EN, fr: FR };
