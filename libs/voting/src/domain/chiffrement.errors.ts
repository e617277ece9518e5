import { errorsOf } from '#platform/errors/error-definition';
import { fr } from '#platform/errors/text';

/** Errors of guardians and sums of encrypted votes. */
export const CHIFFREMENT = errorsOf('Chiffrement', {
  NotFound: {
    status: 404,
    title: { en: 'Not an encrypted vote', fr: fr('Scrutin non chiffré') },
    description: {
      en: 'The campaign has no guardians. `PUT …/chiffrement` makes a draft an encrypted vote.',
      fr: fr('La campagne n’a pas de gardiens. `PUT …/chiffrement` fait d’un brouillon un scrutin chiffré.'),
    },
    detail: {
      en: 'The campaign is no encrypted vote.',
      fr: fr('La campagne n’est pas un scrutin chiffré.'),
    },
  },
  QuestionPreferentielle: {
    status: 409,
    title: { en: 'Ranked question', fr: fr('Question préférentielle') },
    description: {
      en: 'An encrypted vote has no ranked questions, because only sums are decrypted. Set `EstPreferentiel` to false, or vote without encryption.',
      fr: fr(
        'Un scrutin chiffré n’a pas de question préférentielle, car seules des sommes sont déchiffrées. Mettez `EstPreferentiel` à false, ou votez sans chiffrement.',
      ),
    },
  },
  FichierInvalide: {
    status: 400,
    title: { en: 'File not valid', fr: fr('Fichier non valide') },
    description: {
      en: 'A file of a guardian fails a check, which the detail names. Nothing was kept.',
      fr: fr(
        'Un fichier d’un gardien échoue à une vérification, que le détail nomme. Rien n’a été conservé.',
      ),
    },
  },
  FichierInattendu: {
    status: 409,
    title: { en: 'File not expected', fr: fr('Fichier inattendu') },
    description: {
      en: 'The file is of a round that is not open, or the guardian has given another one in this round. `GET …/chiffrement/ceremonie` shows whose file is missing.',
      fr: fr(
        'Le fichier est d’un tour qui n’est pas ouvert, ou le gardien en a donné un autre dans ce tour. `GET …/chiffrement/ceremonie` montre de qui un fichier manque.',
      ),
    },
  },
  NonPret: {
    status: 409,
    title: { en: 'Sums not ready', fr: fr('Sommes non prêtes') },
    description: {
      en: 'The sums come some seconds or minutes after the vote has ended. Try again after `Retry-After`.',
      fr: fr(
        'Les sommes arrivent quelques secondes ou minutes après la fin du vote. Réessayez après `Retry-After`.',
      ),
    },
  },
});
