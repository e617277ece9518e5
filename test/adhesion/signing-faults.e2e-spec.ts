import { randomUUID } from 'node:crypto';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { times } from '../membership/synced';
import { openTenant, signing } from './support/cards';
import { unchanged } from '../setup/digests';
import { brokenImages, dataUrl, encodePng, pngOf } from './support/png';
import {
  app,
  counts,
  made,
  makeAll,
  makeChamps,
  platform,
  send,
  sent,
  useScene,
} from './support/signing-scene';

useScene();

describe('A date of signature ahead', () => {
  const ahead = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();

  it.each([ahead(12), '2099-01-01', '9999-12-31T23:59:59.9999Z'])(
    '%s is 400, and nothing is written',
    async (date) => {
      await unchanged(app, async () => {
        const answer = await send({ dateSignature: date });
        expectFaults(answer, { '/dateSignature': 'range' });
        expect(answer.json.errors[0].detail).toBe('must not be more than 10 minutes ahead');
      });
    },
  );

  it('8 minutes ahead is accepted, because clocks differ', async () => {
    await sent({ dateSignature: ahead(8) });
  });
});

describe('400 names all errors at once, and nothing is written', () => {
  async function refused(body: object, faults: Record<string, string>): Promise<void> {
    await unchanged(app, async () => {
      expectFaults(await platform('POST', '', body), faults);
    });
  }

  it('unknown, duplicate or mismatched references, for an employee and for anyone else', async () => {
    await makeAll();
    const other = await openTenant(app);
    await app.send(other.partenaire, 'POST', '/b2b/v2/champ-utilisateur', { nom: 'Leur', type: 'texte' });
    await app.send(other.partenaire, 'POST', '/b2b/v2/objet-consentement', {
      idExterne: 'LEUR',
      nom: 'Leur',
    });
    for (const employeIdExterne of ['E-1', undefined]) {
      await refused(
        signing({
          ...{ employeIdExterne, syndicatIdExterne: 'SYN-9', formulaireId: randomUUID() },
          imageSignature: dataUrl(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')),
          valeursChampUtilisateur: [
            { NomChamp: 'Surnom', Valeur: 'Zo' },
            { NomChamp: 'Surnom', Valeur: 'Zo' },
            { NomChamp: 'surnom', Valeur: 'Zo' },
            { NomChamp: 'Leur', Valeur: 'x' },
            { NomChamp: 'Depuis', Valeur: '29/02/2020' },
            { NomChamp: 'Bilingue', Valeur: 'oui' },
            { NomChamp: 'Quart', Valeur: 'De nuit' },
          ],
          consentements: [
            { objetConsentementIdExterne: 'INFO', accepte: true },
            { objetConsentementIdExterne: 'INFO', accepte: false },
            { objetConsentementIdExterne: 'RIEN', accepte: true },
            { objetConsentementIdExterne: 'LEUR', accepte: true },
          ],
        }),
        {
          '/imageSignature': 'image',
          '/syndicatIdExterne': 'reference',
          '/formulaireId': 'reference',
          '/valeursChampUtilisateur/1/NomChamp': 'duplicate',
          '/valeursChampUtilisateur/2/NomChamp': 'reference',
          '/valeursChampUtilisateur/3/NomChamp': 'reference',
          '/valeursChampUtilisateur/4/Valeur': 'type',
          '/valeursChampUtilisateur/5/Valeur': 'type',
          '/valeursChampUtilisateur/6/Valeur': 'type',
          '/consentements/1/objetConsentementIdExterne': 'duplicate',
          '/consentements/2/objetConsentementIdExterne': 'reference',
          '/consentements/3/objetConsentementIdExterne': 'reference',
        },
      );
    }
  });

  it.each([
    ['Depuis', ['2020-02-30', '2020-02-29T10:00', 'demain', '1582704000', '0000-01-01']],
    ['Bilingue', ['True', 'FALSE', '1', 'null', true, 7]],
    ['Quart', ['nuit', 'De nuit', 'SOIR', '__proto__', 'constructor']],
  ])('invalid values of %s', async (NomChamp, valeurs) => {
    await makeChamps();
    for (const Valeur of valeurs) {
      await refused(signing({ valeursChampUtilisateur: [{ NomChamp, Valeur }] }), {
        '/valeursChampUtilisateur/0/Valeur': 'type',
      });
    }
  });

  it('a value that is not text: the detail shows how to write it', async () => {
    await makeChamps();
    const valeursChampUtilisateur = [{ NomChamp: 'Bilingue', Valeur: true }];
    const { json } = await platform('POST', '', signing({ valeursChampUtilisateur }));
    expect(json.errors[0].detail).toMatch(/^must be text: "true" or "false" for a boolean, AAAA-MM-JJ/);
  });

  it.each<[string, unknown, Record<string, string>]>([
    [
      'nothing',
      {},
      {
        '/syndicatIdExterne': 'required',
        '/prenom': 'required',
        '/nom': 'required',
        '/courriel': 'required',
      },
    ],
    ['a list', [signing()], { '': 'type' }],
    ['null', null, { '': 'type' }],
    ['broken JSON', '{"prenom":', { '': 'json' }],
    ['an unknown property', signing({ statut: 'x' }), { '/statut': 'unknown' }],
    [
      'the name of the answer',
      signing({ aSignatureManuscripte: true }),
      { '/aSignatureManuscripte': 'unknown' },
    ],
    ['a property in both casings', signing({ Nom: 'x' }), { '/Nom': 'duplicate' }],
    ['an invalid e-mail', signing({ courriel: 'zoe' }), { '/courriel': 'email' }],
    ['an invalid date', signing({ dateSignature: '02/03/2026' }), { '/dateSignature': 'date' }],
    [
      'a date without offset',
      signing({ dateSignature: '2026-03-02T09:05:09' }),
      { '/dateSignature': 'date' },
    ],
    ['a number as date', signing({ dateSignature: 1_772_460_309 }), { '/dateSignature': 'date' }],
    ['a form that is no GUID', signing({ formulaireId: 'F-1' }), { '/formulaireId': 'uuid' }],
    ['an image that is no text', signing({ imageSignature: {} }), { '/imageSignature': 'type' }],
    [
      'lists of another type',
      signing({ valeursChampUtilisateur: {}, consentements: 'INFO' }),
      { '/valeursChampUtilisateur': 'type', '/consentements': 'type' },
    ],
    [
      'elements that are not objects',
      signing({ valeursChampUtilisateur: [null, 'x'], consentements: [[]] }),
      {
        '/valeursChampUtilisateur/0': 'type',
        '/valeursChampUtilisateur/1': 'type',
        '/consentements/0': 'type',
      },
    ],
    [
      'elements without their properties, and with others',
      signing({ valeursChampUtilisateur: [{ Type: 'texte' }], consentements: [{ nom: 'INFO' }] }),
      {
        '/valeursChampUtilisateur/0/NomChamp': 'required',
        '/valeursChampUtilisateur/0/Type': 'unknown',
        '/consentements/0/objetConsentementIdExterne': 'required',
        '/consentements/0/accepte': 'required',
        '/consentements/0/nom': 'unknown',
      },
    ],
    [
      'values that are not text, and consents that are neither true nor false',
      signing({
        valeursChampUtilisateur: [{ NomChamp: 'Bilingue', Valeur: true }],
        consentements: [{ objetConsentementIdExterne: 'INFO', accepte: 'true' }],
      }),
      { '/valeursChampUtilisateur/0/Valeur': 'type', '/consentements/0/accepte': 'type' },
    ],
    [
      'lists that are too long',
      signing({
        valeursChampUtilisateur: times(201, (n) => ({ NomChamp: `${n}` })),
        consentements: times(101, (n) => ({ objetConsentementIdExterne: `${n}`, accepte: true })),
      }),
      { '/valeursChampUtilisateur': 'length', '/consentements': 'length' },
    ],
    [
      'long texts',
      signing({
        ...{
          employeIdExterne: 'x'.repeat(256),
          syndicatIdExterne: 'x'.repeat(256),
          transactionId: 'x'.repeat(256),
        },
        ...{ prenom: 'x'.repeat(256), telephonePrincipal: 'x'.repeat(51), codePostal: 'x'.repeat(21) },
      }),
      {
        ...{ '/employeIdExterne': 'length', '/syndicatIdExterne': 'length', '/transactionId': 'length' },
        ...{ '/prenom': 'length', '/telephonePrincipal': 'length', '/codePostal': 'length' },
      },
    ],
  ])('a body that is %s', async (_what, body, faults) => {
    await refused(body as object, faults);
  });

  it.each([
    ['U+0000', 'a\u0000b'],
    ['the first half of a surrogate pair', 'a\ud83d'],
    ['the second half of a surrogate pair', '\ude42b'],
  ])('%s in every text', async (_what, text) => {
    const texts = [
      ...[
        'employeIdExterne',
        'syndicatIdExterne',
        'prenom',
        'nom',
        'courriel',
        'telephonePrincipal',
        'adresse1',
        'ville',
      ],
      ...[
        'province',
        'codePostal',
        'noMembre',
        'dateSignature',
        'transactionId',
        'imageSignature',
        'formulaireId',
      ],
    ];
    await refused(
      {
        ...Object.fromEntries(texts.map((name) => [name, text])),
        valeursChampUtilisateur: [{ NomChamp: text, Valeur: text }],
        consentements: [{ objetConsentementIdExterne: text, accepte: true }],
      },
      {
        ...Object.fromEntries(texts.map((name) => [`/${name}`, 'characters'])),
        '/valeursChampUtilisateur/0/NomChamp': 'characters',
        '/valeursChampUtilisateur/0/Valeur': 'characters',
        '/consentements/0/objetConsentementIdExterne': 'characters',
      },
    );
  });

  it.each([
    ['an image of more than 512 KiB', dataUrl(pngOf(512 * 1024 + 1))],
    ['an image of more than 4,096 pixels a side', dataUrl(encodePng({ width: 4_097, height: 1 }))],
    ['a JPEG image', `data:image/jpeg;base64,${Buffer.from('ffd8ffe0', 'hex').toString('base64')}`],
    ['a text that is no data URL', 'signature'],
  ])('%s as signature', async (_what, imageSignature) => {
    await refused(signing({ imageSignature }), { '/imageSignature': 'image' });
  });

  it.each([
    ...Object.entries(brokenImages()),
    ['without its last byte', encodePng({ width: 9, height: 9 }).subarray(0, -1)] as const,
  ])('Signature.ImageInvalide for an image that cannot be shown: %s', async (_what, bytes) => {
    await unchanged(app, async () => {
      for (const employeIdExterne of ['E-1', undefined]) {
        const answer = await platform(
          ...(['POST', '', signing({ employeIdExterne, imageSignature: dataUrl(bytes) })] as const),
        );
        expect(expectProblem(answer, 400, 'Signature.ImageInvalide')).toEqual({ '/imageSignature': 'image' });
      }
    });
  });

  describe('values with more than 65,536 bytes of UTF-8 together', () => {
    const tooLarge = { '/valeursChampUtilisateur': 'length' };
    let valeurs: { NomChamp: string; Valeur: string }[];
    beforeEach(async () => {
      const names = times(33, (n) => `N-${n}`);
      for (const nom of names) await made('champ-utilisateur', { nom, type: 'texte' });
      valeurs = names.map((NomChamp, n) => ({ NomChamp, Valeur: 'é'.repeat(n < 32 ? 1_000 : 768) }));
    });

    it('known employee: the limit is accepted, one byte more is rejected', async () => {
      await sent({ valeursChampUtilisateur: valeurs });
      valeurs[32]!.Valeur += 'e';
      await refused(signing({ valeursChampUtilisateur: valeurs }), tooLarge);
    });

    it('unknown person: the limit is accepted for conciliation, one byte more is rejected', async () => {
      await sent({ employeIdExterne: 'E-unknown', valeursChampUtilisateur: valeurs });
      valeurs[32]!.Valeur += 'e';
      await refused(signing({ employeIdExterne: 'E-unknown', valeursChampUtilisateur: valeurs }), tooLarge);
    });

    it('with a form, and before anything else is looked up', async () => {
      valeurs[32]!.Valeur += 'e';
      const unknown = { formulaireId: randomUUID(), syndicatIdExterne: 'S-unknown' };
      await refused(signing({ ...unknown, valeursChampUtilisateur: valeurs }), tooLarge);
      await refused(signing(unknown), { '/syndicatIdExterne': 'reference', '/formulaireId': 'reference' });
    });

    it('the detail has both sizes and the remedy', async () => {
      valeurs[32]!.Valeur += 'e';
      const { json } = await send({ valeursChampUtilisateur: valeurs });
      expect(json.errors[0].detail).toBe(
        'must have at most 65,536 bytes of UTF-8 together, and have 65,537. Shorten values, or leave some out',
      );
    });
  });

  it('413 for an image of 10 MB', async () => {
    await unchanged(app, async () => {
      const answer = await send({ imageSignature: dataUrl(Buffer.alloc(10_000_000)) });
      expectProblem(answer, 413, 'Requete.TropVolumineuse');
    });
  });

  it('an unknown query parameter', async () => {
    expectFaults(await platform('POST', '?simulation=true', signing()), { '?simulation': 'unknown' });
    expect(await counts('adhesion')).toEqual({ adhesion: 0 });
  });
});
