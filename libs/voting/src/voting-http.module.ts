import { Module } from '@nestjs/common';
import { CampagnesAdministrationController } from './http/campagnes-administration.controller';
import { BulletinsController } from './http/bulletins.controller';
import { CampagnesController } from './http/campagnes.controller';
import { EcartsController } from './http/ecarts.controller';
import { DossiersController, VotantProofsController } from './http/dossiers.controller';
import { JwksController } from './http/jwks.controller';
import { EngagementsController } from './http/engagements.controller';
import { ListesElectoralesController } from './http/listes-electorales.controller';
import { OptionsController } from './http/options.controller';
import { QuestionsController } from './http/questions.controller';
import { StatisticsController } from './http/statistics.controller';
import { VotantsController } from './http/votants.controller';
import { VotingModule } from './voting.module';

@Module({
  imports: [VotingModule],
  controllers: [
    CampagnesController,
    QuestionsController,
    OptionsController,
    VotantsController,
    ListesElectoralesController,
    EcartsController,
    EngagementsController,
    BulletinsController,
    StatisticsController,
    CampagnesAdministrationController,
    DossiersController,
    VotantProofsController,
    JwksController,
  ],
})
export class VotingHttpModule {}
