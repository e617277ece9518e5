import { Module } from '@nestjs/common';
import { ActiveCampaigns } from './application/active-campaigns';
import { DeletionNotes } from './application/deletion-notes';
import { ChampsUtilisateurService } from './application/champs-utilisateur.service';
import { ChangementsService } from './application/changements.service';
import { EmployesSyncService } from './application/employes-sync.service';
import { EmployesService } from './application/employes.service';
import { EmployeursService } from './application/employeurs.service';
import { EmployesV2Service } from './application/employes-v2.service';
import { SyndicatsService } from './application/syndicats.service';
import { SyndicatsSyncService } from './application/syndicats-sync.service';
import { ChampUtilisateurQuery } from './persistence/champ-utilisateur.query';
import { ChampUtilisateurRepository } from './persistence/champ-utilisateur.repository';
import { ChangementQuery } from './persistence/changement.query';
import { EffetsRepository } from './persistence/effets.repository';
import { EmploiQuery } from './persistence/emploi.query';
import { EmployeV2Query } from './persistence/employe-v2.query';
import { EmployeQuery } from './persistence/employe.query';
import { EmployeRepository } from './persistence/employe.repository';
import { EmployesV2Bulk } from './persistence/employes-v2.bulk';
import { EmployeurQuery } from './persistence/employeur.query';
import { EmployeurRepository } from './persistence/employeur.repository';
import { FusionRepository } from './persistence/fusion.repository';
import { IdentifiantRepository } from './persistence/identifiant.repository';
import { MasterDataBulk } from './persistence/master-data.bulk';
import { MemberRepository } from './persistence/member.repository';
import { RestorationRepository } from './persistence/restoration.repository';
import { SyndicatQuery } from './persistence/syndicat.query';
import { SyndicatsBulk } from './persistence/syndicats.bulk';

const services = [
  ActiveCampaigns,
  DeletionNotes,
  MemberRepository,
  EmployesService,
  EmployeursService,
  EmployesV2Service,
  SyndicatsService,
  ChampsUtilisateurService,
  ChangementQuery,
  ChangementsService,
  EffetsRepository,
  RestorationRepository,
  EmployesSyncService,
  FusionRepository,
  IdentifiantRepository,
  SyndicatsSyncService,
  MasterDataBulk,
];

@Module({
  providers: [
    ...services,
    ChampUtilisateurQuery,
    ChampUtilisateurRepository,
    EmploiQuery,
    EmployeQuery,
    EmployeRepository,
    EmployesV2Bulk,
    EmployeurQuery,
    EmployeurRepository,
    EmployeV2Query,
    SyndicatQuery,
    SyndicatsBulk,
  ],
  exports: services,
})
export class MembershipModule {}
