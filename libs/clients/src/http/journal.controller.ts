import { CLIENT } from '../domain/clients.errors';
import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '#access/requires.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { GuidPart } from '#platform/input/guid-part.pipe';
import { type Listing, listOf, pageOf } from '#platform/http/listing';
import { Query } from '#platform/input/request-parts.decorator';
import { JournalService } from '../application/journal.service';
import { EXAMPLE_CLIENT_ID } from './clients.dto';
import { JournalItem, JournalQuery } from './journal.dto';

/** Entries fetched at a time; one may name 1,000 objects. */
const RUN_LENGTH = 100;

@ApiTags('Audit trail')
@Requires({ role: 'admin' })
@Controller('admin/v1/clients/:clientId/journal')
export class JournalController {
  constructor(private readonly journal: JournalService) {}

  @Get()
  @Answers({
    summary: "List a client's audit trail",
    description: [
      'Who did what to which object, oldest first, over the client as a whole and both its data spaces: every write, one entry for each bulk write (of a roll with the ids of the voters), every reading of a signature image, and never a ballot.',
      'Ids only: names, addresses and contents are nowhere in it. Entries are never changed or removed, and `npm run cli -- verifier-journal` proves that none was.',
    ].join('\n\n'),
    path: {
      clientId: {
        description: 'Identifier of the client (GUID).',
        format: 'uuid',
        example: EXAMPLE_CLIENT_ID,
      },
    },
    type: [JournalItem],
    paged: true,
    errors: [CLIENT.NotFound],
  })
  list(
    @Param('clientId', new GuidPart(CLIENT.NotFound, 'No client has this id.')) clientId: string,
    @Query() query: JournalQuery,
  ): Listing {
    return listOf(
      query,
      async (after, limit) => {
        const entries = await this.journal.list(clientId, query, after, limit + 1);
        const rows = entries.map((entry) => ({ ...entry, dateCreation: new Date(entry.date) }));
        return pageOf(rows, limit, (entry) => JournalItem.of(entry));
      },
      { runLength: RUN_LENGTH },
    );
  }
}
