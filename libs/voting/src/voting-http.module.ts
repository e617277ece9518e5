import { Module } from '@nestjs/common';
import { CampagnesAdministrationController } from './ballot/http/campagnes-administration.controller';
import { BulletinsController } from './ballot/http/bulletins.controller';
import { CampagnesController } from './campagne/http/campagnes.controller';
import { ChiffrementController, ScrutinController } from './chiffrement/http/chiffrement.controller';
import { EcartsController } from './roll/http/ecarts.controller';
import { DossiersController, VotantProofsController } from './dossier/http/dossiers.controller';
import { JwksController } from './dossier/http/jwks.controller';
import { EngagementsController } from './ballot/http/engagements.controller';
import { EligibiliteController, ExplicationsController } from './roll/http/explications.controller';
import { ListesElectoralesController } from './roll/http/listes-electorales.controller';
import { OptionsController } from './structure/http/options.controller';
import { QuestionsController } from './structure/http/questions.controller';
import { StatisticsController } from './count/http/statistics.controller';
import { VotantsController } from './roll/http/votants.controller';
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
    ExplicationsController,
    EligibiliteController,
    EngagementsController,
    ChiffrementController,
    ScrutinController,
    BulletinsController,
    StatisticsController,
    CampagnesAdministrationController,
    DossiersController,
    VotantProofsController,
    JwksController,
  ],
})
export class VotingHttpModule {}
