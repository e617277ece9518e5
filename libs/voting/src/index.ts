import { Campagne } from './campagne/domain/campagne.entity';
import { Votant } from './roll/domain/votant.entity';

export { CHECK_BOX, CLOSED_BOXES, RECOUNT_BOX } from './ballot/persistence/box-checks.sql';
export { BulletinsService } from './ballot/application/bulletins.service';
export { type AnsweredQuestion, optionsOf } from './ballot/domain/bulletin.rules';
export type { BulletinRecord } from './ballot/domain/bulletin.fields';
export { CampagnesService } from './campagne/application/campagnes.service';
export { DossierKeys } from './application/dossier-keys';
export { DossierBuilderService } from './dossier/application/dossier-builder.service';
export { EngagementsService } from './ballot/application/engagements.service';
export { LifecycleService } from './campagne/application/lifecycle.service';
export { OptionsService } from './structure/application/options.service';
export { PlacesService } from './roll/application/places.service';
export { QuestionsService } from './structure/application/questions.service';
export { SealingService } from './ballot/application/sealing.service';
export type { DrawnVotant } from './roll/persistence/votant.query';
export { VotantsService } from './roll/application/votants.service';
export { CampagneScelleeData } from './dossier/http/dossiers.dto';
export { CampagneItem } from './campagne/http/campagnes.dto';
export { EXAMPLE_IDS as VOTING_EXAMPLE_IDS } from './http/examples';
export { CampagneEngageeData } from './ballot/http/engagements.dto';
export { ListeElectoraleCreeeData } from './roll/http/listes-electorales.dto';
export { VoterEmails } from './roll/persistence/voter-emails';
export { VoterErasureRepository } from './roll/persistence/voter-erasure.repository';

export const VOTING_ENTITIES = [Campagne, Votant];
export * from './domain/voting.errors';
export { VOTING_AUDITED_ACTIONS } from './domain/voting.actions';
