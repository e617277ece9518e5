import { Module } from '@nestjs/common';
import { ChampsUtilisateurController } from './http/champs-utilisateur.controller';
import { ChangementsController } from './http/changements.controller';
import { EmployesV2Controller } from './http/employes-v2.controller';
import { EmployesController } from './http/employes.controller';
import { EmployeursController } from './http/employeurs.controller';
import { SyndicatsController } from './http/syndicats.controller';
import { MembershipModule } from './membership.module';

@Module({
  imports: [MembershipModule],
  controllers: [
    EmployesController,
    EmployeursController,
    EmployesV2Controller,
    SyndicatsController,
    ChampsUtilisateurController,
    ChangementsController,
  ],
})
export class MembershipHttpModule {}
