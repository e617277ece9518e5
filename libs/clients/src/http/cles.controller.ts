import { Controller, Delete, Get, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CLE, NO_ADMIN_CLE } from '#access/access.errors';
import { Requires } from '#access/requires.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { type Listing, listOf, pageOf, PagingQuery } from '#platform/http/listing';
import { GuidPart, guidPart } from '#platform/input/guid-part.pipe';
import { Query } from '#platform/input/request-parts.decorator';
import { ClientsService } from '../application/clients.service';
import { CleAdministrationItem, EXAMPLE_CLE_ADMIN_ID } from './clients.dto';

const CleId = () => Param('cleId', new GuidPart(CLE.NotFound, NO_ADMIN_CLE));

/** Keys of administrators. The command `cle-admin` makes them. */
@ApiTags('Keys')
@Requires({ role: 'admin' })
@Controller('admin/v1/cles')
export class ClesController {
  constructor(private readonly clients: ClientsService) {}

  @Get()
  @Answers({
    summary: "List administrators' keys, without their secrets",
    description:
      'In the order of their creation, including revoked ones. `npm run cli -- cle-admin` makes them. The key of `ADMIN_API_KEY` is not listed.',
    type: [CleAdministrationItem],
    paged: true,
  })
  list(@Query() query: PagingQuery): Listing {
    return listOf(query, async (after, limit) =>
      pageOf(await this.clients.listAdminCles(after, limit + 1), limit, (cle) =>
        CleAdministrationItem.of(cle),
      ),
    );
  }

  @Delete(':cleId')
  @Answers({
    summary: "Revoke an administrator's key",
    path: { cleId: guidPart('key', EXAMPLE_CLE_ADMIN_ID) },
    description:
      'Every replica refuses the key within 5 s. Revoking it again changes nothing. The last listed key that works cannot be revoked.',
    status: 204,
    errors: [CLE.NotFound, CLE.DerniereAdministration],
  })
  async revoke(@CleId() cleId: string): Promise<void> {
    await this.clients.revokeAdminCle(cleId);
  }
}
