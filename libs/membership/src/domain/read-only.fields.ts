import { givenId, givenTime } from '#platform/input/field';

/** Fields that the service sets for every record of master data. Writes may send them back; they are ignored. */
export const READ_ONLY_FIELDS = {
  idUnique: givenId('Identifier given by the service (GUID).', '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4b11'),
  derniereMAJ: givenTime('When it last changed (UTC).', '2026-03-02T14:05:09.120Z'),
  dateCreation: givenTime('When it was created (UTC).', '2026-01-15T14:30:00.000Z'),
} as const;
