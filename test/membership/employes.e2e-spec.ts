import { TestApp, TestTenant } from '../setup/test-app';

const EMPLOYE = { idExterne: 'E-1', prenom: 'Zoé', nom: "L'Écuyer" };

describe('/b2b/v1/employe', () => {
  let app: TestApp;
  let tenant: TestTenant;

  beforeAll(async () => {
    app = await TestApp.start();
  });
  afterAll(() => app.stop());
  beforeEach(async () => {
    tenant = await app.tenant();
  });

  const send = (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
    app.send(tenant, method, `/b2b/v1${path}`, body, headers);

  it('201 creates, with Location and ETag, and reads back the same item', async () => {
    const created = await send('POST', '/employe', EMPLOYE);
    expect(created.status).toBe(201);
    expect(created.headers.get('location')).toBe('/b2b/v1/employe/E-1');
    expect(created.json).toMatchObject({ ...EMPLOYE, courriel: null, identifiantExterneEmployeur: null });
    const read = await send('GET', '/employe/E-1');
    expect(read.text).toBe(created.text);
    expect(read.headers.get('etag')).toBe(created.headers.get('etag'));
  });
});
