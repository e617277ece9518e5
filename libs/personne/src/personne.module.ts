import { Module } from '@nestjs/common';
import { ClientsModule } from '#clients';
import { DeletionNotes, MembershipModule } from '#membership';
import { SyncModule } from '#sync';
import { VotingModule } from '#voting';
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
