export { Eraser } from './moves/eraser';
export { Mover, type Step, STEPS, type StepListener } from './moves/mover';
export { CELLS_OF_SPACES, RestoredCell } from './moves/restored-cell';
export { CopyRefused } from './moves/space-copy';
export { MovesModule } from './moves.module';
export { primaryUrlOf } from './routing/primary';
export { connectionsOfProcesses } from './routing/processes';
