import { Module } from '@nestjs/common';
import { ClientsModule } from '#clients';
import { MembershipModule } from '#membership';
import { SyncModule } from '#sync';
import { VotingModule } from '#voting';
import { PersonnesService } from './application/personnes.service';
import { PersonalDataRepository } from './persistence/personal-data.repository';

@Module({
  imports: [ClientsModule, MembershipModule, SyncModule, VotingModule],
  providers: [PersonnesService, PersonalDataRepository],
  exports: [PersonnesService],
})
export class PersonneModule {}
