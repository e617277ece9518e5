import { randomUUID } from 'node:crypto';
import { ERRORS } from '../../apps/partner-api/src/errors';
import { frenchFaults } from '../setup/french';
import { type Answer, TestApp, type TestTenant } from '../setup/test-app';
import { startWorker } from '../setup/test-worker';
import { perFile } from '../setup/fixtures';
import { eventually } from './expect-problem';

const app = perFile(() => TestApp.own('a worker runs'));
let tenant: TestTenant;
let platform: { cle: string };

beforeAll(async () => {
  tenant = await app.tenant();
  platform = await app.platformOf(tenant);
  await app.send(tenant, 'POST', '/b2b/v1/employe', { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' });
});

const GUID = '5f0c7c9e-3c8e-4a5e-8a63-5a8e0d1f0b1a';
const EMPLOYE = '/b2b/v1/employe';
const SYNC_V2 = '/b2b/v2/sync';

type Caller = { cle: string } | string | undefined;
type Refused = [
  status: number,
  code: string,
  method: string,
  path: string,
  sent?: { body?: unknown; caller?: () => Caller; headers?: Record<string, string> },
];

const REFUSED: Refused[] = [
  [
    400,
    'Requete.Invalide',
    'POST',
    EMPLOYE,
    { body: { idExterne: '', prénom: 'Z', courriel: 'a@b', nom: 5 } },
  ],
  [400, 'Requete.Invalide', 'POST', EMPLOYE, { body: { idExterne: 'E-2', nom: 'Roy' } }],
  [400, 'Requete.Invalide', 'POST', EMPLOYE, { body: '{"idExterne":' }],
  [400, 'Requete.Invalide', 'POST', EMPLOYE, { body: [] }],
  [400, 'Requete.Invalide', 'GET', '/b2b/v2/plan?limite=0&curseur=x&tri=nom'],
  [
    400,
    'Requete.Invalide',
    'POST',
    '/b2b/v1/campagnes',
    { body: { titre: 'T', ouvertureDuVoteUtc: 'hier' } },
  ],
  [
    400,
    'Employe.EmployeurInconnu',
    'POST',
    EMPLOYE,
    { body: { idExterne: 'E-3', prenom: 'Zoé', nom: 'Roy', identifiantExterneEmployeur: 'EMP-0' } },
  ],
  [401, 'Cle.Invalide', 'GET', '/b2b/v1/moi', { caller: () => undefined }],
  [401, 'Cle.Invalide', 'GET', '/b2b/v1/moi', { caller: () => 'x' }],
  [403, 'Cle.RoleInsuffisant', 'GET', '/b2b/v1/moi', { caller: () => platform }],
  [404, 'Employe.NotFound', 'GET', `${EMPLOYE}/E-0`],
  [404, 'Campagne.NotFound', 'GET', `/b2b/v1/campagnes/${GUID}`],
  [404, 'Campagne.NotFound', 'GET', '/b2b/v1/campagnes/x'],
  [404, 'Tache.NotFound', 'GET', `/b2b/v2/tache/${GUID}`],
  [404, 'Ressource.NotFound', 'GET', '/b2b/v9/employe'],
  [405, 'Requete.MethodeNonPermise', 'PATCH', EMPLOYE],
  [
    409,
    'Employe.IdExterneDejaUtilise',
    'POST',
    EMPLOYE,
    { body: { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' } },
  ],
  [
    412,
    'Precondition.Echouee',
    'PUT',
    EMPLOYE,
    { body: { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' }, headers: { 'If-Match': '"x"' } },
  ],
  [413, 'Requete.TropVolumineuse', 'POST', EMPLOYE, { body: `"${'x'.repeat(1_100_000)}"` }],
  [
    413,
    'Requete.TropVolumineuse',
    'POST',
    SYNC_V2,
    { body: `{"Employes":[${Array(250_001).fill('0').join()}]}` },
  ],
  [415, 'Requete.TypeNonSupporte', 'POST', EMPLOYE, { body: 'x', headers: { 'Content-Type': 'text/plain' } }],
];

const inLanguage = (language: string) => ({ 'Accept-Language': language });

function problem({ headers, json }: Answer) {
  const {
    title,
    detail,
    errors = [],
    ...members
  } = json as Record<string, string> & {
    errors?: { pointer: string; code: string; detail: string }[];
  };
  return {
    title,
    detail,
    details: errors.map((fault) => fault.detail),
    faults: errors.map(({ pointer, code }) => `${pointer} ${code}`),
    members: { ...members, instance: undefined, traceId: undefined },
    language: headers.get('content-language'),
    vary: headers.get('vary'),
  };
}

describe('Accept-Language', () => {
  it.each(REFUSED)(
    '%i %s of %s %s is French on request, with the same codes and pointers',
    async (...row) => {
      const [status, code, method, path, { body, caller, headers } = {}] = row;
      const ask = async (language?: string) => {
        const from = caller ? caller() : tenant;
        return app.send(from, method, path, body, { ...headers, ...(language ? inLanguage(language) : {}) });
      };
      const [english, french] = [await ask(), await ask('fr-CA, fr;q=0.8, en;q=0.5')];
      expect([english.status, english.json.code, french.status]).toEqual([status, code, status]);
      const [one, other] = [problem(english), problem(french)];
      expect([one.language, other.language, one.vary, other.vary]).toEqual([
        ...['en', 'fr', 'Accept-Language', 'Accept-Language'],
      ]);
      expect([other.members, other.faults]).toEqual([one.members, one.faults]);
      const { title } = ERRORS.get(code)!;
      expect([one.title, other.title]).toEqual([title.en, title.fr]);
      const texts = [other.title!, other.detail!, ...other.details];
      expect(texts.flatMap(frenchFaults)).toEqual([]);
      expect(other.detail).not.toBe(one.detail);
      for (const [place, detail] of other.details.entries()) expect(detail).not.toBe(one.details[place]);
    },
  );

  it.each([
    ['fr', 'fr'],
    ['FR-ca', 'fr'],
    ['en;q=0.4, fr-CH', 'fr'],
    ['de, fr;q=0.1', 'fr'],
    ['fr, en', 'fr'],
    ['en, fr', 'en'],
    ['en-CA, fr;q=0.9', 'en'],
    ['fr;q=0', 'en'],
    ['de', 'en'],
    ['*', 'en'],
    ['', 'en'],
    [';;q=x', 'en'],
  ])('%j is answered in %s', async (header, language) => {
    const answer = await app.send(tenant, 'GET', `${EMPLOYE}/E-0`, undefined, inLanguage(header));
    expect(answer.headers.get('content-language')).toBe(language);
    expect(answer.json.title).toBe(ERRORS.get('Employe.NotFound')!.title[language as 'en' | 'fr']);
  });

  it('a response with no message has neither header', async () => {
    const { status, headers } = await app.send(tenant, 'GET', `${EMPLOYE}/E-1`, undefined, inLanguage('fr'));
    expect([status, headers.get('content-language'), headers.get('vary')]).toEqual([200, null, null]);
  });

  it('422 is French; a repetition under an Idempotency-Key has the language of the first request', async () => {
    const key = randomUUID();
    const sent = { idExterne: 'E-1', prenom: 'Zoé', nom: 'Roy' };
    const headers = { 'Idempotency-Key': key };
    const ask = (body: object, language: string) =>
      app.send(tenant, 'POST', EMPLOYE, body, { ...headers, ...inLanguage(language) });
    const [first, again] = [await ask(sent, 'fr'), await ask(sent, 'en')];
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect([again.text, again.headers.get('content-language')]).toEqual([first.text, 'fr']);
    const reused = await ask({ ...sent, nom: 'Roi' }, 'fr');
    expect([reused.status, reused.json.title]).toEqual([422, 'Clé d’idempotence réutilisée']);
  });

  const REJECTED = {
    Syndicats: [{ IdentifiantExterne: 'SYN-1' }],
    Employes: [
      { IdExterne: 'E-7', Prenom: 'Zoé', Nom: 'Roy', Courriel: 'a@b' },
      {
        IdExterne: 'E-8',
        Prenom: 'Zoé',
        Nom: 'Roy',
        Emplois: [{ IdentifiantExterne: 'M-1', Matricule: '1' }],
      },
      { IdExterne: 'E-8', Prenom: 'Zoé', Nom: 'Roy' },
      {
        IdExterne: 'E-9',
        Prenom: 'Zoé',
        Nom: 'Roy',
        Adhesions: [{ SyndicatIdExterne: 'SYN-0', DateAdhesion: '2026-01-01' }],
      },
      { IdExterne: 'E-10', Prenom: 'Zoé', Nom: 'Roy', ValeursChampUtilisateur: [{ NomChamp: 'Quart' }] },
      7,
    ],
  };
  const messagesOf = (result: Record<string, { Erreurs: { Message: string }[] }>): string[] =>
    Object.values(result).flatMap(({ Erreurs }) => Erreurs.map(({ Message }) => Message));

  it('a V2 sync has messages in the language of the request', async () => {
    const answer = await app.send(tenant, 'POST', `${SYNC_V2}?simulation=true`, REJECTED, inLanguage('fr'));
    expect([answer.status, answer.headers.get('content-language'), answer.headers.get('vary')]).toEqual([
      ...[200, 'fr', 'Accept-Language'],
    ]);
    const messages = messagesOf(answer.json);
    expect(messages).toHaveLength(7);
    expect(messages).toEqual(
      expect.arrayContaining([
        'courriel non valide',
        'figure deux fois dans cette requête; le premier compte',
        'SyndicatIdExterne ne désigne aucun syndicat\u00a0: SYN-0 (employé E-9)',
        'ValeursChampUtilisateur\u00a0: aucun champ utilisateur ne se nomme Quart',
        'Employes[5]\u00a0: l’enregistrement doit être un objet',
      ]),
    );
    expect(messages.flatMap(frenchFaults)).toEqual([]);
    const english = messagesOf((await app.send(tenant, 'POST', `${SYNC_V2}?simulation=true`, REJECTED)).json);
    expect(english).toEqual(
      expect.arrayContaining(['invalid e-mail', 'Employes[5]: the record must be an object']),
    );
  });

  it('a V1 sync has messages in the language of the request', async () => {
    const body = {
      employeurs: [{ idExterne: 'EMP-1' }],
      employes: [
        { idExterne: 'E-7', prenom: 'Zoé', nom: 'Roy', identifiantExterneEmployeur: 'EMP-0' },
        { idExterne: 'E-8', prenom: 'Zoé', nom: 'Roy', ville: 5, surnom: 'x' },
      ],
    };
    const ask = (language: string) =>
      app.send(tenant, 'POST', `${EMPLOYE}/sync?simulation=true`, body, inLanguage(language));
    const messages = ((await ask('fr')).json.errors as { message: string }[]).map(({ message }) => message);
    expect(messages[0]).toBe('employeur\u00a0: nom est obligatoire');
    expect(messages[1]).toBe('identifiantExterneEmployeur ne désigne aucun employeur\u00a0: EMP-0');
    expect(messages[2]).toContain('surnom n’est pas une propriété de cet enregistrement; ');
    expect(messages[2]).toMatch(/; ville doit être du texte$/);
    expect((await ask('en')).json.errors[0].message).toBe('employeur: nom is required');
  });

  it('a task keeps the language of the request that submitted it', async () => {
    const worker = await startWorker(app.config);
    try {
      const submitted = await app.send(tenant, 'POST', SYNC_V2, REJECTED, {
        ...{ Prefer: 'respond-async' },
        ...inLanguage('fr'),
      });
      expect(submitted.status).toBe(202);
      const ended = await eventually(async () => {
        const { json } = await app.send(tenant, 'GET', `/b2b/v2/tache/${submitted.json.id}`);
        return json.etat === 'Reussie' ? json : undefined;
      }, 'the task ends');
      expect(messagesOf(ended.resultat)).toContain('courriel non valide');
      const duplicates = Buffer.from('{"Employes":[{"IdExterne":"E-1",}]}');
      const broken = await app.send(tenant, 'POST', SYNC_V2, duplicates, {
        ...{ Prefer: 'respond-async', 'Content-Type': 'application/json' },
        ...inLanguage('fr'),
      });
      expect(broken.status).toBe(202);
      const failed = await eventually(async () => {
        const { json } = await app.send(tenant, 'GET', `/b2b/v2/tache/${broken.json.id}`);
        return json.etat === 'Echouee' ? json : undefined;
      }, 'the task fails');
      expect(failed.erreur.detail).toMatch(
        /^le corps doit être du JSON valide \(faute près du caractère \d+\)$/,
      );
    } finally {
      await worker.close();
    }
  });

  it('reasons against a publication and errors of lists of voters are French on request', async () => {
    const content = {
      ...{ titre: `Vote ${randomUUID()}`, ouvertureDuVoteUtc: '2099-01-01T00:00:00Z' },
      fermetureDuVoteUtc: '2099-02-01T00:00:00Z',
    };
    const { headers } = await app.send(tenant, 'POST', '/b2b/v1/campagnes', content);
    const path = headers.get('location')!;
    const validation = await app.send(tenant, 'GET', `${path}/validation`, undefined, inLanguage('fr'));
    expect([validation.headers.get('content-language'), validation.json.erreurs]).toEqual([
      'fr',
      [
        expect.objectContaining({ detail: 'La campagne n’a aucune question\u00a0: ajoutez-en une d’abord.' }),
        expect.objectContaining({ detail: 'La campagne n’a aucun votant\u00a0: ajoutez-en un d’abord.' }),
      ],
    ]);
    const voters = [{ Identifiant: 'V-1' }, { EmployeIdExterne: 'E-0' }];
    const upserted = await app.send(tenant, 'POST', `${path}/votants/upsert`, voters, inLanguage('fr'));
    expect(upserted.headers.get('content-language')).toBe('fr');
    expect(upserted.json.Erreurs.map(({ Message }: { Message: string }) => Message)).toEqual([
      'Prenom est obligatoire',
      'EmployeIdExterne ne désigne aucun employé',
    ]);
    const transition = await app.send(tenant, 'POST', `${path}/ouvrir`, undefined, inLanguage('fr'));
    expect(transition.json.detail).toBe(
      'Une campagne à l’état Brouillon ne peut pas être ouverte; une campagne à l’état Planifie le peut.',
    );
  });

  it('the page of errors is French on request', async () => {
    const [english, french] = [
      await app.send(undefined, 'GET', '/docs/erreurs'),
      await app.send(undefined, 'GET', '/docs/erreurs', undefined, inLanguage('fr')),
    ];
    expect(
      [english, french].map(({ headers }) => [headers.get('content-language'), headers.get('vary')]),
    ).toEqual([
      ['en', 'Accept-Encoding, Accept-Language'],
      ['fr', 'Accept-Encoding, Accept-Language'],
    ]);
    expect(french.text).toContain('<html lang="fr">');
    expect(french.headers.get('etag')).not.toBe(english.headers.get('etag'));
    for (const { code, title } of ERRORS.values()) {
      expect(french.text).toContain(`id="${code}"`);
      expect(french.text).toContain(`<td>${title.fr}</td>`);
    }
  });
});
