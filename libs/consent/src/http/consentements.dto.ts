import { ValeurChampV1Item } from '#membership';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { pick } from '#platform/input/field';
import { value } from '#platform/input/values';
import { PagingQuery } from '#platform/http/listing';
import { CONSENTEMENT_FIELDS, CONSENTEMENT_FILTERS } from '../domain/consentement.fields';
import { OBJET_CONSENTEMENT_FIELDS } from '../domain/objet-consentement.fields';

export class ConsentementList extends InputOf(CONSENTEMENT_FILTERS, {}, PagingQuery) {}

/** The consent object of a consent. */
class ObjetConsentementNomme extends ItemOf(pick(OBJET_CONSENTEMENT_FIELDS, 'idExterne', 'nom')) {}

/** An answer of an employee. A later answer to the same object does not replace it, because the history is kept. */
export class ConsentementItem extends ItemOf({
  ...pick(CONSENTEMENT_FIELDS, 'idExterneEmploye', 'accepte', 'dateConsentement'),
  objetConsentement: value.one(ObjetConsentementNomme, 'What was asked.'),
  valeursChampUtilisateur: value.list(
    ValeurChampV1Item,
    'Custom values given with the consent, as they were then; empty if there were none.',
  ),
}) {}

/** Body of POST. */
export class ConsentementInput extends InputOf(CONSENTEMENT_FIELDS) {}
