import { DomainError, invalidRequest } from '#platform/errors/domain-error';
import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';
import { fr, type Text } from '#platform/errors/text';
import { REQUETE } from '#platform/errors/platform.errors';

export const EMPLOYE = errorsOf('Employe', {
  NotFound: {
    status: 404,
    title: { en: 'Employee not found', fr: fr('Employé introuvable') },
    description: {
      en: 'No employee of the tenant has this external identifier.',
      fr: fr('Aucun employé de l’espace de données n’a cet identifiant externe.'),
    },
  },
  IdExterneDejaUtilise: {
    status: 409,
    title: { en: 'External identifier already used', fr: fr('Identifiant externe déjà utilisé') },
    description: {
      en: 'An employee with this idExterne exists. Use PUT to change it.',
      fr: fr('Un employé avec cet idExterne existe. Utilisez PUT pour le modifier.'),
    },
  },
  EmployeurInconnu: {
    status: 400,
    title: { en: 'Unknown employer', fr: fr('Employeur inconnu') },
    description: {
      en: 'identifiantExterneEmployeur names no employer of the tenant. Create the employer first.',
      fr: fr(
        'identifiantExterneEmployeur ne désigne aucun employeur de l’espace de données. Créez d’abord l’employeur.',
      ),
    },
  },
  LieCampagneActive: {
    status: 409,
    title: { en: 'Employee is a voter', fr: fr('L’employé est votant') },
    description: {
      en: 'The employee is a voter of an active campaign. Delete it once the campaign has ended.',
      fr: fr('L’employé est votant d’une campagne active. Supprimez-le une fois la campagne terminée.'),
    },
  },
  SyncEnAttente: {
    status: 409,
    title: { en: 'A sync names the employee', fr: fr('Une synchronisation mentionne l’employé') },
    description: {
      en: 'A sync that has not ended names the employee, or may, and would bring it back. Erase, rename or merge the employee once the sync has ended.',
      fr: fr(
        'Une synchronisation non terminée mentionne l’employé, ou pourrait le mentionner, et le ferait réapparaître. Supprimez, renommez ou fusionnez l’employé une fois la synchronisation terminée.',
      ),
    },
  },
  FusionDeuxVotes: {
    status: 409,
    title: { en: 'Both employees have voted', fr: fr('Les deux employés ont voté') },
    description: {
      en: 'Both employees have voted in a campaign, so they cannot become one person. `errors` names the campaigns. Nothing was written.',
      fr: fr(
        'Les deux employés ont voté dans une même campagne et ne peuvent donc pas devenir une seule personne. `errors` nomme les campagnes. Rien n’a été écrit.',
      ),
    },
  },
  FusionEmploisEnDouble: {
    status: 409,
    title: { en: 'Both employees have the same employment', fr: fr('Les deux employés ont le même emploi') },
    description: {
      en: 'Both employees have employments with the same identifier. `errors` names them. Nothing was written. Send one of each with another identifier first.',
      fr: fr(
        'Les deux employés ont des emplois avec le même identifiant. `errors` les nomme. Rien n’a été écrit. Envoyez d’abord l’un des deux avec un autre identifiant.',
      ),
    },
  },
  LieAdhesions: {
    status: 409,
    title: { en: 'Employee has signed cards', fr: fr('L’employé a des adhésions signées') },
    description: {
      en: 'The employee has signed cards. Delete them before deleting the employee.',
      fr: fr('L’employé a des adhésions signées. Supprimez-les avant de supprimer l’employé.'),
    },
  },
});

const NO_EMPLOYE: Text = {
  en: 'No employee has this external identifier.',
  fr: fr("Aucun employé n'a cet identifiant externe."),
};

export const GIVEN_TWICE: Text = { en: 'is given twice', fr: fr('figure deux fois') };

/** References that name no record. */
export const NAMES_NO = {
  champ: { en: 'names no custom field', fr: fr('ne désigne aucun champ utilisateur') },
  employe: { en: 'names no employee', fr: fr('ne désigne aucun employé') },
  employeur: { en: 'names no employer', fr: fr('ne désigne aucun employeur') },
  syndicat: { en: 'names no union', fr: fr('ne désigne aucun syndicat') },
} as const satisfies Record<string, Text>;

/** @param actuel present identifier of the employee who had this one before */
export function noEmploye(actuel?: string | null): DomainError {
  if (!actuel) return new DomainError(EMPLOYE.NotFound, NO_EMPLOYE);
  const now = JSON.stringify(actuel);
  return new DomainError(EMPLOYE.NotFound, {
    en: `${NO_EMPLOYE.en} The employee who had it has ${now} now: use that one.`,
    fr: fr`${NO_EMPLOYE.fr} L'employé qui l'avait a maintenant ${now} : utilisez celui-ci.`,
  });
}

export function tooManyMemberships(most: number): DomainError {
  const detail = {
    en: `names a union of which the employee is not a member, and the employee has ${most.toLocaleString('en')} memberships, which is the maximum. Sign for one of its unions`,
    fr: fr`désigne un syndicat dont l'employé n'est pas membre, et l'employé a ${most} appartenances syndicales, le maximum. Signez pour un de ses syndicats`,
  };
  return invalidRequest([{ pointer: '/syndicatIdExterne', code: 'length', detail }]);
}

/** The refusal of an undo that would give an employee more nested records than a sync may. */
export function tooLargeEmploye(idExterne: string, most: number): DomainError {
  return new DomainError(REQUETE.Invalide, {
    en: `Emplois, Adhesions and ValeursChampUtilisateur of employee ${idExterne} would have more than ${most.toLocaleString('en')} bytes. Nothing was written. Remove some of them, and undo the sync again.`,
    fr: fr`Emplois, Adhesions et ValeursChampUtilisateur de l'employé ${idExterne} auraient plus de ${most} octets. Rien n'a été écrit. Retirez-en quelques-uns, et annulez de nouveau la synchronisation.`,
  });
}

export const EMPLOYEUR = errorsOf('Employeur', {
  NotFound: {
    status: 404,
    title: { en: 'Employer not found', fr: fr('Employeur introuvable') },
    description: {
      en: 'No employer of the tenant has this external identifier.',
      fr: fr('Aucun employeur de l’espace de données n’a cet identifiant externe.'),
    },
    detail: {
      en: 'No employer has this external identifier.',
      fr: fr('Aucun employeur n’a cet identifiant externe.'),
    },
  },
  IdExterneDejaUtilise: {
    status: 409,
    title: { en: 'External identifier already used', fr: fr('Identifiant externe déjà utilisé') },
    description: {
      en: 'An employer with this idExterne exists. Use PUT to change it.',
      fr: fr('Un employeur avec cet idExterne existe. Utilisez PUT pour le modifier.'),
    },
  },
  EmploisActifs: {
    status: 409,
    title: { en: 'Employer has employees', fr: fr('L’employeur a des employés') },
    description: {
      en: 'Employees still work for this employer. End their employments, move or delete them before deleting it.',
      fr: fr(
        'Des employés travaillent encore pour cet employeur. Mettez fin à leurs emplois, déplacez-les ou supprimez-les avant de supprimer l’employeur.',
      ),
    },
  },
});

export const SYNDICAT = errorsOf('Syndicat', {
  NotFound: {
    status: 404,
    title: { en: 'Union not found', fr: fr('Syndicat introuvable') },
    description: {
      en: 'No union of the tenant has this external identifier.',
      fr: fr('Aucun syndicat de l’espace de données n’a cet identifiant externe.'),
    },
    detail: {
      en: 'No union has this external identifier.',
      fr: fr('Aucun syndicat n’a cet identifiant externe.'),
    },
  },
});

export const CHAMP = errorsOf('Champ', {
  NotFound: {
    status: 404,
    title: { en: 'Custom field not found', fr: fr('Champ utilisateur introuvable') },
    description: {
      en: 'No custom field of the tenant has this name.',
      fr: fr('Aucun champ utilisateur de l’espace de données n’a ce nom.'),
    },
    detail: { en: 'No custom field has this name.', fr: fr('Aucun champ utilisateur n’a ce nom.') },
  },
  NomDejaUtilise: {
    status: 409,
    title: { en: 'Field name already used', fr: fr('Nom de champ déjà utilisé') },
    description: {
      en: 'A custom field with this name exists. Use PUT to change it.',
      fr: fr('Un champ utilisateur avec ce nom existe. Utilisez PUT pour le modifier.'),
    },
  },
  TypeUtilise: {
    status: 409,
    title: { en: 'Type in use', fr: fr('Type utilisé') },
    description: {
      en: 'Employees have values of this field. Its type cannot change. Define another field for the new type.',
      fr: fr(
        'Des employés ont des valeurs de ce champ. Son type ne peut pas changer. Définissez un autre champ pour le nouveau type.',
      ),
    },
  },
  ChoixUtilise: {
    status: 409,
    title: { en: 'Choice in use', fr: fr('Choix utilisé') },
    description: {
      en: 'Employees have a choice that would be removed. Give them another one first, or keep the choice.',
      fr: fr(
        'Des employés ont un choix qui serait retiré. Donnez-leur d’abord un autre choix, ou conservez celui-ci.',
      ),
    },
  },
  Utilise: {
    status: 409,
    title: { en: 'Field in use', fr: fr('Champ utilisé') },
    description: {
      en: 'Employees have values of this field, or forms ask for it. Remove them before deleting it.',
      fr: fr(
        'Des employés ont des valeurs de ce champ, ou des formulaires le demandent. Retirez-les avant de supprimer le champ.',
      ),
    },
  },
});

/** Errors of employees, employers, unions and custom fields. */
export const MEMBERSHIP_ERRORS: readonly ErrorDefinition[] = [EMPLOYE, EMPLOYEUR, SYNDICAT, CHAMP].flatMap(
  (errors) => Object.values<ErrorDefinition>(errors),
);
