import { ENVIRONMENTS } from '#access/caller';
import { CHANGES } from '#platform/audit/audit-detail';
import { text } from '#platform/input/field';
import { InputOf, ItemOf } from '#platform/input/record-classes';
import { value } from '#platform/input/values';
import { PagingQuery } from '#platform/http/listing';
import type { JournalOfClient } from '../application/journal.service';

const JOURNAL_FILTER_FIELDS = {
  environnement: {
    kind: 'choice',
    values: ENVIRONMENTS,
    description: 'Only actions in the data space of this environment.',
  },
  depuis: {
    kind: 'date',
    description: 'Only entries of this time or later.',
    example: '2026-01-01T00:00:00Z',
  },
  apres: {
    kind: 'date',
    description: 'Only entries after this time.',
    example: '2026-01-01T00:00:00Z',
  },
  avant: {
    kind: 'date',
    description: 'Only entries before this time.',
    example: '2030-01-01T00:00:00Z',
  },
  action: text(100, { description: 'Only entries of this action, for example `signature.lire`.' }),
  cleId: text(36, {
    description:
      'Only actions of the key with this id; all zeros for the key of ADMIN_API_KEY and for the service.',
    format: 'uuid',
  }),
  ordre: {
    kind: 'choice',
    values: ['asc', 'desc'],
    description: '`desc` for the newest entries first.',
    example: 'desc',
  },
  objetId: text(36, {
    description: 'Only actions on the object with this id; for a bulk write, the id of the data space.',
    format: 'uuid',
  }),
} as const;

export class JournalQuery extends InputOf(JOURNAL_FILTER_FIELDS, {}, PagingQuery) {}

/** Objects with the same change by a bulk write. */
export class JournalChangement extends ItemOf({
  type: value.choice(CHANGES, 'The change.', 'modification'),
  nombre: value.integer('Number of objects.', 2, { minimum: 1 }),
  ids: value.orNull(
    value.texts("The service's ids in ascending order; null for more than 1,000.", [
      '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c41',
      '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c42',
    ]),
  ),
  empreinte: value.orNull(
    value.text(
      'For more than 1,000: SHA-256 of the ids in ascending order, separated by line feeds, 64 hexadecimal digits.',
      null,
    ),
  ),
  champs: value.texts(
    'For a modification: names of the fields that differ in at least one object. Never their values.',
    ['SyndicatIdExterne'],
  ),
}) {}

/** An action of a caller on one object. */
export class JournalItem extends ItemOf({
  id: value.id('Identifier of the entry.', '019a8f0e-3b1a-7c55-9c5e-6f6d0b7a9e10'),
  environnement: value.orNull(
    value.choice<string | null>(
      [...ENVIRONMENTS, null],
      'The data space of the action; null for actions on the client as a whole.',
      'staging',
    ),
  ),
  numero: value.integer('Number in the chain of its data space, from 1 without gaps.', 42, { minimum: 1 }),
  date: value.time('Time of the action (UTC).', '2026-03-02T14:05:09.120Z'),
  cleId: value.id(
    'The calling key; all zeros for the key of ADMIN_API_KEY and for actions of the service.',
    '5b0c8f5e-94c1-4a0e-8f0a-6d0f0c9d7e21',
  ),
  cleNom: value.orNull(
    value.text(
      'Name of the key; null for the key of ADMIN_API_KEY and for the service.',
      'Payroll synchronisation',
    ),
  ),
  action: value.text('The action.', 'signature.lire'),
  objetId: value.id("The service's id of the object.", '019a8f0e-2d44-7f6b-8a35-1f2d5b3c4e5f'),
  requeteId: value.text(
    'Identifier of the request, as in `X-Request-Id` of its response.',
    '7b0f2c1e-8f57-4ad8-bd1d-9b2d9a1c4e77',
  ),
  empreinte: value.text(
    'Keyed digest of the entry and the previous one, 64 hexadecimal digits. Stored elsewhere with `numero`, it proves later that no earlier entry was changed.',
    '9f2c7a1e5d3b8c60417f29e0b5ad63c8e1f4092b7d5c6a3e8b1049f7c2d6e583',
  ),
  changements: value.list(JournalChangement, 'For a write of a roll, the changed voters; otherwise empty.'),
}) {
  static of(entry: JournalOfClient): JournalItem {
    const { id, environnement, numero, date, cleId, cleNom, action, objetId, requeteId } = entry;
    return {
      ...{ id, environnement, numero, date, cleId, cleNom, action, objetId, requeteId },
      empreinte: entry.empreinte.toString('hex'),
      changements: entry.detail === null ? [] : (JSON.parse(entry.detail) as JournalChangement[]),
    };
  }
}
