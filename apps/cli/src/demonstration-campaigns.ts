import { ENCRYPTED_EXAMPLES, VOTING_EXAMPLE_IDS as IDS } from '#voting';
import { type DemonstrationSpace, found } from './demonstration-space';

const YEAR_MS = 365 * 86_400_000;

/** Campaigns under the identifiers that the documentation names, and what is done to each before it is tried. */
const CAMPAIGNS: readonly [
  id: string,
  titre: string,
  transitions: readonly ('publier' | 'ouvrir' | 'fermer')[],
][] = [
  [IDS.campagne, 'Renouvellement de la convention collective', []],
  [IDS.aCompleter, 'Congrès 2027 : questions à préparer', []],
  [IDS.aPublier, 'Vote de grève, prêt à publier', []],
  [IDS.aDepublier, 'Règlements du fonds de défense', ['publier']],
  [IDS.aOuvrir, 'Délégués du quart de nuit', ['publier']],
  [IDS.aFermer, 'Date de l’assemblée annuelle', ['publier', 'ouvrir']],
  [IDS.aArchiver, 'Logo du syndicat', ['publier', 'ouvrir', 'fermer']],
  [IDS.aSupprimer, 'Essai', []],
  [IDS.aTirer, 'Porte-parole régional', ['publier']],
  [IDS.ouverte, 'Entente de principe du secteur santé', ['publier', 'ouvrir']],
  [IDS.comptee, 'Budget de l’année', ['publier', 'ouvrir']],
  [IDS.aChiffrer, 'Présidence, à voter à bulletin chiffré', []],
  [IDS.chiffree, 'Dissolution du fonds, scrutin chiffré à préparer', []],
  [IDS.chiffreeOuverte, 'Affiliation, scrutin chiffré', ['publier', 'ouvrir']],
  [IDS.aDechiffrer, 'Cotisation, scrutin chiffré à dépouiller', ['publier', 'ouvrir']],
];

const CANDIDATES = [
  { Libelle: 'Ariane Lapointe', Description: 'Trésorière depuis 2022' },
  { Libelle: 'Omar Haddad' },
];

/** Campaigns in each state with questions and voters, each unless it is there. */
export async function scheduleExamples(space: DemonstrationSpace): Promise<void> {
  const { campagnes, lifecycle, bulletins, engagements, tenantId, actor } = space;
  const opening = new Date(Date.now() + YEAR_MS);
  for (const [id, titre, transitions] of CAMPAIGNS) {
    if (await found(campagnes.get(tenantId, id))) continue;
    const record = {
      titre,
      ouvertureDuVoteUtc: opening,
      fermetureDuVoteUtc: new Date(opening.getTime() + 7 * 86_400_000),
      textePageAccueil: '<p>Bienvenue au vote de <strong>votre</strong> syndicat.</p>',
      libelleAbstention: 'Je m’abstiens',
    };
    await campagnes.create(tenantId, actor, record, id);
    await fill(space, id);
    await encrypt(space, id);
    for (const transition of transitions) await lifecycle.transition(tenantId, actor, id, transition);
    if (id === IDS.ouverte) {
      const Reponses = [{ QuestionId: IDS.questionOuverte, Abstention: true }];
      await bulletins.cast(tenantId, id, { VotantId: IDS.electriceAyantVote, Reponses }, IDS.recu);
      await engagements.round(tenantId, id);
    }
    if (id === IDS.comptee) {
      const Reponses = [{ QuestionId: IDS.questionComptee, Options: [IDS.optionComptee] }];
      await bulletins.cast(tenantId, id, { VotantId: IDS.votantCompte, Reponses }, IDS.recu);
      await lifecycle.transition(tenantId, actor, id, 'fermer');
    }
    if (id === IDS.aDechiffrer) {
      for (const ballot of ENCRYPTED_EXAMPLES.bulletins) await bulletins.cast(tenantId, id, ballot);
      await lifecycle.transition(tenantId, actor, id, 'fermer');
    }
  }
}

/** Adds the questions and voters of a campaign. */
async function fill(
  { questions, options, votants, tenantId, actor }: DemonstrationSpace,
  id: string,
): Promise<void> {
  if (id === IDS.campagne) {
    const election = { Titre: 'Qui voulez-vous à la présidence ?', Type: 'Election' } as const;
    await questions.create(tenantId, actor, id, election, IDS.question);
    const of = { campagneId: id, questionId: IDS.question };
    await options.create(tenantId, actor, of, CANDIDATES[0]!, IDS.option);
    await options.create(tenantId, actor, of, CANDIDATES[1]!, IDS.optionAutre);
    const proposition = { Titre: 'Acceptez-vous l’entente de principe ?', Type: 'Proposition' } as const;
    await questions.create(tenantId, actor, id, proposition, IDS.questionAutre);
    await votants.upsert(tenantId, actor, id, { EmployeIdExterne: 'E-1001' }, IDS.votant);
    await votants.upsert(tenantId, actor, id, { EmployeIdExterne: 'E-1002' }, IDS.votantASupprimer);
    return;
  }
  if (id === IDS.ouverte) {
    const entente = { Titre: 'Acceptez-vous l’entente de principe ?', Type: 'ChoixLibre' } as const;
    await questions.create(tenantId, actor, id, entente, IDS.questionOuverte);
    const of = { campagneId: id, questionId: IDS.questionOuverte };
    await options.create(tenantId, actor, of, { Libelle: 'Oui' }, IDS.optionOuverte);
    await options.create(tenantId, actor, of, { Libelle: 'Non' });
    // No employees: as voters of an open campaign their cards could not be deleted, which other examples do.
    await votants.upsert(tenantId, actor, id, { Prenom: 'Anouk', Nom: 'Tremblay' }, IDS.electeur);
    await votants.upsert(tenantId, actor, id, { Prenom: 'Léa', Nom: 'Gagnon' }, IDS.electriceAyantVote);
    return;
  }
  if (id === IDS.comptee) {
    const budget = { Titre: 'Adoptez-vous le budget ?', Type: 'ChoixLibre' } as const;
    await questions.create(tenantId, actor, id, budget, IDS.questionComptee);
    const of = { campagneId: id, questionId: IDS.questionComptee };
    await options.create(tenantId, actor, of, { Libelle: 'Oui' }, IDS.optionComptee);
    await options.create(tenantId, actor, of, { Libelle: 'Non' });
    await votants.upsert(tenantId, actor, id, { Prenom: 'Anouk', Nom: 'Tremblay' }, IDS.votantCompte);
    await votants.upsert(tenantId, actor, id, { Prenom: 'Léa', Nom: 'Gagnon' });
    return;
  }
  if (id === IDS.chiffreeOuverte) {
    const affiliation = { Titre: 'Faut-il nous affilier ?', Type: 'ChoixLibre' } as const;
    await questions.create(tenantId, actor, id, affiliation, IDS.questionChiffree);
    const of = { campagneId: id, questionId: IDS.questionChiffree };
    await options.create(tenantId, actor, of, { Libelle: 'Oui' }, IDS.optionChiffree);
    await options.create(tenantId, actor, of, { Libelle: 'Non' }, IDS.optionChiffreeAutre);
    await votants.upsert(tenantId, actor, id, { Prenom: 'Anouk', Nom: 'Tremblay' }, IDS.electeurChiffre);
    return;
  }
  if (id === IDS.aDechiffrer) {
    const cotisation = { Titre: 'Acceptez-vous la cotisation ?', Type: 'ChoixLibre' } as const;
    await questions.create(tenantId, actor, id, cotisation, IDS.questionADechiffrer);
    const of = { campagneId: id, questionId: IDS.questionADechiffrer };
    await options.create(tenantId, actor, of, { Libelle: 'Oui' }, IDS.optionADechiffrer);
    await options.create(tenantId, actor, of, { Libelle: 'Non' }, IDS.optionADechiffrerAutre);
    await votants.upsert(tenantId, actor, id, { Prenom: 'Anouk', Nom: 'Tremblay' }, IDS.votantChiffre);
    await votants.upsert(tenantId, actor, id, { Prenom: 'Léa', Nom: 'Gagnon' }, IDS.votantChiffreAutre);
    return;
  }
  if (id === IDS.aCompleter) {
    const choix = { Titre: 'Quelle résolution doit être débattue ?', Type: 'ChoixLibre' } as const;
    await questions.create(tenantId, actor, id, choix, IDS.questionACompleter);
    const of = { campagneId: id, questionId: IDS.questionACompleter };
    await options.create(tenantId, actor, of, { Libelle: 'Climat' }, IDS.optionASupprimer);
    const superflue = { Titre: 'À retirer', Type: 'Proposition' } as const;
    await questions.create(tenantId, actor, id, superflue, IDS.questionASupprimer);
    return;
  }
  await questions.create(tenantId, actor, id, { Titre: 'Êtes-vous d’accord ?', Type: 'Proposition' });
  const voter = { Prenom: 'Anouk', Nom: 'Tremblay', Courriel: 'anouk.tremblay@example.org' };
  await votants.upsert(tenantId, actor, id, voter);
}

/** Makes a campaign an encrypted vote, and brings the files of its guardian. */
async function encrypt({ chiffrement, tenantId, actor }: DemonstrationSpace, id: string): Promise<void> {
  const { gardien, ceremonies } = ENCRYPTED_EXAMPLES;
  const files = ceremonies[id] ?? [];
  if (id !== IDS.chiffree && files.length === 0) return;
  await chiffrement.define(tenantId, actor, id, { gardiens: [{ nom: gardien }], seuil: 1 });
  for (const file of files) await chiffrement.addFile(tenantId, actor, id, file);
}
