import { DomainError, invalidRequest } from '#platform/errors/domain-error';
import { type ErrorDefinition, errorsOf } from '#platform/errors/error-definition';
import { REQUETE } from '#platform/errors/platform.errors';

export const EMPLOYE = errorsOf('Employe', {
  NotFound: {
    status: 404,
    title: 'Employee not found',
    description: 'No employee of the tenant has this external identifier.',
  },
  IdExterneDejaUtilise: {
    status: 409,
    title: 'External identifier already used',
    description: 'An employee with this idExterne exists. Use PUT to change it.',
  },
  EmployeurInconnu: {
    status: 400,
    title: 'Unknown employer',
    description: 'identifiantExterneEmployeur names no employer of the tenant. Create the employer first.',
  },
  LieCampagneActive: {
    status: 409,
    title: 'Employee is a voter',
    description: 'The employee is a voter of an active campaign. Delete it once the campaign has ended.',
  },
  SyncEnAttente: {
    status: 409,
    title: 'A sync names the employee',
    description:
      'A sync that has not ended names the employee, or may, and would bring it back. Erase, rename or merge the employee once the sync has ended.',
  },
  FusionDeuxVotes: {
    status: 409,
    title: 'Both employees have voted',
    description:
      'Both employees have voted in a campaign, so they cannot become one person. `errors` names the campaigns. Nothing was written.',
  },
  FusionEmploisEnDouble: {
    status: 409,
    title: 'Both employees have the same employment',
    description:
      'Both employees have employments with the same identifier. `errors` names them. Nothing was written. Send one of each with another identifier first.',
  },
  LieAdhesions: {
    status: 409,
    title: 'Employee has signed cards',
    description: 'The employee has signed cards. Delete them before deleting the employee.',
  },
});

/** @param actuel present identifier of the employee who had this one before */
export function noEmploye(actuel?: string | null): DomainError {
  const now = actuel ? ` The employee who had it has ${JSON.stringify(actuel)} now: use that one.` : '';
  return new DomainError(EMPLOYE.NotFound, `No employee has this external identifier.${now}`);
}

export function tooManyMemberships(most: number): DomainError {
  const detail = `names a union of which the employee is not a member, and the employee has ${most.toLocaleString('en')} memberships, which is the maximum. Sign for one of its unions`;
  return invalidRequest([{ pointer: '/syndicatIdExterne', code: 'length', detail }]);
}

/** The refusal of an undo that would give an employee more nested records than a sync may. */
export function tooLargeEmploye(idExterne: string, most: number): DomainError {
  return new DomainError(
    REQUETE.Invalide,
    `Emplois, Adhesions and ValeursChampUtilisateur of employee ${idExterne} would have more than ${most.toLocaleString('en')} bytes. Nothing was written. Remove some of them, and undo the sync again.`,
  );
}

export const EMPLOYEUR = errorsOf('Employeur', {
  NotFound: {
    status: 404,
    title: 'Employer not found',
    description: 'No employer of the tenant has this external identifier.',
  },
  IdExterneDejaUtilise: {
    status: 409,
    title: 'External identifier already used',
    description: 'An employer with this idExterne exists. Use PUT to change it.',
  },
  EmploisActifs: {
    status: 409,
    title: 'Employer has employees',
    description:
      'Employees still work for this employer. End their employments, move or delete them before deleting it.',
  },
});

export const SYNDICAT = errorsOf('Syndicat', {
  NotFound: {
    status: 404,
    title: 'Union not found',
    description: 'No union of the tenant has this external identifier.',
  },
});

export const CHAMP = errorsOf('Champ', {
  NotFound: {
    status: 404,
    title: 'Custom field not found',
    description: 'No custom field of the tenant has this name.',
  },
  NomDejaUtilise: {
    status: 409,
    title: 'Field name already used',
    description: 'A custom field with this name exists. Use PUT to change it.',
  },
  TypeUtilise: {
    status: 409,
    title: 'Type in use',
    description:
      'Employees have values of this field. Its type cannot change. Define another field for the new type.',
  },
  ChoixUtilise: {
    status: 409,
    title: 'Choice in use',
    description:
      'Employees have a choice that would be removed. Give them another one first, or keep the choice.',
  },
  Utilise: {
    status: 409,
    title: 'Field in use',
    description: 'Employees have values of this field, or forms ask for it. Remove them before deleting it.',
  },
});

/** Errors of employees, employers, unions and custom fields. */
export const MEMBERSHIP_ERRORS: readonly ErrorDefinition[] = [EMPLOYE, EMPLOYEUR, SYNDICAT, CHAMP].flatMap(
  (errors) => Object.values<ErrorDefinition>(errors),
);
