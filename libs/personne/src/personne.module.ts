import { Module } from '@nestjs/common';
import { ClientsModule } from '#clients/module';
import { DeletionNotes } from '#membership';
import { MembershipModule } from '#membership/module';
import { SyncModule } from '#sync/module';
import { VotingModule } from '#voting/module';
import { PersonnesService } from './application/personnes.service';
import { PersonFinder } from './application/person-finder';
import { AncienEmployeRepository } from './persistence/ancien-employe.repository';
import { PersonalDataRepository } from './persistence/personal-data.repository';

@Module({
  imports: [ClientsModule, MembershipModule, SyncModule, VotingModule],
  providers: [PersonnesService, PersonFinder, AncienEmployeRepository, PersonalDataRepository],
  exports: [PersonnesService],
})
export class PersonneModule {
  /** Employees are noted here before they are deleted. */
  constructor(notes: DeletionNotes, finder: PersonFinder) {
    notes.register(finder);
  }
}
