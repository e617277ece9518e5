import { TestApp, type Answer } from '../setup/test-app';
import { perFile } from '../setup/fixtures';
import { type Operation, operationsOf } from '../malformed/operations';

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];
const GUID = '00000000-0000-4000-8000-000000000000';

describe('parts of a request that an operation does not have', () => {
  const app = perFile(() => TestApp.start());
  let operations: Operation[];
  let keys: Record<string, string>;

  beforeAll(async () => {
    const tenant = await app.tenant();
    keys = { partenaire: tenant.cle, plateforme: (await app.platformOf(tenant)).cle, admin: app.adminKey };
    ({ operations } = await operationsOf(app));
  });

  const targetOf = ({ path }: Operation): string =>
    path
      .replaceAll(/:(\w+)/g, (_part, name: string) => (name === 'environnement' ? 'staging' : GUID))
      .replaceAll(/\*\w+/g, 'erreurs');

  const send = (operation: Operation, query = '', headers: Record<string, string> = {}): Promise<Answer> => {
    const body = operation.method === 'POST' || operation.method === 'PUT' ? {} : undefined;
    const key = operation.role ? keys[operation.role] : undefined;
    return app.send(key, operation.method, targetOf(operation) + query, body, headers);
  };

  const ofApi = (): Operation[] => operations.filter(({ role }) => role !== undefined);

  it('every path answers OPTIONS with 204 and Allow, and other methods with 405 and Allow', async () => {
    const faults: string[] = [];
    for (const operation of operations) {
      const target = targetOf(operation);
      const options = await app.send(undefined, 'OPTIONS', target);
      const allow = options.headers.get('allow') ?? '';
      const allowed = allow.split(', ');
      if (options.status !== 204 || options.text !== '' || !allowed.includes(operation.method))
        faults.push(`OPTIONS ${target}: ${options.status} ${allow}`);
      for (const method of METHODS.filter((one) => !allowed.includes(one))) {
        const answer = await app.send(undefined, method, target);
        const { code, detail } = answer.json ?? {};
        if (
          answer.status !== 405 ||
          code !== 'Requete.MethodeNonPermise' ||
          answer.headers.get('allow') !== allow
        )
          faults.push(
            `${method} ${target}: ${answer.status} ${code} ${detail} ${answer.headers.get('allow')}`,
          );
      }
    }
    expect(operations.length).toBeGreaterThan(100);
    expect(faults).toEqual([]);
  });

  it('a path that does not exist stays 404, with OPTIONS too', async () => {
    for (const method of [...METHODS, 'OPTIONS'])
      expect((await app.send(undefined, method, '/b2b/v1/rien')).status).toBe(404);
    expect((await app.send(undefined, 'GET', '/docs/rien')).status).toBe(404);
  });

  it('an alias answers other methods like its path', async () => {
    const [path, alias] = await Promise.all(
      ['/b2b/v2/employe', '/api/b2b/v2/employes'].map((one) => app.send(undefined, 'PATCH', one)),
    );
    expect([alias!.status, alias!.headers.get('allow')]).toEqual([405, path!.headers.get('allow')]);
  });

  it('If-Match is refused by every operation that does not document it', async () => {
    const faults: string[] = [];
    const refusals = { 'If-Match': '"x"' };
    let honoured = 0;
    for (const operation of ofApi()) {
      const { status, json } = await send(operation, '', refusals);
      const isRefused =
        status === 400 && json.errors?.some(({ pointer }: { pointer: string }) => pointer === 'If-Match');
      const isDeclared = operation.headers.includes('If-Match');
      if (isDeclared) honoured++;
      if (isRefused === isDeclared) faults.push(`${operation.method} ${operation.path}: ${status}`);
    }
    expect(honoured).toBeGreaterThan(10);
    expect(faults).toEqual([]);
  });

  it('a query that is no UTF-8 in percent-encoding is refused by every operation', async () => {
    const faults: string[] = [];
    for (const operation of ofApi()) {
      const name = operation.query[0]?.name ?? 'x';
      for (const value of ['Qu%E9bec', '100%', '%ZZ', '%C3', '%ED%A0%80']) {
        const { status, json } = await send(operation, `?y=1&${name}=${value}`);
        const fault = json?.errors?.find(({ pointer }: { pointer: string }) => pointer === `?${name}`);
        if (status !== 400 || fault?.code !== 'encoding')
          faults.push(`${operation.method} ${operation.path}?${name}=${value}: ${status}`);
      }
    }
    expect(faults).toEqual([]);
  });
});
