import { Module } from '@nestjs/common';
import { EmployesService } from './application/employes.service';
import { EmployeursService } from './application/employeurs.service';
import { EmployeQuery } from './persistence/employe.query';
import { EmployeRepository } from './persistence/employe.repository';
import { EmployeurQuery } from './persistence/employeur.query';
import { EmployeurRepository } from './persistence/employeur.repository';
import { MasterDataBulk } from './persistence/master-data.bulk';

@Module({
  providers: [
    EmployesService,
    EmployeursService,
    EmployeQuery,
    EmployeRepository,
    EmployeurQuery,
    EmployeurRepository,
    MasterDataBulk,
  ],
  exports: [EmployesService, EmployeursService, MasterDataBulk],
})
export class MembershipModule {}
