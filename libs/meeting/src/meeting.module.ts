import { Module } from '@nestjs/common';
import { MembershipModule } from '#membership/module';
import { PointsService } from './application/points.service';
import { SeancesService } from './application/seances.service';
import { PointQuery } from './persistence/point.query';
import { PointRepository } from './persistence/point.repository';
import { SeanceQuery } from './persistence/seance.query';
import { SeanceRepository } from './persistence/seance.repository';

const services = [SeancesService, PointsService];

@Module({
  imports: [MembershipModule],
  providers: [...services, PointQuery, PointRepository, SeanceQuery, SeanceRepository],
  exports: services,
})
export class MeetingModule {}
