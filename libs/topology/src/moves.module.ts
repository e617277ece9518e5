import { Module } from '@nestjs/common';
import { ClientsModule } from '#clients/module';
import { Eraser } from './moves/eraser';
import { Mover } from './moves/mover';
import { RestoredCell } from './moves/restored-cell';

/** Moves and erasures of data spaces, which only commands perform. */
@Module({
  imports: [ClientsModule],
  providers: [Eraser, Mover, RestoredCell],
  exports: [Eraser, Mover, RestoredCell],
})
export class MovesModule {}
