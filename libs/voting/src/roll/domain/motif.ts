import { fr, type Text } from '#platform/errors/text';
import type { Changement, Critere, MotifName } from './motif.fields';

interface Facts {
  /** External identifier of the union or the employer. */
  readonly reference: string;
  /** A day, as `2026-11-02`. */
  readonly depuis: string | null;
}

interface Reason {
  /** Returns the evidence, for partners. */
  readonly constat: (facts: Facts) => Text;
  /** Returns the reason, for the member. */
  readonly membre: (facts: Facts) => Text;
}

/** The reasons for which an employee is a voter of a campaign, or is not. `matching.sql.ts` decides which of them hold. */
const REASONS: Readonly<Record<MotifName, Reason>> = {
  AdhesionActive: {
    constat: ({ reference, depuis }) => ({
      en: `member of ${reference}${depuis === null ? '' : ` since ${depuis}`}`,
      fr: fr`membre de ${reference}${depuis === null ? '' : ` depuis le ${depuis}`}`,
    }),
    membre: () => ({ en: 'You are a member of the union.', fr: fr('Vous êtes membre du syndicat.') }),
  },
  AdhesionAbsente: {
    constat: () => ({
      en: 'has never been a member of one of the unions',
      fr: fr("n'a jamais été membre d'un des syndicats"),
    }),
    membre: () => ({
      en: 'We have no membership of you in a union that votes.',
      fr: fr("Nous n'avons aucune adhésion de votre part à un syndicat qui vote."),
    }),
  },
  AdhesionPosterieure: {
    constat: ({ reference, depuis }) => ({
      en: `becomes a member of ${reference} on ${depuis}, after the day of the list`,
      fr: fr`devient membre de ${reference} le ${depuis ?? ''}, après le jour de la liste`,
    }),
    membre: ({ depuis }) => ({
      en: `Your membership begins on ${depuis}, after the day that counts for this vote.`,
      fr: fr`Votre adhésion commence le ${depuis ?? ''}, après le jour qui compte pour ce vote.`,
    }),
  },
  AdhesionTerminee: {
    constat: ({ reference, depuis }) => ({
      en: `the membership of ${reference} ended on ${depuis}`,
      fr: fr`l'adhésion à ${reference} a pris fin le ${depuis ?? ''}`,
    }),
    membre: ({ depuis }) => ({
      en: `Your membership ended on ${depuis}.`,
      fr: fr`Votre adhésion a pris fin le ${depuis ?? ''}.`,
    }),
  },
  EmploiActif: {
    constat: ({ reference, depuis }) => ({
      en: `employed at ${reference}${depuis === null ? '' : ` since ${depuis}`}`,
      fr: fr`en emploi chez ${reference}${depuis === null ? '' : ` depuis le ${depuis}`}`,
    }),
    membre: () => ({
      en: 'You are employed where the vote takes place.',
      fr: fr('Vous êtes en emploi là où le vote a lieu.'),
    }),
  },
  EmploiPosterieur: {
    constat: ({ reference, depuis }) => ({
      en: `the employment at ${reference} begins on ${depuis}, after the day of the list`,
      fr: fr`l'emploi chez ${reference} commence le ${depuis ?? ''}, après le jour de la liste`,
    }),
    membre: ({ depuis }) => ({
      en: `Your employment begins on ${depuis}, after the day that counts for this vote.`,
      fr: fr`Votre emploi commence le ${depuis ?? ''}, après le jour qui compte pour ce vote.`,
    }),
  },
  EmploiTermine: {
    constat: ({ reference, depuis }) => ({
      en: `the employment at ${reference} ended on ${depuis}`,
      fr: fr`l'emploi chez ${reference} a pris fin le ${depuis ?? ''}`,
    }),
    membre: ({ depuis }) => ({
      en: `Your employment ended on ${depuis}.`,
      fr: fr`Votre emploi a pris fin le ${depuis ?? ''}.`,
    }),
  },
  EmployeurHorsCritere: {
    constat: ({ reference }) => ({
      en: reference === '' ? 'has no employment' : `employed at ${reference}, which the list does not name`,
      fr:
        reference === ''
          ? fr("n'a aucun emploi")
          : fr`en emploi chez ${reference}, que la liste ne nomme pas`,
    }),
    membre: () => ({
      en: 'Your employer does not take part in this vote.',
      fr: fr('Votre employeur ne participe pas à ce vote.'),
    }),
  },
  EmployeNomme: {
    constat: () => ({ en: 'the list names the employee', fr: fr("la liste nomme l'employé") }),
    membre: () => ({ en: 'The list names you.', fr: fr('La liste vous nomme.') }),
  },
  EmployeHorsCritere: {
    constat: () => ({
      en: 'the list does not name the employee',
      fr: fr("la liste ne nomme pas l'employé"),
    }),
    membre: () => ({ en: 'The list does not name you.', fr: fr('La liste ne vous nomme pas.') }),
  },
  SansEmploi: {
    constat: () => ({
      en: 'has no employment that could have ended',
      fr: fr("n'a aucun emploi qui aurait pu prendre fin"),
    }),
    membre: () => ({ en: 'The list names you.', fr: fr('La liste vous nomme.') }),
  },
  InscritManuellement: {
    constat: () => ({
      en: 'was written on the roll by hand, not by an electoral list',
      fr: fr('a été inscrit à la main, et non par une liste électorale'),
    }),
    membre: () => ({
      en: 'The organisers have put you on the list.',
      fr: fr("L'équipe d'organisation vous a mis sur la liste."),
    }),
  },
  DroitRetire: {
    constat: () => ({
      en: 'the right to vote was taken away',
      fr: fr('le droit de vote a été retiré'),
    }),
    membre: () => ({
      en: 'You are on the list, but without the right to vote.',
      fr: fr('Vous êtes sur la liste, mais sans droit de vote.'),
    }),
  },
  Retire: {
    constat: ({ depuis }) => ({
      en: `a request removed the voter on ${depuis}; lists of before do not bring it back`,
      fr: fr`une requête a retiré le votant le ${depuis ?? ''}; les listes antérieures ne le ramènent pas`,
    }),
    membre: () => ({
      en: 'The organisers have taken you off the list.',
      fr: fr("L'équipe d'organisation vous a retiré de la liste."),
    }),
  },
  SansListe: {
    constat: () => ({
      en: 'the campaign has no electoral list yet',
      fr: fr("la campagne n'a pas encore de liste électorale"),
    }),
    membre: () => ({
      en: 'The list of this vote has not been made yet.',
      fr: fr("La liste de ce vote n'a pas encore été établie."),
    }),
  },
};

/** A reason as it was found. */
export interface Motif {
  readonly code: MotifName;
  /** Whether the employee meets it. */
  readonly tient: boolean;
  /** The criterion of the list; null for a change of the roll itself. */
  readonly critere: Critere | null;
  readonly reference: string | null;
  readonly depuis: Date | null;
  /** The list; null for a change of the roll itself. */
  readonly listeId: string | null;
}

/** The evidence of a list for one of its criteria. */
export type Found = Motif & { readonly listeId: string };

/** The place of an employee on a roll. */
export interface Enrolment {
  /** Null for an employee who is not on it. */
  readonly votantId: string | null;
  readonly aDroitDeVote: boolean | null;
  /** When a request removed the voter. */
  readonly retireLe: Date | null;
}

/** A change of one list. */
export interface Variant {
  readonly listeId: string;
  readonly change: '' | 'jour' | 'syndicats' | 'employeurs' | 'employes';
  /** The day, or the name that is added. */
  readonly valeur: string;
}

/** The reasons of an employee who is not on the roll. */
export function motifsOfAbsence({ retireLe }: Enrolment, found: readonly Found[]): Motif[] {
  const onRoll = { tient: false, critere: null, reference: null, listeId: null };
  return [
    ...(retireLe === null ? [] : [{ ...onRoll, code: 'Retire' as const, depuis: retireLe }]),
    ...(found.length === 0 ? [{ ...onRoll, code: 'SansListe' as const, depuis: null }] : []),
    ...found,
  ];
}

/** Returns the reasons for the member. If there are several lists, they are those of the list with the fewest criteria that fail. */
export function motifsForMember(motifs: readonly Motif[]): Motif[] {
  const ofRoll = motifs.filter(({ listeId }) => listeId === null);
  const lists = [...Map.groupBy(motifs, ({ listeId }) => listeId).entries()].filter(([id]) => id !== null);
  const against = (of: readonly Motif[]) => of.filter(({ tient }) => !tient);
  const [nearest] = lists
    .map(([, of]) => of)
    .sort((one, other) => against(one).length - against(other).length);
  if (!nearest || ofRoll.some(({ code }) => code === 'Retire')) return ofRoll;
  const missing = against(nearest);
  return [...(missing.length > 0 ? missing : nearest), ...ofRoll];
}

const factsOf = ({ reference, depuis }: Motif): Facts => ({
  reference: reference ?? '',
  depuis: depuis === null ? null : depuis.toISOString().slice(0, 10),
});

export const constatOf = (motif: Motif): Text => REASONS[motif.code].constat(factsOf(motif));
export const memberText = (motif: Motif): Text => REASONS[motif.code].membre(factsOf(motif));

const CHANGED = {
  jour: 'ActifsLe',
  syndicats: 'SyndicatsIdExternes',
  employeurs: 'EmployeursIdentifiantsExternes',
  employes: 'EmployesIdExternes',
} as const;

export interface Contrefactuel {
  readonly changement: Changement;
  readonly listeId: string;
  readonly valeur: string | null;
  readonly texte: Text;
}

/** @param isRemoved whether a request has removed the voter: only a new list adds it again */
export function contrefactuelOf({ change, listeId, valeur }: Variant, isRemoved: boolean): Contrefactuel {
  if (change === '') {
    return isRemoved
      ? {
          changement: 'NouvelleListe',
          listeId,
          valeur: null,
          texte: {
            en: 'make a list with the criteria of this one again',
            fr: fr('refaites une liste avec les critères de celle-ci'),
          },
        }
      : {
          changement: 'AppliquerEcarts',
          listeId,
          valeur: null,
          texte: {
            en: 'apply the differences of the roll: the master data have changed since the list was made',
            fr: fr(
              'appliquez les écarts de la liste électorale : les données de référence ont changé depuis que la liste a été faite',
            ),
          },
        };
  }
  const changement = CHANGED[change];
  const texte =
    change === 'jour'
      ? {
          en: `a list like this one with ActifsLe ${valeur}`,
          fr: fr`une liste comme celle-ci avec ActifsLe ${valeur}`,
        }
      : {
          en: `a list like this one that also names ${valeur} in ${changement}`,
          fr: fr`une liste comme celle-ci qui nomme aussi ${valeur} dans ${changement}`,
        };
  return { changement, listeId, valeur, texte };
}
