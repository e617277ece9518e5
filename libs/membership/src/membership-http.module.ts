import { Module } from '@nestjs/common';
import { EmployesController } from './http/employes.controller';
import { EmployeursController } from './http/employeurs.controller';
import { MembershipModule } from './membership.module';

@Module({ imports: [MembershipModule], controllers: [EmployesController, EmployeursController] })
export class MembershipHttpModule {}
