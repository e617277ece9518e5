import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '../..');

/** Every allowed kind of import once: the rules must report none of them. */
const ALLOWED: Record<string, string> = {
  'libs/voting/src/http/neighbour.ts': `import '#membership';`,
  'apps/partner-api/src/main.ts': `import './app.module'; import '#platform/ops/config';`,
  'apps/partner-api/src/app.module.ts': `import '#voting'; import '#membership/http'; import '#clients'; import '@nestjs/core'; import 'helmet';`,
  'apps/worker/src/main.ts': `import '#sync'; import '#topology'; import '#webhooks'; import '#messaging';`,
  'tools/openapi/documents.ts': `import '../../apps/partner-api/src/app.module';`,
  'packages/client/src/webhooks.ts': `import 'standardwebhooks';`,
  'packages/verify/src/main.ts': `import 'node:crypto'; import 'libsodium-wrappers-sumo'; import './merkle.js';`,
  'packages/verify/src/merkle.ts': ``,
  'packages/ballot/src/seal.ts': `import '@noble/curves/ed25519.js'; import '@noble/hashes/sha2.js'; import './proofs.js';`,
  'packages/ballot/src/proofs.ts': ``,
  'packages/ballot/src/sodium.ts': `import 'libsodium-wrappers-sumo';`,
  'packages/guardian/src/main.ts': `import 'node:crypto'; import 'node:readline/promises'; import '@mandat/ballot/guardians'; import './vault.js';`,
  'packages/guardian/src/vault.ts': ``,
  'packages/cli/src/main.ts': `import 'node:fs'; import '@mandat/client'; import 'csv-parse/sync'; import './plan.js';`,
  'packages/cli/src/plan.ts': ``,
  'migrations/1-start.ts': `import 'typeorm'; import '#platform/database/roles';`,
  'test/voting/votants.e2e-spec.ts': `import '../../apps/partner-api/src/app.module'; import 'fast-check';`,

  'apps/cli/src/start.ts': `import '#embedded-postgres';`,
  'bench/world.ts': `import '#embedded-postgres';`,
  'test/setup/global-setup.ts': `import '../../libs/embedded-postgres/src/index';`,

  'libs/embedded-postgres/src/index.ts': `import 'pg'; import './host'; import '#platform/errors/domain-error';`,
  'libs/embedded-postgres/src/host.ts': `import 'node:child_process';`,

  'libs/platform/src/ops/config.ts': `import 'node:fs';`,
  'libs/platform/src/errors/domain-error.ts': `import './error-definition';`,
  'libs/platform/src/errors/error-definition.ts': ``,
  'libs/platform/src/input/field.ts': ``,
  'libs/platform/src/jobs/queue.ts': ``,
  'libs/platform/src/events/outbox.ts': ``,
  'libs/platform/src/database/transactions.ts': `import 'typeorm'; import 'pg'; import '../errors/domain-error';`,
  'libs/platform/src/database/roles.ts': ``,
  'libs/access/src/requires.ts': `import '@nestjs/swagger'; import '@nestjs/common'; import '#platform/http/problem.filter';`,
  'libs/platform/src/http/problem.filter.ts': `import 'express'; import '@nestjs/common'; import '../errors/domain-error';`,

  'libs/voting/src/index.ts': `import './voting.module'; import './voting-http.module'; import './application/ballots.service';`,
  'libs/membership/src/membership.module.ts': ``,
  'libs/membership/src/membership-http.module.ts': ``,
  'libs/voting/src/voting.module.ts': `import '#membership'; import '#membership/module'; import '@nestjs/common'; import './application/ballots.service';
    import './persistence/campagne.repository'; import './domain/campagne.entity';`,
  'libs/voting/src/voting-http.module.ts': `import './voting.module'; import './http/votants.controller';`,
  'libs/voting/src/domain/campagne.entity.ts': `import 'typeorm'; import 'node:crypto'; import './campagne.types';
    import '#membership/vocabulary'; import '#platform/errors/domain-error';`,
  'libs/voting/src/domain/campagne.types.ts': ``,
  'libs/voting/src/domain/voting.errors.ts': ``,
  'libs/voting/src/domain/campagne.entity.spec.ts': `import 'fast-check'; import './campagne.entity';`,
  'libs/voting/src/persistence/campagne.repository.ts': `import { Injectable } from '@nestjs/common'; import 'node:stream';
    import '../domain/campagne.entity'; import './campagne.query'; import '#membership/vocabulary'; import '#membership/relations';
    import '#platform/database/transactions'; import 'typeorm'; import 'pg-copy-streams'; import type { Pool } from 'pg';`,
  'libs/voting/src/persistence/campagne.query.ts': ``,
  'libs/voting/src/application/ballots.service.ts': `import '../domain/campagne.entity'; import '../persistence/campagne.repository';
    import './campagnes.service'; import '#membership'; import '#platform/database/transactions'; import '@nestjs/common';`,
  'libs/voting/src/application/campagnes.service.ts': ``,
  'libs/voting/src/http/votants.controller.ts': `import '../application/ballots.service'; import './votants.dto'; import 'express';
    import type { Campagne } from '../domain/campagne.entity'; import '../domain/voting.errors'; import '@nestjs/common';
    import '#platform/http/problem.filter'; import '#access/requires'; import '#platform/errors/error-definition';`,
  'libs/voting/src/http/votants.dto.ts': `import '../domain/campagne.types'; import 'class-validator'; import '@nestjs/swagger';`,
  'libs/voting/src/ballot/domain/bulletin.rules.ts': `import '../../structure/domain/question.rules'; import '../../domain/voting.errors';`,
  'libs/voting/src/structure/domain/question.rules.ts': ``,
  'libs/voting/src/structure/domain/question.fields.ts': ``,
  'libs/voting/src/ballot/domain/bulletin.rules.spec.ts': `import './bulletin.rules'; import '../../count/domain/tally/tally';`,
  'libs/voting/src/count/domain/tally/tally.ts': ``,
  'libs/voting/src/ballot/persistence/bulletin.repository.ts': `import '../domain/bulletin.rules'; import '../../persistence/campagne.query';
    import '../../roll/persistence/votant.query'; import 'typeorm';`,
  'libs/voting/src/roll/persistence/votant.query.ts': ``,
  'libs/voting/src/ballot/application/bulletins.service.ts': `import '../persistence/bulletin.repository'; import '../domain/bulletin.rules';`,
  'libs/voting/src/ballot/http/bulletins.controller.ts': `import '../application/bulletins.service'; import 'express';
    import '../../structure/domain/question.fields'; import type { Answer } from '../domain/bulletin.rules';`,

  'libs/membership/src/index.ts': `import './vocabulary'; import './domain/salarie.entity';`,
  'libs/membership/src/vocabulary.ts': `export * from './domain/salarie.fields';`,
  'libs/membership/src/relations.ts': `export * from './persistence/salarie.sql';`,
  'libs/membership/src/persistence/salarie.sql.ts': ``,
  'libs/webhooks/src/relations.ts': ``,
  'libs/personne/src/persistence/personal-data.sql.ts': `import '#webhooks/relations';`,
  'libs/membership/src/domain/salarie.fields.ts': ``,
  'libs/membership/src/domain/salarie.entity.ts': ``,
  'libs/consent/src/index.ts': `import '#membership';`,
  'libs/meeting/src/index.ts': `import '#membership';`,
  'libs/adhesion/src/index.ts': `import '#membership'; import '#consent'; import '#voting'; import '#meeting';`,
  'libs/sync/src/index.ts': `import '#adhesion'; import '#membership';`,
  'libs/webhooks/src/index.ts': `import '#sync'; import '#voting';`,
  'libs/messaging/src/index.ts': `import '#adhesion'; import '#meeting'; import '#webhooks';`,
  'libs/clients/src/index.ts': `import '#access/requires';`,
  'libs/topology/src/index.ts': `import './moves/mover'; import './topology.module';`,
  'libs/topology/src/topology.module.ts': `import './routing/cell-databases'; import '@nestjs/common';`,
  'libs/topology/src/routing/cell-databases.ts': `import '#platform/database/transactions'; import 'pg';`,
  'libs/topology/src/moves/mover.ts': `import '../routing/cell-databases'; import '#clients';`,
  'libs/personne/src/index.ts': `import '#membership';`,
  'libs/essai/src/index.ts': `import '#sync'; import '#voting'; import '#webhooks';`,
};

/**
 * Files that break only the rule of their key. One run checks them together with the allowed ones.
 */
const BROKEN: Record<string, Record<string, string>> = {
  'no-unresolved': { 'libs/voting/src/application/lost.service.ts': `import '#platform/nowhere/lost';` },
  'sources-only': { 'apps/worker/src/built.ts': `import '../../../dist/libs/voting/src/index';` },
  'no-circular': { 'libs/voting/src/domain/circle.ts': `import type { Round } from './round';` },
  'known-places': {
    'libs/voting/src/voting-loose.module.ts': `import './utils/dates';`,
    'libs/voting/src/voting-other.module.ts': `import './membership.module';`,
    'libs/voting/src/voting-poll.module.ts': `import './poll/domain/poll';`,
    'libs/voting/src/voting-helpers.module.ts': `import './roll/helpers/dates';`,
    'libs/consent/src/consent-roll.module.ts': `import './roll/domain/votant';`,
    'apps/worker/src/billing.ts': `import '../../../libs/billing/src/index';`,
  },
  'declared-packages-only': {
    'libs/voting/src/http/dev.controller.ts': `import 'fast-check';`,
    'libs/platform/src/http/transitive.ts': `import 'tslib';`,
  },
  'nobody-imports-apps': {
    'libs/voting/src/application/up.service.ts': `import '../../../../apps/worker/src/main';`,
    'apps/worker/src/beside.ts': `import '../../partner-api/src/app.module';`,
    'migrations/2-app.ts': `import '../apps/worker/src/main';`,
  },
  'client-stands-alone': {
    'packages/client/src/inward.ts': `import type { Salarie } from '../../../libs/membership/src/index';`,
  },
  'verifier-stands-alone': {
    'packages/verify/src/count.ts': `import type { Round } from '../../../libs/voting/src/index';`,
    'packages/verify/src/time.ts': `import '../../../migrations/1-start';`,
    'packages/verify/src/fixture.ts': `import '../../../test/setup/global-setup';`,
    'packages/verify/src/tool.ts': `import '../../../tools/openapi/documents';`,
    'packages/verify/src/measure.ts': `import '../../../bench/world';`,
    'packages/verify/src/fetch.ts': `import '../../client/src/webhooks';`,
    'packages/verify/src/package.ts': `import 'fast-check';`,
    'packages/verify/src/curve.ts': `import '@noble/curves/ed25519.js';`,
  },
  'ballot-stands-alone': {
    'packages/ballot/src/count.ts': `import type { Round } from '../../../libs/voting/src/index';`,
    'packages/ballot/src/random.ts': `import 'node:crypto';`,
    'packages/ballot/src/package.ts': `import 'canonicalize';`,
    'packages/ballot/src/verify.ts': `import '../../verify/src/merkle';`,
  },
  'guardian-uses-the-ballot': {
    'packages/guardian/src/count.ts': `import '../../../libs/voting/src/index';`,
    'packages/guardian/src/upload.ts': `import 'node:https';`,
    'packages/guardian/src/curve.ts': `import '@noble/curves/ed25519.js';`,
    'packages/guardian/src/proofs.ts': `import '../../verify/src/merkle';`,
  },
  'command-line-uses-the-client': {
    'packages/cli/src/fields.ts': `import type { Salarie } from '../../../libs/membership/src/index';`,
    'packages/cli/src/count.ts': `import '../../verify/src/merkle';`,
    'packages/cli/src/package.ts': `import 'csv-stringify';`,
  },
  'migrations-stand-alone': {
    'migrations/2-entity.ts': `import '#voting';`,
    'migrations/2-shared.ts': `import '#platform/ops/config';`,
  },
  'contexts-by-index': {
    'libs/voting/src/application/deep.service.ts': `import '../../../membership/src/domain/salarie.entity';`,
    'libs/voting/src/voting-deep.module.ts': `import type { Salarie } from '../../membership/src/domain/salarie.entity';`,
    'apps/worker/src/deep.ts': `import '../../../libs/voting/src/application/ballots.service';`,
  },
  'modules-in-modules': {
    'libs/voting/src/application/whole.service.ts': `import '#membership/module';`,
    'libs/voting/src/application/routes.service.ts': `import '#membership/http';`,
  },
  'order-of-membership': { 'libs/membership/src/application/up.service.ts': `import '#webhooks';` },
  'order-of-consent': { 'libs/consent/src/application/side.service.ts': `import '#clients';` },
  'order-of-voting': { 'libs/voting/src/application/side.service.ts': `import '#meeting';` },
  'order-of-voting-campagne': {
    'libs/voting/src/campagne/domain/up.ts': `import '../../structure/domain/question.fields';`,
    'libs/voting/src/campagne/application/up.ts': `import '../../count/domain/tally/tally';`,
  },
  'order-of-voting-structure': {
    'libs/voting/src/structure/domain/up.ts': `import type { Answer } from '../../ballot/domain/bulletin.rules';`,
  },
  'order-of-voting-roll': {
    'libs/voting/src/roll/persistence/up.ts': `import '../../ballot/persistence/bulletin.repository';`,
  },
  'order-of-voting-ballot': {
    'libs/voting/src/ballot/domain/up.ts': `import '../../count/domain/tally/tally';`,
  },
  'order-of-voting-chiffrement': {
    'libs/voting/src/chiffrement/application/up.ts': `import '../../dossier/application/dossiers.service';`,
  },
  'order-of-voting-count': {
    'libs/voting/src/count/application/up.ts': `import '../../dossier/application/dossiers.service';`,
  },
  'order-of-voting-dossier': {
    'libs/voting/src/dossier/persistence/down.ts': `import '../../ballot/persistence/bulletin.repository';`,
  },
  'voting-shares-below-subjects': {
    'libs/voting/src/domain/up.ts': `import '../structure/domain/question.fields';`,
    'libs/voting/src/http/up.ts': `import '../ballot/application/bulletins.service';`,
  },
  'order-of-meeting': {
    'libs/meeting/src/application/side.service.ts': `import type { Campagne } from '#voting';`,
  },
  'order-of-adhesion': { 'libs/adhesion/src/application/up.service.ts': `import '#sync';` },
  'order-of-sync': { 'libs/sync/src/application/up.service.ts': `import '#messaging';` },
  'order-of-webhooks': { 'libs/webhooks/src/application/side.service.ts': `import '#messaging';` },
  'order-of-messaging': { 'libs/messaging/src/application/side.service.ts': `import '#personne';` },
  'order-of-clients': { 'libs/clients/src/application/side.service.ts': `import '#membership';` },
  'order-of-personne': { 'libs/personne/src/application/side.service.ts': `import '#webhooks';` },
  'order-of-essai': { 'libs/essai/src/application/side.service.ts': `import '#messaging';` },
  'embedded-postgres-for-development': {
    'apps/worker/src/database.ts': `import '#embedded-postgres';`,
    'tools/openapi/database.ts': `import '../../libs/embedded-postgres/src/index';`,
  },
  'embedded-postgres-stands-alone': { 'libs/embedded-postgres/src/down.ts': `import '#clients';` },
  'platform-knows-no-context': { 'libs/platform/src/http/down.ts': `import '#clients';` },
  'order-of-platform-ops': { 'libs/platform/src/ops/up.ts': `import '../input/field';` },
  'order-of-platform-limits': { 'libs/platform/src/limits/up.ts': `import '../http/problem.filter';` },
  'order-of-platform-input': { 'libs/platform/src/input/up.ts': `import '../database/transactions';` },
  'order-of-platform-database': { 'libs/platform/src/database/up.ts': `import '../http/problem.filter';` },
  'order-of-platform-bulk': { 'libs/platform/src/bulk/up.ts': `import '../http/problem.filter';` },
  'order-of-platform-jobs': { 'libs/platform/src/jobs/up.ts': `import '../http/problem.filter';` },
  'order-of-platform-events': { 'libs/platform/src/events/up.ts': `import '../http/problem.filter';` },
  'order-of-platform-audit': { 'libs/platform/src/audit/up.ts': `import '../http/problem.filter';` },
  'order-of-platform-http': { 'libs/platform/src/http/up.ts': `import '../events/outbox';` },
  'topology-behind-its-port': {
    'libs/clients/src/application/move.ts': `import '#topology';`,
    'libs/membership/src/application/move.ts': `import '#topology';`,
    'libs/access/src/move.ts': `import '#topology';`,
    'libs/platform/src/database/move.ts': `import '#topology';`,
  },
  'order-of-topology': { 'libs/topology/src/moves/votes.ts': `import '#voting';` },
  'routing-below-moves': {
    'libs/topology/src/routing/move.ts': `import '../moves/mover';`,
    'libs/topology/src/routing/client.ts': `import '#clients';`,
  },
  'access-knows-no-context': { 'libs/access/src/down.ts': `import '#clients';` },
  'pure-platform-stays-pure': {
    'libs/platform/src/errors/http-error.ts': `import { HttpException } from '@nestjs/common';`,
  },
  'vocabulary-is-pure': {
    'libs/voting/src/vocabulary.ts': `export * from './domain/campagne.entity';`,
    'libs/webhooks/src/vocabulary.ts': `export * from './persistence/webhook.sql';`,
  },
  'relations-are-sql': {
    'libs/voting/src/relations.ts': `export * from './roll/persistence/votant.query';`,
    'libs/adhesion/src/relations.ts': `export * from './http/demande.sql';`,
  },
  'domain-is-pure': {
    'libs/voting/src/domain/nest.ts': `import { Injectable } from '@nestjs/common';`,
    'libs/voting/src/domain/express.ts': `import type { Request } from 'express';`,
    'libs/voting/src/domain/sql.ts': `import 'pg';`,
    'libs/voting/src/domain/config.ts': `import '#platform/ops/config';`,
    'libs/voting/src/domain/outward.ts': `import '../persistence/campagne.query';`,
    'libs/voting/src/domain/neighbour.ts': `import '#membership';`,
    'libs/voting/src/count/domain/nest.ts': `import { Injectable } from '@nestjs/common';`,
    'libs/voting/src/count/domain/outward.ts': `import '../persistence/statistics.query';`,
    'libs/voting/src/count/domain/tally/deeper.ts': `import 'pg';`,
  },
  'domain-does-no-io': {
    'libs/voting/src/domain/reads.ts': `import { readFile } from 'node:fs/promises';`,
    'libs/voting/src/domain/calls.ts': `import 'http';`,
    'libs/voting/src/count/domain/waits.ts': `import 'node:timers';`,
  },
  'persistence-inward': {
    'libs/voting/src/persistence/outward.ts': `import '../application/campagnes.service';`,
    'libs/voting/src/persistence/neighbour.ts': `import '#membership';`,
    'libs/voting/src/persistence/shared.ts': `import '#platform/http/problem.filter';`,
    'libs/voting/src/persistence/swagger.ts': `import '@nestjs/swagger';`,
    'libs/voting/src/ballot/persistence/outward.ts': `import '../application/bulletins.service';`,
    'libs/voting/src/ballot/persistence/swagger.ts': `import '@nestjs/swagger';`,
  },
  'application-inward': {
    'libs/voting/src/application/outward.ts': `import '../http/votants.dto';`,
    'libs/voting/src/application/wiring.ts': `import '../voting.module';`,
    'libs/voting/src/application/own-door.ts': `import '#voting';`,
    'libs/voting/src/ballot/application/outward.ts': `import '../http/bulletins.controller';`,
  },
  'application-knows-no-framework': {
    'libs/voting/src/application/express.ts': `import type { Request } from 'express';`,
    'libs/voting/src/application/core.ts': `import '@nestjs/core';`,
    'libs/voting/src/application/http.ts': `import '#platform/http/problem.filter';`,
    'libs/voting/src/application/orm.ts': `import { DataSource } from 'typeorm';`,
    'libs/voting/src/ballot/application/orm.ts': `import { DataSource } from 'typeorm';`,
  },
  'http-inward': {
    'libs/voting/src/http/inward.ts': `import '../persistence/campagne.query';`,
    'libs/voting/src/http/shared.ts': `import '#platform/database/transactions';`,
    'libs/voting/src/ballot/http/inward.ts': `import '../persistence/bulletin.repository';`,
  },
  'http-takes-types-of-the-domain': {
    'libs/voting/src/http/rule.ts': `import { Campagne } from '../domain/campagne.entity';`,
    'libs/voting/src/ballot/http/rule.ts': `import { moved } from '../../structure/domain/question.rules';`,
  },
  'http-knows-no-database': {
    'libs/voting/src/http/orm.ts': `import 'typeorm';`,
    'libs/voting/src/ballot/http/orm.ts': `import 'typeorm';`,
  },
  'services-without-controllers': {
    'libs/consent/src/consent.module.ts': `import './http/consent.controller';`,
    'libs/meeting/src/meeting.module.ts': `import './meeting-http.module';`,
    'libs/adhesion/src/adhesion.module.ts': `import '#membership/http';`,
  },
};

/** Files that only the broken files import. */
const PROPS: Record<string, string> = {
  'libs/voting/src/domain/round.ts': `import './circle';`,
  'libs/voting/src/utils/dates.ts': ``,
  'libs/voting/src/poll/domain/poll.ts': ``,
  'libs/voting/src/roll/helpers/dates.ts': ``,
  'libs/consent/src/roll/domain/votant.ts': ``,
  'libs/voting/src/dossier/application/dossiers.service.ts': ``,
  'libs/voting/src/count/persistence/statistics.query.ts': ``,
  'libs/webhooks/src/persistence/webhook.sql.ts': ``,
  'libs/adhesion/src/http/demande.sql.ts': ``,
  'libs/meeting/src/meeting-http.module.ts': ``,
  'libs/voting/src/membership.module.ts': ``,
  'libs/billing/src/index.ts': ``,
  'libs/consent/src/http/consent.controller.ts': ``,
  'dist/libs/voting/src/index.js': ``,
};

interface Summary {
  violations: { from: string; rule: { name: string } }[];
  ruleSetUsed: { forbidden: { name: string; comment: string }[] };
}

/** Runs the repository's rules over the folders of a tree. */
function cruise(tree: string, folders: string[]): Summary {
  const cli = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
  const options = [
    '--config',
    join(ROOT, '.dependency-cruiser.cjs'),
    '--output-type',
    'json',
    '--preserve-symlinks',
  ];
  const output = execFileSync(process.execPath, [cli, ...options, ...folders], {
    cwd: tree,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  return (JSON.parse(output) as { summary: Summary }).summary;
}

/** Writes the files to a new folder, with the repository's manifest and packages, and checks it. */
function cruiseFiles(files: Record<string, string>): Summary {
  const tree = mkdtempSync(join(tmpdir(), 'boundaries-'));
  try {
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      writeFileSync(join(tree, file), content);
    }
    cpSync(join(ROOT, 'package.json'), join(tree, 'package.json'));
    symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'), 'junction');
    return cruise(tree, [
      'apps',
      'libs',
      'migrations',
      'test',
      'bench',
      'tools',
      'packages/client/src',
      'packages/verify/src',
      'packages/cli/src',
      'packages/ballot/src',
      'packages/guardian/src',
    ]);
  } finally {
    rmSync(tree, { recursive: true });
  }
}

describe('the rules of .dependency-cruiser.cjs', () => {
  let summary: Summary;
  const rulesAgainst = (file: string) => [
    ...new Set(summary.violations.filter(({ from }) => from === file).map(({ rule }) => rule.name)),
  ];

  beforeAll(() => {
    summary = cruiseFiles(
      Object.assign({}, ALLOWED, PROPS, ...Object.values(BROKEN)) as Record<string, string>,
    );
  }, 60_000);

  it.each(Object.entries(BROKEN))('%s reports its violations, and no other rule does', (rule, files) => {
    const reported = Object.keys(files).map((file) => [file, rulesAgainst(file)]);
    expect(reported).toEqual(Object.keys(files).map((file) => [file, [rule]]));
  });

  it('report no allowed import', () => {
    expect(Object.keys(ALLOWED).flatMap((file) => rulesAgainst(file).map((rule) => [file, rule]))).toEqual(
      [],
    );
  });

  it('each have a failing example and a reason', () => {
    const { forbidden } = summary.ruleSetUsed;
    expect(forbidden.map((rule) => rule.name).sort()).toEqual(Object.keys(BROKEN).sort());
    expect(forbidden.filter((rule) => !rule.comment)).toEqual([]);
  });

  it('resolve #… to the sources of the files that Node loads', () => {
    const { imports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      imports: Record<string, { source: string; default: string }>;
    };
    const built = ({ source }: { source: string }) => source.replace(/^\.\/(.*)\.ts$/, './dist/$1.js');
    for (const files of Object.values(imports)) expect(files.default).toBe(built(files));
  });
});
