import { ApiProperty } from '@nestjs/swagger';
import { ENVIRONMENTS } from '#access/caller';
import { CHANGES } from '#platform/audit/audit-detail';
import { Input } from '#platform/input/field.decorator';
import { PagingQuery } from '#platform/http/listing';
import { text } from '#platform/input/field';
import type { JournalOfClient } from '../application/journal.service';

export class JournalQuery extends PagingQuery {
  @Input({
    kind: 'choice',
    values: ENVIRONMENTS,
    description: 'Only entries of the data space of this environment.',
  })
  environnement?: (typeof ENVIRONMENTS)[number] | null;

  @Input({
    kind: 'date',
    description: 'Only entries of this time or later.',
    example: '2026-01-01T00:00:00Z',
  })
  depuis?: Date | null;

  @Input(
    text(36, {
      description: 'Only entries of the object with this id. For bulk writes, this is the data space.',
      format: 'uuid',
    }),
  )
  objetId?: string | null;
}

/** Objects with the same change in a bulk write. */
export class JournalChangement {
  @ApiProperty({ enum: CHANGES, description: 'Kind of change.', example: 'modification' })
  type: (typeof CHANGES)[number];

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of objects.', example: 2 })
  nombre: number;

  @ApiProperty({
    type: [String],
    nullable: true,
    description: "The service's ids in ascending order; null for more than 1,000.",
    example: ['0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c41', '0198c2d4-6f0e-7b3a-9c55-2f1d8e0a4c42'],
  })
  ids: string[] | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'For more than 1,000 ids: SHA-256 of the ids in ascending order, separated by line feeds, 64 hexadecimal digits.',
    example: null,
  })
  empreinte: string | null;

  @ApiProperty({
    type: [String],
    description:
      'For a modification, names of the fields that differ in at least one object, without their values.',
    example: ['SyndicatIdExterne'],
  })
  champs: string[];
}

/** An action on one object. */
export class JournalItem {
  @ApiProperty({
    format: 'uuid',
    description: 'Identifier of the entry.',
    example: '019a8f0e-3b1a-7c55-9c5e-6f6d0b7a9e10',
  })
  id: string;

  @ApiProperty({
    enum: [...ENVIRONMENTS, null],
    type: String,
    nullable: true,
    description: 'Data space of the action; null for actions on the client as a whole.',
    example: 'staging',
  })
  environnement: string | null;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    description: 'Position in the chain of its space, from 1 without gaps.',
    example: 42,
  })
  numero: number;

  @ApiProperty({ format: 'date-time', description: 'When (UTC).', example: '2026-03-02T14:05:09.120Z' })
  date: string;

  @ApiProperty({
    format: 'uuid',
    description: 'Key of the caller; all zeros for ADMIN_API_KEY and for actions of the service.',
    example: '5b0c8f5e-94c1-4a0e-8f0a-6d0f0c9d7e21',
  })
  cleId: string;

  @ApiProperty({ description: 'Action.', example: 'signature.lire' })
  action: string;

  @ApiProperty({
    format: 'uuid',
    description: "The service's id of the object.",
    example: '019a8f0e-2d44-7f6b-8a35-1f2d5b3c4e5f',
  })
  objetId: string;

  @ApiProperty({
    description: 'Id of the request, from `X-Request-Id` of its answer.',
    example: '7b0f2c1e-8f57-4ad8-bd1d-9b2d9a1c4e77',
  })
  requeteId: string;

  @ApiProperty({
    description:
      'Keyed digest of the entry and its predecessor, 64 hexadecimal digits. Stored elsewhere with `numero`, it proves later that no earlier entry was changed.',
    example: '9f2c7a1e5d3b8c60417f29e0b5ad63c8e1f4092b7d5c6a3e8b1049f7c2d6e583',
  })
  empreinte: string;

  @ApiProperty({
    type: [JournalChangement],
    description: 'For a write of a roll, the changed voters; empty if `objetId` is the only object.',
  })
  changements: JournalChangement[];

  static of({
    environnement,
    numero,
    id,
    date,
    cleId,
    action,
    objetId,
    requeteId,
    empreinte,
    detail,
  }: JournalOfClient): JournalItem {
    return {
      id,
      environnement,
      numero,
      date,
      cleId,
      action,
      objetId,
      requeteId,
      empreinte: empreinte.toString('hex'),
      changements: detail === null ? [] : (JSON.parse(detail) as JournalChangement[]),
    };
  }
}
