import { CLIENT } from '../domain/clients.errors';
import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '#access/requires.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { type Listing, listOf, pageOf } from '#platform/http/listing';
import { Query } from '#platform/input/request-parts.decorator';
import { JournalService } from '../application/journal.service';
import { ClientId, CLIENT_PART } from './path-parts';
import { JournalItem, JournalQuery } from './journal.dto';

/** Entries fetched at a time. One entry may name 1,000 objects. */
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
      'Entries of the client as a whole and of both its data spaces, oldest first unless `ordre=desc`: each write, each bulk write as one entry (with the ids of the voters for a roll), and each reading of a signature image. Ballots have no entries.',
      'Entries have ids only, and no names, addresses or contents. They are never changed or removed, which `npm run cli -- verifier-journal` proves.',
    ].join('\n\n'),
    path: { clientId: CLIENT_PART },
    type: [JournalItem],
    paged: true,
    errors: [CLIENT.NotFound],
  })
  list(@ClientId() clientId: string, @Query() query: JournalQuery): Listing {
    return listOf(
      query,
      async (after, limit) => {
        const { entries, isCut } = await this.journal.list(clientId, query, after, limit + 1);
        const rows = entries.map((entry) => ({ ...entry, dateCreation: new Date(entry.date) }));
        return pageOf(rows, limit, (entry) => JournalItem.of(entry), isCut);
      },
      { runLength: RUN_LENGTH },
    );
  }
}
