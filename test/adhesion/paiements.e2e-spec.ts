import { randomUUID } from 'node:crypto';
import { expectFaults, expectProblem } from '../http/expect-problem';
import { comparable, GUID, INSTANT, times } from '../membership/synced';
import { openTenant, signed, SIGNING_PATH } from './support/cards';
import { app, counts, partner, platform, sent, stored, useScene } from './support/signing-scene';

useScene();

describe('payments and their authorizations', () => {
  const PAIEMENT = { montant: 45.5, devise: 'CAD', reference: 'PAY-1' };
  let card: string;
  beforeEach(async () => {
    card = (await sent()).json.idUniqueAdhesion;
  });
  const pay = (overrides: object = {}, headers?: Record<string, string>) =>
    platform('POST', `/${card}/paiements`, { ...PAIEMENT, ...overrides }, headers);
  const authorize = (body: object, headers?: Record<string, string>) =>
    platform('POST', `/${card}/autorisations-paiement`, body, headers);

  it('201 links a payment, exact to every property, with the card as Location', async () => {
    const answer = await pay({ Montant: undefined });
    const { idUnique, dateCreation } = answer.json;
    expect([idUnique, dateCreation]).toEqual([expect.stringMatching(GUID), expect.stringMatching(INSTANT)]);
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `${SIGNING_PATH}/${card}`]);
    expect(answer.json).toEqual({ ...PAIEMENT, idUnique, idUniqueAdhesion: card, dateCreation });
    expect(await stored('paiement')).toEqual([
      expect.objectContaining({ adhesion_id: card, montant: '45.5', devise: 'CAD', reference: 'PAY-1' }),
    ]);
    expect((await partner('GET', '/b2b/v2/adhesion?avecPaiement=true')).json).toHaveLength(1);
  });

  it('201 links an authorization, exact to every property; it is no payment', async () => {
    const answer = await authorize({ reference: ' AUT-1 ' });
    const { idUnique, dateCreation } = answer.json;
    expect([idUnique, dateCreation]).toEqual([expect.stringMatching(GUID), expect.stringMatching(INSTANT)]);
    expect([answer.status, answer.headers.get('location')]).toEqual([201, `${SIGNING_PATH}/${card}`]);
    expect(answer.json).toEqual({ idUnique, idUniqueAdhesion: card, reference: 'AUT-1', dateCreation });
    expect(await counts('autorisation_paiement', 'paiement')).toEqual({
      autorisation_paiement: 1,
      paiement: 0,
    });
    expect((await partner('GET', '/b2b/v2/adhesion?avecPaiement=true')).json).toEqual([]);
  });

  it.each([
    ['"0.0001"', '0.0001'],
    ['0.0001', '0.0001'],
    ['45.5', '45.5'],
    ['"45.50"', '45.50'],
    ['"  45.50  "', '45.50'],
    ['7', '7'],
    ['1000000000', '1000000000'],
    ['"999999999.9999"', '999999999.9999'],
    ['"123456789.1234"', '123456789.1234'],
  ])('201 with the amount %s, stored and returned to the last digit', async (montant, exact) => {
    const body = JSON.stringify(PAIEMENT).replace('45.5', montant);
    const answer = await platform('POST', `/${card}/paiements`, body);
    expect(answer.status).toBe(201);
    expect(/"montant":([^,}]*)/.exec(answer.text)?.[1]).toBe(exact);
    expect((await stored('paiement'))[0].montant).toBe(exact);
  });

  it.each([
    ...['1e21', '0', '-0', '-1', '0.00001', '1e-7', '1000000000.01', '0.30000000000000004'].map((text) => [
      text,
      'range',
    ]),
    ...[
      '"0"',
      '"0.0000"',
      '"-1"',
      '"0.00001"',
      '"1e3"',
      '"0x10"',
      '"1,5"',
      '"45.5 $"',
      '"NaN"',
      '"Infinity"',
      '".5"',
    ].map((text) => [text, 'range']),
    ...['"1000000000.0001"', '"99999999999999999999"', '"٤٥"'].map((text) => [text, 'range']),
    ...['null', '""', '" "'].map((text) => [text, 'required']),
    ...['true', '[]', '{}', '[45.5]'].map((text) => [text, 'type']),
  ])('400 for the amount %s, and the card stays without payment', async (montant, code) => {
    const body = JSON.stringify(PAIEMENT).replace('45.5', montant);
    expectFaults(await platform('POST', `/${card}/paiements`, body), { '/montant': code });
    expect(await counts('paiement')).toEqual({ paiement: 0 });
    expect((await stored('adhesion'))[0].avec_paiement).toBe(false);
  });

  it.each([
    ['CAD', undefined],
    ['EUR', undefined],
    [' USD ', undefined],
    ['ZZZ', 'currency'],
    ['cad', 'currency'],
    ['Cad', 'currency'],
    ['$', 'currency'],
    ['CADD', 'length'],
    ['', 'required'],
    [null, 'required'],
    [124, 'type'],
  ])('the currency %s: %s', async (devise, code) => {
    const answer = await pay({ devise });
    if (code) expectFaults(answer, { '/devise': code });
    else expect([answer.status, answer.json.devise]).toEqual([201, (devise as string).trim()]);
  });

  it('400 with all errors at once', async () => {
    expectFaults(await platform('POST', `/${card}/paiements`, {}), {
      ...{ '/montant': 'required', '/devise': 'required', '/reference': 'required' },
    });
    expectFaults(await pay({ reference: 'x'.repeat(256), statut: 'x' }), {
      '/reference': 'length',
      '/statut': 'unknown',
    });
    expectFaults(await pay({ reference: 'a\u0000' }), { '/reference': 'characters' });
    expectFaults(await authorize({}), { '/reference': 'required' });
    expectFaults(await authorize({ reference: 4, montant: 1 }), {
      '/reference': 'type',
      '/montant': 'unknown',
    });
    expect(await counts('paiement', 'autorisation_paiement')).toEqual({
      paiement: 0,
      autorisation_paiement: 0,
    });
  });

  it('several may be linked; the same Idempotency-Key links one', async () => {
    const headers = { 'Idempotency-Key': 'one' };
    const [first, again] = [await pay({}, headers), await pay({}, headers)];
    expect([again.status, again.text]).toEqual([201, first.text]);
    await pay();
    const answers = await Promise.all(times(10, () => authorize({ reference: 'AUT-1' })));
    expect(answers.map(({ status }) => status)).toEqual(times(10, () => 201));
    expect(await counts('paiement', 'autorisation_paiement')).toEqual({
      paiement: 2,
      autorisation_paiement: 10,
    });
  });

  it('404 Adhesion.NotFound for an unknown card, a request, an invalid GUID, and another tenant’s card', async () => {
    const other = await openTenant(app);
    const foreign = (await signed(app, other.plateforme)).json.idUniqueAdhesion as string;
    const request = (await sent({ employeIdExterne: null })).json.demandeId as string;
    for (const [path, body] of [
      ['paiements', PAIEMENT],
      ['autorisations-paiement', { reference: 'AUT-1' }],
    ] as const) {
      const none = await platform('POST', `/${randomUUID()}/${path}`, body);
      for (const id of [foreign, request]) {
        expect(comparable(await platform('POST', `/${id}/${path}`, body))).toEqual(comparable(none));
      }
      for (const answer of [none, await platform('POST', `/E-1/${path}`, body)]) {
        expectProblem(answer, 404, 'Adhesion.NotFound');
      }
    }
    expect(
      (await app.database.query('SELECT FROM paiement WHERE adhesion_id = $1', [foreign])).rowCount,
    ).toBe(0);
    expect(await counts('paiement', 'autorisation_paiement')).toEqual({
      paiement: 0,
      autorisation_paiement: 0,
    });
  });
});
