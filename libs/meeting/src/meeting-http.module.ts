import { Module } from '@nestjs/common';
import { SeancesPlateformeController } from './http/seances-plateforme.controller';
import { SeancesController } from './http/seances.controller';
import { MeetingModule } from './meeting.module';

@Module({ imports: [MeetingModule], controllers: [SeancesController, SeancesPlateformeController] })
export class MeetingHttpModule {}
