import { Module } from '@nestjs/common';
import { ClientsModule } from '#clients/module';
import { DeletionNotes } from '#membership';
import { MembershipModule } from '#membership/module';
import { TachesService } from '#sync';
import { SyncModule } from '#sync/module';
import { VotingModule } from '#voting/module';
import { FusionService } from './application/fusion.service';
import { IdentifiantsService } from './application/identifiants.service';
import { PersonnesService } from './application/personnes.service';
import { PersonFinder } from './application/person-finder';
import { AncienEmployeRepository } from './persistence/ancien-employe.repository';
import { PersonalDataRepository } from './persistence/personal-data.repository';

@Module({
  imports: [ClientsModule, MembershipModule, SyncModule, VotingModule],
  providers: [
    FusionService,
    IdentifiantsService,
    PersonnesService,
    PersonFinder,
    AncienEmployeRepository,
    PersonalDataRepository,
  ],
  exports: [FusionService, IdentifiantsService, PersonnesService],
})
export class PersonneModule {
  /** Employees are noted here before they are deleted, and tasks rename them. */
  constructor(
    notes: DeletionNotes,
    finder: PersonFinder,
    taches: TachesService,
    identifiants: IdentifiantsService,
  ) {
    notes.register(finder);
    taches.register('nouveauxIdentifiants', (...task) => identifiants.perform(...task));
  }
}
