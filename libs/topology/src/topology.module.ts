import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { DataSourceOptions } from 'typeorm';
import { Cells, Databases } from '#platform/database/databases';
import { CellDatabases, ENTITIES } from './routing/cell-databases';
import { WhereaboutsQuery } from './routing/whereabouts.query';

/** The databases of a process. */
@Global()
@Module({})
export class TopologyModule {
  constructor(databases: CellDatabases, whereabouts: WhereaboutsQuery) {
    databases.locateBy((space) => whereabouts.of(space));
  }

  /** @param entities TypeORM entities of the process */
  static forRoot(entities: DataSourceOptions['entities']): DynamicModule {
    return {
      module: TopologyModule,
      providers: [
        { provide: ENTITIES, useValue: entities },
        CellDatabases,
        { provide: Databases, useExisting: CellDatabases },
        { provide: Cells, useExisting: CellDatabases },
        WhereaboutsQuery,
      ],
      exports: [Databases, Cells],
    };
  }
}
