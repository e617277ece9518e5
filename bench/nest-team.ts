import 'reflect-metadata';
import {
  ClassSerializerInterceptor,
  Controller,
  Get,
  Injectable,
  Module,
  NotFoundException,
  Param,
  Query,
  UseInterceptors,
  ValidationPipe,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Exclude, Expose, Type } from 'class-transformer';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import {
  Column,
  DataSource,
  DefaultNamingStrategy,
  Entity,
  JoinColumn,
  ManyToOne,
  OneToMany,
  PrimaryColumn,
} from 'typeorm';
import { snakeCase } from '../libs/platform/src/input/field';

/**
 * Employees on the tables of the product, the way a Nest team writes it: TypeORM entities, ValidationPipe and class-transformer's
 * serialisation. It knows no keys and reads all tenants, like the floors.
 */

@Entity('employe')
class Employe {
  @Exclude() @Column('uuid') tenantId: string;
  @PrimaryColumn('uuid') idUnique: string;
  @Column('text') idExterne: string;
  @Column('text') prenom: string;
  @Column('text') nom: string;
  @Column('text', { nullable: true }) noMembre: string | null;
  @Column('text', { nullable: true }) courriel: string | null;
  @Column('text', { nullable: true }) identifiantExterneEmployeur: string | null;
  @Column('text', { nullable: true }) telephonePrincipal: string | null;
  @Column('text', { nullable: true }) adresse1: string | null;
  @Column('text', { nullable: true }) ville: string | null;
  @Column('text', { nullable: true }) province: string | null;
  @Column('text', { nullable: true }) codePostal: string | null;
  @Column('timestamptz', { name: 'derniere_maj' }) derniereMAJ: Date;
  @Column('timestamptz') dateCreation: Date;

  @Exclude()
  @OneToMany(() => Valeur, ({ employe }) => employe, { eager: true })
  valeurs: Valeur[];

  @Expose()
  get valeursChampUtilisateur(): object[] {
    return this.valeurs.map(({ nomChamp, valeurTexte }) => ({ nom: nomChamp, valeurTexte }));
  }
}

@Entity('valeur_champ_employe')
class Valeur {
  @PrimaryColumn('uuid') tenantId: string;
  @PrimaryColumn('text') idExterneEmploye: string;
  @PrimaryColumn('text') nomChamp: string;
  @Column('text', { nullable: true }) valeurTexte: string | null;

  @ManyToOne(() => Employe, ({ valeurs }) => valeurs)
  @JoinColumn([
    { name: 'tenant_id', referencedColumnName: 'tenantId' },
    { name: 'id_externe_employe', referencedColumnName: 'idExterne' },
  ])
  employe: Employe;
}

class Names extends DefaultNamingStrategy {
  override columnName(property: string, custom: string | undefined): string {
    return custom ?? snakeCase(property);
  }
}

class ListQuery {
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(1000)
  @Type(() => Number)
  limite?: number;
}

@Injectable()
class EmployesService {
  constructor(private readonly source: DataSource) {}

  list(tenantId: string, limite?: number): Promise<Employe[]> {
    return this.source.getRepository(Employe).find({
      where: { tenantId },
      order: { dateCreation: 'ASC', idUnique: 'ASC' },
      ...(limite === undefined ? {} : { take: limite }),
    });
  }

  async get(tenantId: string, idExterne: string): Promise<Employe> {
    const employe = await this.source.getRepository(Employe).findOneBy({ tenantId, idExterne });
    if (!employe) throw new NotFoundException();
    return employe;
  }
}

@UseInterceptors(ClassSerializerInterceptor)
@Controller('employes/:tenantId')
class EmployesController {
  constructor(private readonly employes: EmployesService) {}

  @Get()
  list(@Param('tenantId') tenantId: string, @Query() { limite }: ListQuery): Promise<Employe[]> {
    return this.employes.list(tenantId, limite);
  }

  @Get(':idExterne')
  get(@Param('tenantId') tenantId: string, @Param('idExterne') idExterne: string): Promise<Employe> {
    return this.employes.get(tenantId, idExterne);
  }
}

/** Has as many connections as the product has for reads. */
const SOURCE = {
  provide: DataSource,
  useFactory: () =>
    new DataSource({
      type: 'postgres',
      url: process.env.DATABASE_URL!,
      poolSize: 10,
      entities: [Employe, Valeur],
      namingStrategy: new Names(),
      installExtensions: false,
    }).initialize(),
};

@Module({ controllers: [EmployesController], providers: [EmployesService, SOURCE] })
class TeamModule {}

async function serve(): Promise<void> {
  const app = await NestFactory.create(TeamModule, { logger: false });
  app.useGlobalPipes(new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true }));
  await app.listen(Number(process.env.PORT), '127.0.0.1');
  process.send?.('listening');
}

process.on('disconnect', () => process.exit());
void serve();
