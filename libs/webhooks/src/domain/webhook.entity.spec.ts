import { DomainError } from '#platform/errors/domain-error';
import { type Finding, LONGEST_FAILURE_MS, OVERLAP_MS, type SealedKey, Webhook } from './webhook.entity';
import type { WebhookRecord } from './webhook.fields';

const AT = new Date('2026-03-10T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const ago = (ms: number): Date => new Date(AT.getTime() - ms);
const later = (ms: number): Date => ago(-ms);

const URL = 'https://hooks.example.org/mandat';
const RECORD: WebhookRecord = { url: URL, types: ['adhesion.signee'] };
const OLD = Buffer.from('old');
const NEW = Buffer.from('new');
const keyOf = (sealed: Buffer): SealedKey => ({ sealed, clePublique: null });

const webhook = (facts: Partial<Webhook> = {}): Webhook =>
  Object.assign(Webhook.register('tenant', 'endpoint', RECORD, keyOf(OLD)), facts);
const failing = (since: number, last: number, facts: Partial<Webhook> = {}): Webhook =>
  webhook({ echecDepuis: ago(since), dernierEchec: ago(last), ...facts });
const finding = (verdict: Finding['verdict'], facts: Partial<Finding> = {}): Finding => ({
  ...{ verdict, url: URL, at: AT },
  ...facts,
});

const HEALTHY = {
  actif: true,
  echecDepuis: null,
  dernierEchec: null,
  desactiveLe: null,
  raisonDesactivation: null,
};
const GONE = 'The receiver answered 410 Gone.';
const TOO_LONG = 'No attempt has succeeded for five days.';

function codeOf(rule: () => void): string | undefined {
  try {
    rule();
  } catch (error) {
    expect(error).toBeInstanceOf(DomainError);
    return (error as DomainError).code;
  }
  return undefined;
}

describe('Webhook.register', () => {
  it('is active, without failures and old secret', () => {
    expect(webhook()).toMatchObject({ ...RECORD, ...HEALTHY, description: null, secretPrecedent: null });
    expect(
      Webhook.register('t', 'w', { ...RECORD, actif: false, description: 'Paie' }, keyOf(OLD)),
    ).toMatchObject({
      ...{ actif: false, description: 'Paie', desactiveLe: null },
    });
  });
});

describe('Webhook.note', () => {
  const failed = finding('failed');
  const gone = finding('gone');
  const OTHER = { url: 'https://other.example.org' };
  const since = (ms: number, last: number): object => ({ echecDepuis: ago(ms), dernierEchec: ago(last) });
  const earlier = { actif: false, desactiveLe: ago(1), raisonDesactivation: TOO_LONG };
  const disabled = { ...earlier, desactiveLe: AT };
  const active = { actif: true, desactiveLe: null, dernierEchec: AT };
  const DAYS = LONGEST_FAILURE_MS / 5;

  function expectNote(one: Webhook, found: Finding, change: string | undefined, after: object): void {
    expect(one.isNews(found)).toBe(change !== undefined);
    expect(one.note(found)).toBe(change);
    expect(one).toMatchObject(after);
    expect((one.echecDepuis === null) === (one.dernierEchec === null)).toBe(true);
    expect((one.desactiveLe === null) === (one.raisonDesactivation === null)).toBe(true);
  }

  it.each<[name: string, first: number, last: number, change: string | undefined, after: object]>([
    ['within an hour', HOUR_MS, HOUR_MS - 1, undefined, since(HOUR_MS, HOUR_MS - 1)],
    ['after an hour', 2 * HOUR_MS, HOUR_MS, 'health', { ...active, ...since(2 * HOUR_MS, 0) }],
    ['1 ms before five days', 5 * DAYS - 1, HOUR_MS, 'health', active],
    ['after five days', 5 * DAYS, HOUR_MS, 'disabled', { ...disabled, dernierEchec: AT }],
    ['after five days, within an hour', 5 * DAYS, 1, 'disabled', disabled],
    ['after five days without an attempt', 10 * DAYS, 5 * DAYS, 'health', { ...active, ...since(0, 0) }],
    ['after almost five days without an attempt', 5 * DAYS, 5 * DAYS - 1, 'disabled', { actif: false }],
  ])('a failure %s', (_name, first, last, change, after) => {
    expectNote(failing(first, last), failed, change, after);
  });

  it.each<[name: string, before: Webhook, found: Finding, change: string | undefined, after: object]>([
    ['a success without known failures', webhook(), finding('accepted'), undefined, HEALTHY],
    ['a success after failures', failing(HOUR_MS, 0), finding('accepted'), 'health', HEALTHY],
    ['a success at another address', failing(HOUR_MS, 0), finding('accepted', OTHER), 'health', HEALTHY],
    ['the first failure', webhook(), failed, 'health', since(0, 0)],
    ['a failure at another address', webhook(), finding('failed', OTHER), undefined, HEALTHY],
    ['410', webhook(), gone, 'disabled', { ...disabled, raisonDesactivation: GONE }],
    ['410 after failures', failing(HOUR_MS, 1), gone, 'disabled', { actif: false, ...since(HOUR_MS, 1) }],
    ['410 of a disabled endpoint', webhook(earlier), gone, undefined, earlier],
    ['410 at another address', webhook(), finding('gone', OTHER), undefined, HEALTHY],
  ])('%s', (_name, before, found, change, after) => expectNote(before, found, change, after));

  it('a failure after five days, deactivated by the partner', () => {
    const after = { ...active, actif: false };
    expectNote(failing(5 * DAYS, HOUR_MS, { actif: false }), failed, 'health', after);
  });

  it('an hourly failure disables after exactly five days', () => {
    const one = webhook();
    const changes = Array.from({ length: 121 }, (_, hour) =>
      one.note(finding('failed', { at: later(hour * HOUR_MS) })),
    );
    expect(changes).toEqual([...Array<string>(120).fill('health'), 'disabled']);
    expect(one.desactiveLe).toEqual(later(120 * HOUR_MS));
  });
});

describe('Webhook.replaceWith', () => {
  const disabled = (): Webhook =>
    failing(LONGEST_FAILURE_MS, 0, { actif: false, desactiveLe: AT, raisonDesactivation: TOO_LONG });

  it('clears the failures with another address, and keeps them with the same one', () => {
    const [moved, same] = [failing(HOUR_MS, 1), failing(HOUR_MS, 1)];
    moved.replaceWith({ ...RECORD, url: 'https://other.example.org' });
    same.replaceWith({ ...RECORD, types: ['sync.terminee'], description: 'Paie' });
    expect(moved).toMatchObject({ ...HEALTHY, url: 'https://other.example.org' });
    expect(same).toMatchObject({ echecDepuis: ago(HOUR_MS), types: ['sync.terminee'], description: 'Paie' });
  });

  it('an activation clears the failures and the reason of the service', () => {
    const one = disabled();
    one.replaceWith(RECORD);
    expect(one).toMatchObject(HEALTHY);
  });

  it('without an activation the reason of the service stays', () => {
    const one = disabled();
    one.replaceWith({ ...RECORD, actif: false });
    expect(one).toMatchObject({ actif: false, desactiveLe: AT, raisonDesactivation: TOO_LONG });
    expect(one.echecDepuis).toEqual(ago(LONGEST_FAILURE_MS));
  });

  it('an absent description is cleared', () => {
    const one = webhook({ description: 'Paie' });
    one.replaceWith(RECORD);
    expect(one.description).toBeNull();
  });
});

describe('Webhook.rotateSecret', () => {
  it('each old secret signs along for its 24 hours', () => {
    const one = webhook();
    expect(one.secretsAt(AT)).toEqual([OLD]);
    expect(one.rotateSecret(keyOf(NEW), AT)).toEqual(later(24 * HOUR_MS));
    expect(one.secretsAt(AT)).toEqual([NEW, OLD]);
    expect(one.secretsAt(later(OVERLAP_MS - 1))).toEqual([NEW, OLD]);
    expect(one.secretsAt(later(OVERLAP_MS))).toEqual([NEW]);
    const third = Buffer.from('third');
    one.rotateSecret(keyOf(third), later(1));
    expect(one.secretsAt(later(2))).toEqual([third, NEW, OLD]);
    expect(one.secretsAt(later(OVERLAP_MS))).toEqual([third, NEW]);
    expect(one.secretsAt(later(OVERLAP_MS + 1))).toEqual([third]);
  });

  it('a sixth rotation within 24 hours is refused until the oldest secret has ended', () => {
    const one = webhook();
    const secret = (n: number): Buffer => Buffer.from(`${n}`);
    for (let n = 1; n <= 5; n++) one.rotateSecret(keyOf(secret(n)), later(n));
    const before = structuredClone({ ...one });
    const again = (at: number) => codeOf(() => one.rotateSecret(keyOf(secret(6)), later(at)));
    expect(again(OVERLAP_MS)).toBe('Webhook.RotationsTropNombreuses');
    expect({ ...one }).toEqual(before);
    expect(one.secretsAt(later(6))).toEqual([...[5, 4, 3, 2, 1].map(secret), OLD]);
    expect(again(OVERLAP_MS + 1)).toBeUndefined();
    expect(one.secretsAt(later(OVERLAP_MS + 1))).toEqual([6, 5, 4, 3, 2, 1].map(secret));
  });
});

describe('Webhook.takes', () => {
  it.each<[actif: boolean, type: string, refusal: string | undefined]>([
    [true, 'adhesion.signee', undefined],
    [true, 'webhook.test', undefined],
    [true, 'sync.terminee', 'Webhook.TypeNonAbonne'],
    [false, 'adhesion.signee', 'Webhook.Inactif'],
    [false, 'webhook.test', 'Webhook.Inactif'],
    [false, 'sync.terminee', 'Webhook.Inactif'],
  ])('active %s, %s: %s', (actif, type, refusal) => {
    const one = webhook({ actif });
    expect(one.takes(type)).toBe(refusal === undefined);
    expect(codeOf(() => one.assertTakes(type))).toBe(refusal);
    expect(codeOf(() => one.assertActive())).toBe(actif ? undefined : 'Webhook.Inactif');
  });
});
