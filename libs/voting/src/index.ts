import { Campagne } from './domain/campagne.entity';
import { Votant } from './domain/votant.entity';

export { BulletinsService } from './application/bulletins.service';
export { CampagnesService } from './application/campagnes.service';
export { DossierBuilderService } from './application/dossier-builder.service';
export { EngagementsService } from './application/engagements.service';
export { LifecycleService } from './application/lifecycle.service';
export { OptionsService } from './application/options.service';
export { QuestionsService } from './application/questions.service';
export { SealingService } from './application/sealing.service';
export { VotantsService } from './application/votants.service';
export { CampagneScelleeData } from './http/dossiers.dto';
export { CampagneItem } from './http/campagnes.dto';
export { EXAMPLE_IDS as VOTING_EXAMPLE_IDS } from './http/examples';
export { CampagneEngageeData } from './http/engagements.dto';
export { ListeElectoraleCreeeData } from './http/listes-electorales.dto';
export { VoterErasureRepository } from './persistence/voter-erasure.repository';
export { VotingHttpModule } from './voting-http.module';
export { VotingModule } from './voting.module';

export const VOTING_ENTITIES = [Campagne, Votant];
export * from './domain/voting.errors';
export { VOTING_AUDITED_ACTIONS } from './domain/voting.actions';
