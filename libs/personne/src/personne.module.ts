import { Module } from '@nestjs/common';
import { ClientsModule } from '#clients';
import { MembershipModule } from '#membership';
import { PersonnesService } from './application/personnes.service';
import { PersonalDataRepository } from './persistence/personal-data.repository';

@Module({
  imports: [ClientsModule, MembershipModule],
  providers: [PersonnesService, PersonalDataRepository],
  exports: [PersonnesService],
})
export class PersonneModule {}
