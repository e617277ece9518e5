import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Requires } from '#access/requires.decorator';
import { Answers } from '#platform/http/answers.decorator';
import { CellsService } from '../application/cells.service';
import { CelluleItem } from './cells.dto';

@ApiTags('Clients')
@Requires({ role: 'admin' })
@Controller('admin/v1/cellules')
export class CellsController {
  constructor(private readonly cells: CellsService) {}

  @Get()
  @Answers({
    summary: 'List the cells',
    description:
      'The databases that data spaces live in, in the order of `CELLS`; others with data spaces come last. A data space lives whole in one cell.',
    type: [CelluleItem],
  })
  async list(): Promise<CelluleItem[]> {
    return (await this.cells.list()).map((cell) => CelluleItem.of(cell));
  }
}
