import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { RESULTATS, SCENARIOS } from '../domain/certification.types';
import { CONSTATS_FIELDS } from '../domain/certification.fields';

/** Identifier of the documentation's examples; the demonstration tenant has such a certification. */
export const EXAMPLE_CERTIFICATION_ID = '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a5f31';

const resultat = (description: string) =>
  value.orNull(value.choice([...RESULTATS, null], description, 'Reussi'));

class NiveauxItem extends ItemOf({
  transport: resultat('Whether each answer was the expected one; null while it runs.'),
  traitement: resultat(
    'Whether each accepted event was processed once, and no other one; null while it runs, and without `constats`.',
  ),
}) {}

class ScenarioItem extends ItemOf({
  nom: value.choice(SCENARIOS, 'Scenario, in the order in which they are sent.', 'doublon'),
  attendu: value.text(
    'What is sent, and what the receiver should do.',
    'The same event twice, under one `webhook-id`: 2xx both times, processed once.',
  ),
  observe: value.orNull(value.text('What the receiver did; null before.', 'HTTP 204 after 12 ms')),
  conseil: value.orNull(value.text('What to change in the receiver, if it failed.', null)),
  resultat: resultat('Result of the scenario; null before.'),
}) {}

/** A certification of a receiver. */
export class CertificationItem extends ItemOf({
  id: value.id(
    'Identifier of the certification (GUID): `data.certificationId` of its events.',
    EXAMPLE_CERTIFICATION_ID,
  ),
  verdict: resultat('`Reussi` if every level that was tested is; null while it runs.'),
  niveaux: value.one(NiveauxItem, 'Results by level.'),
  scenarios: value.list(ScenarioItem, 'The thirteen scenarios.'),
  raison: value.orNull(
    value.text('Why it ended before its last scenario; null otherwise. Its verdict is then `Echoue`.', null),
  ),
  dateCreation: value.time('Time of the request (UTC).', '2026-03-02T14:05:09.120Z'),
  dateFin: value.orNull(value.time('End (UTC); null while it runs.', '2026-03-02T14:05:11.480Z')),
}) {}

export class ConstatsInput extends InputOf(CONSTATS_FIELDS) {}
