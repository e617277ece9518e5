import { givenId, givenTime, readOnly } from '#platform/input/field';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { PagingQuery } from '#platform/http/listing';
import { COURRIEL_FIELDS, DESTINATAIRE_FILTER_FIELDS, DESTINATAIRES_FIELDS } from '../domain/courriel.fields';
import { ETATS_DESTINATAIRE } from '../domain/courriel.types';
import { TOUTES_RAISONS } from '../domain/retour.types';

/** Identifier of the documentation's examples; the demonstration tenant has it. */
export const EXAMPLE_COURRIEL_ID = '0198c2d4-7c21-7d40-8a13-5e9b0c4f6a01';

/** Recipients of an email: either `idExternes`, or `campagneId` with `cible`. */
export class DestinatairesInput extends InputOf(DESTINATAIRES_FIELDS) {}

export class CourrielInput extends InputOf(COURRIEL_FIELDS, { destinataires: DestinatairesInput }) {}

const id = givenId('Identifier of the email (GUID).', EXAMPLE_COURRIEL_ID);
const nombreDestinataires = value.integer(
  'Number of recipients, including those without address and duplicates.',
  2,
);

/** An accepted email. */
export class CourrielAccepteItem extends ItemOf({ id, nombreDestinataires }) {}

/** Number of recipients in each state; the sum is `nombreDestinataires`. */
export class EtatsItem extends ItemOf({
  enAttente: value.integer('Waiting for the first or next attempt.', 0),
  enCours: value.integer('The message was handed over, and the mail server has not responded yet.', 0),
  envoyes: value.integer('The mail server accepted the message.', 2),
  refuses: value.integer(
    'The mail server rejected the message permanently, or did not accept it for three days.',
    0,
  ),
  rejetes: value.integer(
    'The mail server had accepted the message, and the relay reported later that it cannot be delivered.',
    0,
  ),
  incertains: value.integer(
    'The service failed before the response of the mail server: the message has most likely arrived, and is not sent again.',
    0,
  ),
  sansAdresse: value.integer('The recipient has no email address, or was deleted.', 0),
  doublons: value.integer('Another recipient with the same address gets the message.', 0),
  retenus: value.integer(
    'In staging: the address is not among `courrielsEssai` of the client, which an administrator sets. The recipient gets no message.',
    0,
  ),
}) {}

/** An email and its progress. */
export class CourrielItem extends ItemOf({
  id,
  sujet: COURRIEL_FIELDS.sujet,
  dateCreation: givenTime('Time of acceptance (UTC).', '2026-03-02T14:05:09.120Z'),
  nombreDestinataires,
  etats: value.one(EtatsItem, 'Number of recipients in each state.'),
}) {}

/** Filter of recipients. */
export class DestinatairesQuery extends InputOf(DESTINATAIRE_FILTER_FIELDS, {}, PagingQuery) {}

/** A recipient of an email. */
export class DestinataireItem extends ItemOf({
  idExterne: readOnly('External identifier of the employee; null for a voter without employee.', 'E-1001'),
  votantId: {
    ...readOnly(
      'The voter (GUID); null if the request named employees.',
      '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c31',
    ),
    format: 'uuid',
  },
  etat: value.choice(ETATS_DESTINATAIRE, 'State of the recipient.', 'Envoye'),
  codeSmtp: value.orNull(
    value.integer(
      'The last code with which a mail server deferred or rejected the message; null if none is known.',
      550,
    ),
  ),
  statut: value.orNull(
    value.text(
      'Status code (RFC 3463) that the relay reported: with `Rejete` that of the failure, otherwise that of a delay; null without a report.',
      '5.1.1',
    ),
  ),
  raison: value.orNull(
    value.choice(
      [...TOUTES_RAISONS, null],
      'Class of `statut`: address, mailbox, system, network, protocol, content, policy or another.',
      'Adresse',
    ),
  ),
  date: givenTime('Time of the last change of state (UTC).', '2026-03-02T14:05:11.480Z'),
}) {}
