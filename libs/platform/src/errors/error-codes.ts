import type { ErrorDefinition } from './error-definition';
import { MEETING_CODES } from './meeting-codes';
import { MESSAGING_CODES } from './messaging-codes';
import { VOTING_CODES } from './voting-codes';

/**
 * Every error code of every surface, with its HTTP status: the one table, those of campaigns and of meetings in files
 * of their own (docs/contract.md, "Errors"). A code that is thrown but missing here does not compile.
 */
export const ERROR_CODES = {
  'Cle.Invalide': {
    status: 401,
    title: 'Unauthorized',
    description:
      'The X-Api-Key header is missing, or its key is unknown, mistyped, expired or revoked. Send a valid key.',
  },
  'Cle.RoleInsuffisant': {
    status: 403,
    title: 'Forbidden',
    description:
      'The key is valid, but its role does not give access to this surface. Use a key of the role it needs.',
  },
  'Module.NonActif': {
    status: 403,
    title: 'Forbidden',
    description:
      'The operation belongs to a module (member `module`) that the client does not have or the key excludes. Ask the operator to enable it.',
  },
  'Cle.NotFound': { status: 404, title: 'Key not found', description: 'The client has no key with this id.' },
  'Client.NotFound': { status: 404, title: 'Client not found', description: 'No client has this id.' },
  'Client.NomDejaUtilise': {
    status: 409,
    title: 'Client name already used',
    description: 'Another client has this name. Choose another name.',
  },
  'Requete.Invalide': {
    status: 400,
    title: 'Invalid request',
    description:
      'The request does not have the documented form. `errors` lists each fault with a pointer to its place: correct them and send it again.',
  },
  'Requete.TypeNonSupporte': {
    status: 415,
    title: 'Unsupported media type',
    description: 'The body is not JSON in UTF-8. Send Content-Type: application/json.',
  },
  'Requete.TropVolumineuse': {
    status: 413,
    title: 'Request too large',
    description:
      'The request is larger than this operation accepts: 1 MB, which an image of a signature (512 KiB) fits into; for a sync 64 MB, 250,000 records and 400,000 nested ones. Send less at a time.',
  },
  'Requete.Interrompue': {
    status: 408,
    title: 'Request not completed',
    description: 'The body did not arrive whole or in time. Send the request again.',
  },
  'Debit.Depasse': {
    status: 429,
    title: 'Too many requests',
    description:
      "The key's requests of this minute are used up, or another budget, which the detail names. Wait for the seconds in Retry-After. After 100 refusals in a minute each further one is delayed by up to 5 s.",
  },
  'Ressource.NotFound': {
    status: 404,
    title: 'Not found',
    description: 'No operation has this method and path. See /docs for those that exist.',
  },
  'Precondition.Echouee': {
    status: 412,
    title: 'Precondition failed',
    description:
      'The resource has changed since the version named in If-Match. Read it again, reapply the change, send the new ETag.',
  },
  'Idempotence.CleReutilisee': {
    status: 422,
    title: 'Idempotency key reused',
    description:
      'This Idempotency-Key was sent before with another request, by another API key, or before the modules of the key changed. Use a new Idempotency-Key for each operation, and the same one only to repeat it. If you changed the API key in between, read whether the request was done before you send it again.',
  },
  'Idempotence.EnCours': {
    status: 409,
    title: 'Request still running',
    description:
      'A request with this Idempotency-Key is still running. Repeat after a moment to get its answer.',
  },
  'Idempotence.NonRepetable': {
    status: 409,
    title: 'Answer not repeatable',
    description:
      'The request was done under this Idempotency-Key, and is not done twice. Its answer held a secret, which is not recorded: read the list to find what was made. Rotate the secret of an endpoint; revoke a key and issue another.',
  },
  'Service.Indisponible': {
    status: 503,
    title: 'Service unavailable',
    description:
      'The database is out of reach or busy, or the operation ran past 30 s and was undone. Nothing was changed unless the detail says so: repeat after a moment.',
  },
  'Service.ErreurInterne': {
    status: 500,
    title: 'Internal error',
    description: 'A fault of the service. Nothing was changed. Quote the traceId to the operator.',
  },
  'Employe.NotFound': {
    status: 404,
    title: 'Employee not found',
    description: 'No employee of the tenant has this external identifier.',
  },
  'Employe.IdExterneDejaUtilise': {
    status: 409,
    title: 'External identifier already used',
    description: 'An employee with this idExterne exists. Use PUT to change it.',
  },
  'Employe.EmployeurInconnu': {
    status: 400,
    title: 'Unknown employer',
    description: 'identifiantExterneEmployeur names no employer of the tenant. Create the employer first.',
  },
  'Employe.LieCampagneActive': {
    status: 409,
    title: 'Employee is a voter',
    description: 'The employee is a voter of an active campaign. Delete it once the campaign has ended.',
  },
  'Employe.SyncEnAttente': {
    status: 409,
    title: 'A sync names the employee',
    description:
      'A sync that has not ended names the employee and would bring it back. Erase the employee once the sync has ended.',
  },
  'Employe.LieAdhesions': {
    status: 409,
    title: 'Employee has signed cards',
    description: 'The employee has signed cards. Delete them before deleting the employee.',
  },
  'Employeur.NotFound': {
    status: 404,
    title: 'Employer not found',
    description: 'No employer of the tenant has this external identifier.',
  },
  'Employeur.IdExterneDejaUtilise': {
    status: 409,
    title: 'External identifier already used',
    description: 'An employer with this idExterne exists. Use PUT to change it.',
  },
  'Employeur.EmploisActifs': {
    status: 409,
    title: 'Employer has employees',
    description:
      'Employees still work for this employer. End their employments, move or delete them before deleting it.',
  },
  'Syndicat.NotFound': {
    status: 404,
    title: 'Union not found',
    description: 'No union of the tenant has this external identifier.',
  },
  'ObjetConsentement.NotFound': {
    status: 404,
    title: 'Consent object not found',
    description: 'No consent object of the tenant has this external identifier.',
  },
  'ObjetConsentement.IdExterneDejaUtilise': {
    status: 409,
    title: 'External identifier already used',
    description: 'A consent object with this idExterne exists. Use PUT to change it.',
  },
  'ObjetConsentement.Utilise': {
    status: 409,
    title: 'Consent object in use',
    description:
      'Consents to this object have been given or refused, or forms or requests ask for it. The history of consents is kept, so that the object cannot be deleted.',
  },
  'Champ.NotFound': {
    status: 404,
    title: 'Custom field not found',
    description: 'No custom field of the tenant has this name.',
  },
  'Champ.NomDejaUtilise': {
    status: 409,
    title: 'Field name already used',
    description: 'A custom field with this name exists. Use PUT to change it.',
  },
  'Champ.TypeUtilise': {
    status: 409,
    title: 'Type in use',
    description:
      'Employees have values of this field, so that its type cannot change. Define another field for the new type.',
  },
  'Champ.ChoixUtilise': {
    status: 409,
    title: 'Choice in use',
    description:
      'Employees have a choice that would be removed. Give them another one first, or keep the choice.',
  },
  'Champ.Utilise': {
    status: 409,
    title: 'Field in use',
    description: 'Employees have values of this field, or forms ask for it. Remove them before deleting it.',
  },
  'Adhesion.NotFound': {
    status: 404,
    title: 'Signed card not found',
    description: 'No signed card of the tenant has this identifier (GUID).',
  },
  'Adhesion.LinkedToActiveCampaign': {
    status: 409,
    title: 'Card linked to an active campaign',
    description:
      'The member is a voter of an active campaign of the card’s union or of no union. Delete the card once the campaign has ended.',
  },
  'Adhesion.HasPayments': {
    status: 409,
    title: 'Card linked to a payment',
    description: 'The card is linked to a payment and cannot be deleted.',
  },
  'Adhesion.HasPaymentAuthorizations': {
    status: 409,
    title: 'Card linked to a payment authorization',
    description: 'The card is linked to a payment authorization and cannot be deleted.',
  },
  'Signature.NotFound': {
    status: 404,
    title: 'Signature not found',
    description:
      'The card has no handwritten signature or, where an employee is named, none of the employee’s cards has one.',
  },
  'Formulaire.NotFound': {
    status: 404,
    title: 'Form not found',
    description: 'No form of the tenant has this id.',
  },
  'Formulaire.Utilise': {
    status: 409,
    title: 'Form in use',
    description:
      'Cards or requests were signed with this form, so that it cannot be deleted. Set `actif` to false to end its use.',
  },
  'Formulaire.Inactif': {
    status: 409,
    title: 'Form not active',
    description: 'The form named by `formulaireId` is not active: nothing can be signed with it.',
  },
  'Conciliation.NotFound': {
    status: 404,
    title: 'Request not found',
    description: 'No membership request of the tenant has this id.',
  },
  'Conciliation.DejaTraitee': {
    status: 409,
    title: 'Request already decided',
    description: 'The opposite was decided about this request. A decision is final.',
  },
  'Tache.NotFound': {
    status: 404,
    title: 'Task not found',
    description: 'No task of the tenant has this id. Tasks are kept for 7 days after their end.',
  },
  ...VOTING_CODES,
  ...MEETING_CODES,
  ...MESSAGING_CODES,
  'Webhook.NotFound': {
    status: 404,
    title: 'Endpoint not found',
    description: 'No endpoint of the tenant has this id.',
  },
  'Webhook.AdresseRefusee': {
    status: 400,
    title: 'Address refused',
    description:
      'Events are sent to https on port 443 under public addresses only, without user or fragment. Give an address that the internet reaches.',
  },
  'Webhook.TropNombreux': {
    status: 409,
    title: 'Too many endpoints',
    description: 'A tenant has at most 50 endpoints. Delete one that is no longer used.',
  },
  'Webhook.Inactif': {
    status: 409,
    title: 'Endpoint not active',
    description: 'Nothing is sent to an endpoint that is not active. Set `actif` to true first.',
  },
  'Webhook.TypeNonAbonne': {
    status: 409,
    title: 'Type not heard of',
    description:
      'The endpoint does not hear of the type of this event any more. Add it to `types`, or read the event in the feed.',
  },
  'Livraison.NotFound': {
    status: 404,
    title: 'Delivery not found',
    description: 'The endpoint has no delivery with this id. Deliveries are kept for 30 days.',
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof ERROR_CODES;
