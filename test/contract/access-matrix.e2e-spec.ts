import { Controller, Get } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { AuthenticationService, ClientsService, RateLimiterService } from '../../libs/clients/src';
import { generateKey } from '../../libs/clients/src/domain/api-key';
import { ApiKeyGuard } from '../../libs/clients/src/http/api-key.guard';
import { EntitlementsGuard } from '../../libs/clients/src/http/entitlements.guard';
import { FloodDelay } from '../../libs/platform/src/limits/flood-delay';
import { KeylessBudget } from '../../libs/platform/src/limits/keyless-budget';
import { RateLimitGuard } from '../../libs/clients/src/http/rate-limit.guard';
import { MODULES, type Role, ROLES } from '../../libs/access/src/caller';
import { Requires } from '../../libs/access/src/requires.decorator';
import { Public } from '../../libs/platform/src/http/public.decorator';
import { DomainError } from '../../libs/platform/src/errors/domain-error';
import { problemOf } from '../../libs/platform/src/http/problem.filter';
import { TEST_ACTOR } from '../setup/actor';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { startWithControllers } from './support/extended-app';
import { accessFaults, guardedRoutes, mountsOf, type Route, routesOf } from './support/router';
import { perFile } from '../setup/fixtures';

const UNAUTHORIZED = { status: 401, title: 'Unauthorized', code: 'Cle.Invalide' };
const WRONG_ROLE = { status: 403, title: 'Forbidden', code: 'Cle.RoleInsuffisant' };

/** Keys of one role: an accepted key and two rejected ones. */
interface Keys {
  readonly valid: string;
  readonly revoked: string;
  readonly expired: string;
}

describe('Access', () => {
  const app = perFile(() => TestApp.own('changes the application'));
  let keys: Record<Role, Keys>;

  beforeAll(async () => {
    keys = {
      partenaire: await tenantKeys('partenaire'),
      plateforme: await tenantKeys('plateforme'),
      admin: await adminKeys(),
    };
  });

  const yesterday = (): Date => new Date(Date.now() - 86_400_000);

  async function tenantKeys(role: 'partenaire' | 'plateforme'): Promise<Keys> {
    const revoked = await app.tenant({ role });
    await app.app.get(ClientsService).revokeCle(TEST_ACTOR, revoked.clientId, revoked.cleId);
    const expired = await app.tenant({ role, expireLe: yesterday() });
    return { valid: (await app.tenant({ role })).cle, revoked: revoked.cle, expired: expired.cle };
  }

  async function adminKeys(): Promise<Keys> {
    const [valid, revoked, expired] = await Promise.all(
      ['valid', 'revoked', 'expired'].map((nom) => app.app.get(ClientsService).issueAdminCle(nom)),
    );
    await app.database.query('UPDATE cle SET revoque_le = now() WHERE id = $1', [revoked!.id]);
    await app.database.query('UPDATE cle SET expire_le = $2 WHERE id = $1', [expired!.id, yesterday()]);
    return { valid: valid!.cle, revoked: revoked!.cle, expired: expired!.cle };
  }

  /** Sends a path with unknown identifiers and an unreadable body: access is checked before both. */
  async function ask(route: Route, key: string | undefined): Promise<Answer> {
    return app.send(
      key,
      route.method,
      route.path.replaceAll(/:\w+/g, '%00'),
      route.method === 'GET' ? undefined : '{"',
    );
  }

  function expectRefusal(
    route: Route,
    answer: Answer,
    refusal: { status: number; title: string; code: string },
  ): void {
    expect({ route: route.name, type: answer.headers.get('content-type'), body: answer.json }).toEqual({
      route: route.name,
      type: 'application/problem+json; charset=utf-8',
      body: {
        ...refusal,
        type: `http://mandat.test/docs/erreurs#${refusal.code}`,
        detail: expect.stringMatching(/^\S.*\.$/),
        instance: expect.stringMatching(/^urn:request:\S+$/),
        traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    });
    expect(answer.status).toBe(refusal.status);
    expect(answer.headers.has('www-authenticate')).toBe(refusal.status === 401);
  }

  it.each<[what: string, key: (role: Role) => string | undefined]>([
    ['no key', () => undefined],
    ['an empty key', () => ''],
    ['junk', () => 'junk'],
    [
      'a key with a wrong checksum',
      (role) => keys[role].valid.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    ],
    [
      'a well-formed key that was never issued',
      (role) => generateKey(role === 'admin' ? 'admin' : 'staging').cle,
    ],
    ['a revoked key', (role) => keys[role].revoked],
    ['an expired key', (role) => keys[role].expired],
  ])('401 Unauthorized on every route with %s', async (_what, key) => {
    for (const route of guardedRoutes(app.app)) {
      expectRefusal(route, await ask(route, key(route.requirement.role)), UNAUTHORIZED);
    }
  });

  it.each(ROLES)('403 Forbidden with a key of role %s on every route of another role', async (role) => {
    const others = guardedRoutes(app.app).filter(({ requirement }) => requirement.role !== role);
    for (const route of others) expectRefusal(route, await ask(route, keys[role].valid), WRONG_ROLE);
    expect(others).not.toEqual([]);
  });

  it('403 Forbidden with the module on every route whose module is off for the client or the key', async () => {
    const bare = await app.tenant({ modules: [] });
    const seen = new Set<string>();
    for (const { requirement, ...route } of guardedRoutes(app.app)) {
      const { role, module } = requirement;
      if (!module || role === 'admin') continue;
      const excluded = await app.tenant({ role, cleModules: MODULES.filter((name) => name !== module) });
      const off = role === 'partenaire' ? bare : await app.tenant({ role, modules: [] });
      for (const tenant of [off, excluded]) {
        const answer = await ask(route, tenant.cle);
        expect(answer.json).toMatchObject({ module });
        delete answer.json.module;
        expectRefusal(route, answer, { status: 403, title: 'Forbidden', code: 'Module.NonActif' });
      }
      seen.add(`${role} ${module}`);
    }
    expect([...seen]).toEqual(expect.arrayContaining(['partenaire carteMembre', 'plateforme carteMembre']));
  });

  it('aliases and HEAD are guarded like their route', async () => {
    for (const path of ['/api/b2b/employes', '/api/b2b/employes/E-1', '/api/b2b/v2/adhesions/E-1']) {
      expect((await app.send(undefined, 'GET', path)).json).toMatchObject(UNAUTHORIZED);
    }
    for (const { method, path, name } of guardedRoutes(app.app)) {
      if (method !== 'GET') continue;
      const { status } = await app.send(undefined, 'HEAD', path);
      expect({ name, status }).toEqual({ name, status: 401 });
    }
  });

  it('a rejected request is answered before its body is sent; an accepted one is not', async () => {
    const withoutBody = async (route: Route, key: string | undefined): Promise<number | undefined> => {
      const headers = {
        'Content-Type': 'application/json',
        'Content-Length': '1000',
        ...(key ? { 'X-Api-Key': key } : {}),
      };
      const sent = httpRequest(app.url + route.path.replaceAll(/:\w+/g, 'x'), {
        method: route.method,
        headers,
      });
      sent.on('error', () => undefined);
      sent.flushHeaders();
      const answered = once(sent, 'response').then(([response]: IncomingMessage[]) => response!.statusCode);
      const status = await Promise.race([answered, wait(1_000, undefined)]);
      sent.destroy();
      return status;
    };
    const writing = guardedRoutes(app.app).filter(({ method }) => method === 'POST' || method === 'PUT');
    for (const route of writing) {
      const stranger = ROLES.find((role) => role !== route.requirement.role)!;
      const name = route.name;
      expect({ name, status: await withoutBody(route, undefined) }).toEqual({ name, status: 401 });
      expect({ name, status: await withoutBody(route, keys[stranger].valid) }).toEqual({ name, status: 403 });
    }
    expect(await withoutBody(writing[0]!, keys[writing[0]!.requirement.role].valid)).toBeUndefined();
  });

  it('a key revoked on one replica is refused by the others within 5 s, although they had it cached', async () => {
    const replica = await TestApp.start({ databaseUrl: app.config.databaseUrl });
    try {
      const tenant = await app.tenant();
      const statuses = async (): Promise<number[]> =>
        Promise.all([app, replica].map(async (one) => (await one.send(tenant, 'GET', '/b2b/v1/moi')).status));
      expect(await statuses()).toEqual([200, 200]);
      const path = `/admin/v1/clients/${tenant.clientId}/cles/${tenant.cleId}`;
      const revocation = performance.now();
      expect((await app.send(app.adminKey, 'DELETE', path)).status).toBe(204);
      while ((await statuses()).includes(200) && performance.now() - revocation < 10_000) await wait(20);
      expect(performance.now() - revocation).toBeLessThan(5_000);
      expect(await statuses()).toEqual([401, 401]);
    } finally {
      await replica.stop();
    }
  });
});

describe('A module that is not active', () => {
  class VoteHandlers {
    @Requires({ role: 'partenaire', module: 'vote' })
    list(): void {}
  }
  const app = perFile(() => TestApp.own('changes the application'));

  /** Runs the real guards before a handler like that of a route. */
  async function admit(tenant: TestTenant): Promise<unknown> {
    const request = { get: (name: string) => (name === 'x-api-key' ? tenant.cle : undefined) };
    const context = new ExecutionContextHost(
      [request, { setHeader: () => undefined }],
      VoteHandlers,
      VoteHandlers.prototype.list,
    );
    const [reflector, floodDelay] = [app.app.get(Reflector), app.app.get(FloodDelay)];
    const guards = [
      new ApiKeyGuard(reflector, app.app.get(AuthenticationService)),
      new RateLimitGuard(reflector, app.app.get(RateLimiterService), app.app.get(KeylessBudget), floodDelay),
      new EntitlementsGuard(reflector),
    ];
    try {
      for (const guard of guards) expect(await guard.canActivate(context)).toBe(true);
      return true;
    } catch (error) {
      if (error instanceof DomainError) return problemOf(error, request as never, 'http://mandat.test', 'en');
      throw error;
    }
  }

  it('is 403 Module.NonActif with the module, whether the client lacks it or the key excludes it', async () => {
    const refusal = {
      status: 403,
      title: 'Forbidden',
      code: 'Module.NonActif',
      module: 'vote',
      detail:
        'The module vote is not active for this key. Use a key with this module, or ask the operator to enable it.',
      type: 'http://mandat.test/docs/erreurs#Module.NonActif',
    };
    expect(await admit(await app.tenant({ modules: ['carteMembre'] }))).toMatchObject(refusal);
    expect(await admit(await app.tenant({ cleModules: ['carteMembre'] }))).toMatchObject(refusal);
    // A key cannot have more than its client.
    expect(await admit(await app.tenant({ modules: [], cleModules: ['vote'] }))).toMatchObject(refusal);
  });

  it('lets pass a key whose client has it; the role is refused first', async () => {
    expect(await admit(await app.tenant({ modules: ['vote'] }))).toBe(true);
    expect(await admit(await app.tenant({ modules: ['vote'], cleModules: ['vote'] }))).toBe(true);
    expect(await admit(await app.tenant({ modules: [], role: 'plateforme' }))).toMatchObject(WRONG_ROLE);
  });
});

describe('Every route declares who may call it', () => {
  let ran: string[];

  @Controller('b2b/v1/sans-declaration')
  class UndeclaredController {
    @Get()
    get(): string {
      ran.push('undeclared');
      return '{}';
    }
  }

  @Public()
  @Controller('b2b/v1/ambigu')
  class AmbiguousController {
    @Get()
    @Requires({ role: 'partenaire' })
    get(): string {
      ran.push('ambiguous');
      return '{}';
    }
  }

  const app = perFile(() => TestApp.own('changes the application'));
  beforeEach(() => {
    ran = [];
  });

  it('a route without @Requires or @Public is an error; only probes, metrics, documentation and public keys are public', () => {
    expect(accessFaults(app.app)).toEqual([]);
    const open = routesOf(app.app).filter(({ isPublic }) => isPublic);
    expect(open.map(({ name }) => name)).toEqual([
      'GET /',
      'GET /docs',
      'GET /docs/*path',
      'GET /.well-known/jwks.json',
      'GET /health/live',
      'GET /health/ready',
      'GET /health/startup',
      'GET /metrics',
    ]);
    expect(guardedRoutes(app.app).length).toBeGreaterThan(15);
  });

  it('middleware answers no requests', () => {
    expect(mountsOf(app.app)).toEqual([]);
  });

  it('a route without a declaration is reported, and rejected with and without a key', async () => {
    const extended = await startWithControllers(app, UndeclaredController);
    const { cle } = await app.tenant();
    expect(accessFaults(extended.app)).toEqual([
      'GET /b2b/v1/sans-declaration declares neither @Requires nor @Public',
    ]);
    for (const key of [cle, undefined]) {
      const answer = await extended.send(key, 'GET', '/b2b/v1/sans-declaration');
      expect(answer.json).toMatchObject({ status: 500, code: 'Service.ErreurInterne' });
    }
    expect(ran).toEqual([]);
    await extended.stop();
  });

  it('a public controller does not open a handler that requires a key, and the contradiction is reported', async () => {
    const extended = await startWithControllers(app, AmbiguousController);
    expect(accessFaults(extended.app)).toEqual(['GET /b2b/v1/ambigu declares both @Requires and @Public']);
    const answer = await extended.send(undefined, 'GET', '/b2b/v1/ambigu');
    await extended.stop();
    expect(ran).toEqual([]);
    expect(answer.status).toBe(401);
  });
});
