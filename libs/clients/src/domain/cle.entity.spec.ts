import { MODULES, type ModuleName } from '#access/caller';
import { DomainError } from '#platform/errors/domain-error';
import { fingerprint, isWellFormedKey } from './api-key';
import { Cle, type NewCle } from './cle.entity';

const AT = new Date('2026-03-01T12:00:00.000Z');
const later = (ms: number): Date => new Date(AT.getTime() + ms);

const WANTED: NewCle = { nom: 'Paie', role: 'partenaire' };
const issued = (wanted: Partial<NewCle> = {}): Cle =>
  Cle.issue('key', 'tenant', 'staging', { ...WANTED, ...wanted }, AT).cle;

/** Detail of the `Cle.Invalide` by which a key is rejected; undefined if it is active. */
function rejection(cle: Cle, at: Date): string | undefined {
  try {
    cle.assertActive(at);
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    expect((error as DomainError).code).toBe('Cle.Invalide');
    return (error as DomainError).message;
  }
  return undefined;
}

const REVOKED = 'The key in X-Api-Key was revoked.';
const EXPIRED = 'The key in X-Api-Key has expired.';

describe('Cle.issue', () => {
  it('returns a well-formed text; the key holds its fingerprint and display prefix only', () => {
    const { cle, text } = Cle.issue('key', 'tenant', 'staging', WANTED, AT);
    expect(isWellFormedKey(text)).toBe(true);
    expect(cle.empreinte).toEqual(fingerprint(text));
    expect(cle.prefixe).toBe(text.slice(0, 'mdt_stg_'.length + 6));
    expect(JSON.stringify(cle)).not.toContain(text);
  });

  it('a key without modules and expiry has no restriction and does not expire', () => {
    expect(issued()).toMatchObject({
      ...{ id: 'key', tenantId: 'tenant', ...WANTED },
      ...{ modules: null, expireLe: null, revoqueLe: null, dernierUsage: null, dateCreation: AT },
    });
  });

  it('keeps the modules and the expiry that are given', () => {
    const wanted = { modules: ['vote' as const], expireLe: later(1) };
    expect(issued(wanted)).toMatchObject(wanted);
  });
});

describe('Cle.assertActive', () => {
  it.each<[name: string, cle: Cle, at: Date, detail: string | undefined]>([
    ['without expiry', issued(), later(10 * 365 * 86_400_000), undefined],
    ['a millisecond before its expiry', issued({ expireLe: later(1) }), AT, undefined],
    ['at its expiry', issued({ expireLe: AT }), AT, EXPIRED],
    ['after its expiry', issued({ expireLe: AT }), later(1), EXPIRED],
    ['revoked', revoked(issued(), AT), AT, REVOKED],
    ['revoked by a clock that is ahead', revoked(issued(), later(5_000)), AT, REVOKED],
    ['revoked and expired', revoked(issued({ expireLe: AT }), AT), AT, REVOKED],
  ])('a key %s', (_name, cle, at, detail) => {
    expect(rejection(cle, at)).toBe(detail);
  });
});

describe('Cle.revoke', () => {
  it('keeps the first date of a key that is revoked twice', () => {
    const cle = revoked(issued(), AT);
    cle.revoke(later(1));
    expect(cle.revoqueLe).toEqual(AT);
  });
});

describe('Cle.modulesOf', () => {
  it.each<[ofCle: ModuleName[] | null, ofClient: ModuleName[], opened: ModuleName[]]>([
    [null, [...MODULES], [...MODULES]],
    [null, [], []],
    [[], [...MODULES], []],
    [['vote'], [...MODULES], ['vote']],
    [['vote', 'carteMembre'], ['carteMembre', 'voteEnSeance'], ['carteMembre']],
    [['vote'], ['carteMembre'], []],
  ])('a key restricted to %j of a client with %j opens %j', (modules, ofClient, opened) => {
    expect(issued({ modules }).modulesOf({ modules: ofClient })).toEqual(opened);
  });
});

function revoked(cle: Cle, at: Date): Cle {
  cle.revoke(at);
  return cle;
}
