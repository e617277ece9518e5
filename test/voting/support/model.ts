/** States of a campaign (docs/contract.md, "States and transitions"). */
export type Etat = 'Brouillon' | 'Planifie' | 'VoteOuvert' | 'Termine' | 'Archive';

/** Content of a PUT or POST of a campaign; dates in milliseconds. */
export interface Content {
  titre: string;
  ouverture: number;
  fermeture: number;
  texte: string | null;
  libelle: string | null;
  aleatoire: boolean;
}

export interface Option {
  id?: string;
  libelle: string;
}

export interface Question {
  id?: string;
  titre: string;
  type: string;
  min: number;
  options: Option[];
}

interface Sent {
  readonly Libelle: string;
}

export interface Votant {
  id?: string;
  droit: boolean;
  vote: boolean;
}

/** A campaign as the reference knows it. Identifiers and the time of `ouvrir` and `fermer` come from the service. */
export interface Campagne extends Content {
  id?: string;
  creation?: string;
  modification?: string;
  etat: Etat;
  /** Whether its vote has ended, which it still has once it is archived. */
  aFini: boolean;
  /** Set by the first publication. */
  seuil: number | null;
  supprimee: boolean;
  questions: Question[];
  votants: Votant[];
  /** Types of the events of this campaign that have been sent. */
  evenements: string[];
}

/** Something as JSON shows it. */
export type Shown = Record<string, unknown>;

/** Expected response to a request. */
export interface Expected {
  readonly status: number;
  readonly code?: string;
  /** Whether it changes `dateModificationUtc`: a refusal, a PUT of the same and the roll do not. */
  readonly changes: boolean;
}

/** Places from 0 of all questions or options in a new order; undefined if the ids sent are not exactly theirs. */
export type Reordered = readonly number[] | undefined;

export function refusal(status: number, code: string): Expected {
  return { status, code, changes: false };
}

function done(status: number): Expected {
  return { status, changes: true };
}

/** Response to every request for a campaign that does not exist. */
export const GONE = refusal(404, 'Campagne.NotFound');
const NOT_PERMITTED = refusal(400, 'Campagne.TransitionNonPermise');
const FIXED_WHILE_OPEN = ['titre', 'ouverture', 'libelle', 'aleatoire'] as const;

/** The list with an element at a place from 1, or behind the others. */
function put<T>(list: readonly T[], element: T, place = Infinity): T[] {
  const others = list.filter((other) => other !== element);
  return [...others.slice(0, place - 1), element, ...others.slice(place - 1)];
}

/**
 * Campaigns as the contract has them (docs/contract.md, "States and transitions"). The reference stores the state and
 * advances it with the time; the service computes it from the dates. The reference shares no line with the service.
 */
export class Reference {
  readonly campagnes: Campagne[] = [];
  protected now = 0;

  /** Sets the time. Campaigns that were due to open or close by now have done so. */
  tick(now: number): void {
    this.now = now;
    for (const campagne of this.campagnes) this.advance(campagne);
  }

  protected advance(campagne: Campagne): void {
    if (campagne.supprimee) return;
    if (campagne.etat === 'Planifie' && this.opens(campagne)) this.open(campagne);
    if (campagne.etat === 'VoteOuvert' && this.now >= campagne.fermeture) this.close(campagne);
  }

  protected opens({ ouverture }: Campagne): boolean {
    return this.now >= ouverture;
  }

  protected open(campagne: Campagne): void {
    campagne.etat = 'VoteOuvert';
    campagne.evenements.push('campagne.ouverte');
  }

  private close(campagne: Campagne): void {
    campagne.etat = 'Termine';
    campagne.aFini = true;
    campagne.evenements.push('campagne.terminee');
  }

  create(content: Content): Expected {
    const refused = this.inverted(content) ?? this.taken(content.titre);
    if (refused) return refused;
    this.campagnes.push({
      ...content,
      ...{
        etat: 'Brouillon',
        aFini: false,
        seuil: null,
        supprimee: false,
        questions: [],
        votants: [],
        evenements: [],
      },
    });
    return done(201);
  }

  replace(campagne: Campagne, content: Content): Expected {
    if (campagne.supprimee) return GONE;
    const refused =
      this.inverted(content) ??
      (this.mayChange(campagne, content) ? undefined : refusal(409, 'Campagne.ModificationNonPermise')) ??
      this.taken(content.titre, campagne);
    if (refused) return refused;
    const isSame = (Object.keys(content) as (keyof Content)[]).every(
      (name) => campagne[name] === content[name],
    );
    Object.assign(campagne, content);
    this.advance(campagne);
    return { status: 200, changes: !isSame };
  }

  private inverted({ ouverture, fermeture }: Content): Expected | undefined {
    return ouverture > fermeture ? refusal(400, 'Campagne.OuvertureVoteApresFermeture') : undefined;
  }

  private taken(titre: string, self?: Campagne): Expected | undefined {
    const others = this.campagnes.filter((one) => one !== self && !one.supprimee);
    const checks = [
      { key: titleKey, refused: refusal(409, 'Campagne.NomDejaUtilise') },
      { key: slugOf, refused: refusal(409, 'Campagne.SlugDejaUtilise') },
    ];
    return this.inOrder(checks).find(({ key }) => others.some((one) => key(one.titre) === key(titre)))
      ?.refused;
  }

  /** The title is checked before the slug. */
  protected inOrder<T>(checks: readonly T[]): readonly T[] {
    return checks;
  }

  protected mayChange(campagne: Campagne, content: Content): boolean {
    switch (campagne.etat) {
      case 'Brouillon':
        return true;
      case 'Planifie':
        // A window that has passed cannot be published, so a published campaign cannot be given one.
        return this.now < content.fermeture;
      case 'VoteOuvert':
        return (
          FIXED_WHILE_OPEN.every((name) => campagne[name] === content[name]) &&
          content.fermeture >= campagne.fermeture
        );
      default:
        return false;
    }
  }

  delete(campagne: Campagne): Expected {
    if (campagne.supprimee) return GONE;
    if (this.keepsFromDeletion(campagne)) return refusal(409, 'Campagne.SupprimerAvecVotes');
    campagne.supprimee = true;
    return done(204);
  }

  protected keepsFromDeletion({ votants }: Campagne): boolean {
    return votants.some(({ vote }) => vote);
  }

  /** All that stops a publication, in the order in which it is answered: transition, question, voter. */
  obstacles(campagne: Campagne): string[] {
    const { questions, votants } = campagne;
    const isShort = questions.some(({ options, min }) => options.length < min);
    return [
      ...(this.mayPublish(campagne) ? [] : ['Campagne.TransitionNonPermise']),
      ...(questions.length > 0 ? [] : ['Campagne.AucuneQuestion']),
      ...(isShort ? ['Question.OptionsInsuffisantes'] : []),
      ...(votants.length > 0 ? [] : ['Vote.AucunVotant']),
    ];
  }

  protected mayPublish({ etat, fermeture }: Campagne): boolean {
    return etat === 'Brouillon' && this.now < fermeture;
  }

  publish(campagne: Campagne): Expected {
    if (campagne.supprimee) return GONE;
    const [code] = this.obstacles(campagne);
    if (code) return refusal(400, code);
    campagne.etat = 'Planifie';
    campagne.seuil ??= 1;
    campagne.evenements.push('campagne.publiee');
    this.advance(campagne);
    return done(200);
  }

  unpublish(campagne: Campagne): Expected {
    if (campagne.supprimee) return GONE;
    if (campagne.etat !== 'Planifie' && campagne.etat !== 'VoteOuvert') return NOT_PERMITTED;
    if (this.keepsPublished(campagne)) return refusal(400, 'Campagne.DepublierAvecVotes');
    campagne.etat = 'Brouillon';
    return done(200);
  }

  protected keepsPublished({ votants }: Campagne): boolean {
    return votants.some(({ vote }) => vote);
  }

  /** Opens a campaign. Its opening becomes the time that the service responds with. */
  openNow(campagne: Campagne): Expected {
    if (campagne.supprimee) return GONE;
    if (campagne.etat !== 'Planifie') return NOT_PERMITTED;
    campagne.ouverture = NaN;
    this.open(campagne);
    return done(200);
  }

  closeNow(campagne: Campagne): Expected {
    if (campagne.supprimee) return GONE;
    if (campagne.etat !== 'VoteOuvert') return NOT_PERMITTED;
    campagne.fermeture = NaN;
    this.close(campagne);
    return done(200);
  }

  archive(campagne: Campagne): Expected {
    if (campagne.supprimee) return GONE;
    if (campagne.etat !== 'Termine' && campagne.etat !== 'Brouillon') return NOT_PERMITTED;
    campagne.etat = 'Archive';
    return done(200);
  }

  /** Rejection of a structural write because of the records that it names, from the outside in, or because of the state. */
  private writeRefusal(campagne: Campagne, question?: Question, option?: Option): Expected | undefined {
    if (campagne.supprimee) return GONE;
    if (question && !campagne.questions.includes(question)) return refusal(404, 'Question.NotFound');
    if (option && !question?.options.includes(option)) return refusal(404, 'Option.NotFound');
    return this.locked(campagne);
  }

  protected locked({ etat }: Campagne): Expected | undefined {
    return etat === 'Brouillon' ? undefined : refusal(409, 'Campagne.StructureVerrouillee');
  }

  /** Returns the question that a request with this content makes. */
  question(titre: string, sent: { Type: string; MinReponses?: number; Options?: readonly Sent[] }): Question {
    const none = sent.Type === 'Proposition' ? ['Pour', 'Contre'] : [];
    const labels = sent.Options?.map(({ Libelle }) => Libelle) ?? none;
    return {
      ...{ titre, type: sent.Type, min: sent.MinReponses ?? 1 },
      options: labels.map((libelle) => ({ libelle })),
    };
  }

  addQuestion(campagne: Campagne, question: Question, ordre?: number): Expected {
    const refused = this.writeRefusal(campagne);
    if (refused) return refused;
    campagne.questions = put(campagne.questions, question, ordre);
    return done(201);
  }

  /** @param options changed or new ones; they stay if absent */
  replaceQuestion(
    campagne: Campagne,
    question: Question,
    next: { titre: string; options?: (() => Option[]) | undefined },
    ordre?: number,
  ): Expected {
    const refused = this.writeRefusal(campagne, question);
    if (refused) return refused;
    question.titre = next.titre;
    if (next.options) question.options = next.options();
    if (ordre !== undefined) campagne.questions = put(campagne.questions, question, ordre);
    return done(200);
  }

  deleteQuestion(campagne: Campagne, question: Question): Expected {
    const refused = this.writeRefusal(campagne, question);
    if (refused) return refused;
    campagne.questions = campagne.questions.filter((one) => one !== question);
    return done(204);
  }

  orderQuestions(campagne: Campagne, order: Reordered): Expected {
    const refused = this.writeRefusal(campagne);
    if (refused) return refused;
    if (!order) return refusal(400, 'Requete.Invalide');
    campagne.questions = order.map((place) => campagne.questions[place]!);
    return done(200);
  }

  addOption(campagne: Campagne, question: Question, option: Option, ordre?: number): Expected {
    const refused = this.writeRefusal(campagne, question);
    if (refused) return refused;
    question.options = put(question.options, option, ordre);
    return done(201);
  }

  replaceOption(
    campagne: Campagne,
    question: Question,
    option: Option,
    libelle: string,
    ordre?: number,
  ): Expected {
    const refused = this.writeRefusal(campagne, question, option);
    if (refused) return refused;
    option.libelle = libelle;
    if (ordre !== undefined) question.options = put(question.options, option, ordre);
    return done(200);
  }

  deleteOption(campagne: Campagne, question: Question, option: Option): Expected {
    const refused = this.writeRefusal(campagne, question, option);
    if (refused) return refused;
    question.options = question.options.filter((one) => one !== option);
    return done(204);
  }

  orderOptions(campagne: Campagne, question: Question, order: Reordered): Expected {
    const refused = this.writeRefusal(campagne, question);
    if (refused) return refused;
    if (!order) return refusal(400, 'Requete.Invalide');
    question.options = order.map((place) => question.options[place]!);
    return done(200);
  }

  /** Rejection of a write of the roll, whatever it names. The roll may change until the campaign ends. */
  protected rollRefusal(campagne: Campagne): Expected | undefined {
    if (campagne.supprimee) return GONE;
    return ['Termine', 'Archive'].includes(campagne.etat)
      ? refusal(409, 'Campagne.ModificationNonPermise')
      : undefined;
  }

  addVotant(campagne: Campagne): Expected {
    const refused = this.rollRefusal(campagne);
    if (refused) return refused;
    campagne.votants.push({ droit: true, vote: false });
    return { status: 201, changes: false };
  }

  deleteVotant(campagne: Campagne, votant: Votant): Expected {
    const refused = this.rollRefusal(campagne);
    if (refused) return refused;
    if (!campagne.votants.includes(votant)) return refusal(404, 'Votant.NotFound');
    if (votant.vote) return refusal(409, 'Votant.AVote');
    campagne.votants = campagne.votants.filter((one) => one !== votant);
    return { status: 204, changes: false };
  }

  /** @param votants voters, some of them perhaps not on the roll any more */
  setDroit(campagne: Campagne, votants: readonly Votant[], droit: boolean): Expected {
    const refused = this.rollRefusal(campagne);
    if (refused) return refused;
    const known = votants.filter((votant) => campagne.votants.includes(votant));
    if (!droit && known.some(({ vote }) => vote)) return refusal(409, 'Votant.AVote');
    for (const votant of known) votant.droit = droit;
    return { status: 200, changes: false };
  }

  /** The questions of a campaign as their list shows them, as far as the model goes. */
  questions({ questions }: Campagne): Shown[] {
    return questions.map(({ id, titre, type, min, options }, index) => ({
      ...{ Id: id, Titre: titre, Type: type, Ordre: index + 1, MinReponses: min },
      Options: options.map(({ id, libelle }, place) => ({ Id: id, Libelle: libelle, Ordre: place + 1 })),
    }));
  }

  /** A campaign as its own GET shows it, but for the seed, which the service gives. */
  item(campagne: Campagne): Shown {
    const { etat, texte, libelle, aleatoire, aFini, seuil } = campagne;
    const hasEnded = aFini && ['Termine', 'Archive'].includes(etat);
    return {
      ...this.listed(campagne),
      textePageAccueil: texte,
      libelleAbstention: libelle,
      ordreReponsesAleatoire: aleatoire,
      // The results of an open vote are not shown by default.
      resultatsVisibles: hasEnded,
      ...{ seuilAnonymat: seuil, raisonSeuilAnonymat: null, raisonConstat: null },
      ...{ empreinteGrainePartenaire: null, grainePartenaire: null },
    };
  }

  /** A campaign as lists show it. */
  listed(campagne: Campagne): Shown {
    const { id, titre, ouverture, fermeture, etat, votants, questions, creation, modification } = campagne;
    return {
      ...{ id, titre, slug: slugOf(titre) },
      ouvertureDuVoteUtc: new Date(ouverture).toISOString(),
      fermetureDuVoteUtc: new Date(fermeture).toISOString(),
      etat,
      estPublie: ['Planifie', 'VoteOuvert', 'Termine'].includes(etat),
      estArchive: etat === 'Archive',
      ...{ nombreVotants: votants.length, nombreQuestions: questions.length },
      ...{ dateCreationUtc: creation, dateModificationUtc: modification },
    };
  }
}

function titleKey(titre: string): string {
  return titre.trim().toLowerCase();
}

/** Enough for the titles of the model: `#12# Été` is `12-ete`. */
function slugOf(titre: string): string {
  const letters = titre.normalize('NFD').replace(/\p{Mn}/gu, '');
  return letters
    .toLowerCase()
    .match(/[a-z0-9]+/g)!
    .join('-');
}
