import { DomainError } from '#platform/errors/domain-error';
import { type Finding, LONGEST_FAILURE_MS, OVERLAP_MS, Webhook } from './webhook.entity';
import type { WebhookRecord } from './webhook.fields';

const AT = new Date('2026-03-10T12:00:00.000Z');
const HOUR_MS = 3_600_000;
const ago = (ms: number): Date => new Date(AT.getTime() - ms);
const later = (ms: number): Date => ago(-ms);

const URL = 'https://hooks.example.org/mandat';
const RECORD: WebhookRecord = { url: URL, types: ['adhesion.signee'] };
const OLD = Buffer.from('old');
const NEW = Buffer.from('new');

const webhook = (facts: Partial<Webhook> = {}): Webhook =>
  Object.assign(Webhook.register('tenant', 'endpoint', RECORD, OLD), facts);
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
    expect(Webhook.register('t', 'w', { ...RECORD, actif: false, description: 'Paie' }, OLD)).toMatchObject({
      ...{ actif: false, description: 'Paie', desactiveLe: null },
    });
  });
});

describe('Webhook.note', () => {
  it.each<[name: string, before: Webhook, found: Finding, change: string | undefined, after: object]>([
    ['a success without known failures', webhook(), finding('accepted'), undefined, HEALTHY],
    ['a success after failures', failing(HOUR_MS, 0), finding('accepted'), 'health', HEALTHY],
    [
      'a success at another address after failures',
      failing(HOUR_MS, 0),
      finding('accepted', { url: 'https://other.example.org' }),
      'health',
      HEALTHY,
    ],
    ['the first failure', webhook(), finding('failed'), 'health', { echecDepuis: AT, dernierEchec: AT }],
    [
      'a failure within an hour of the last one',
      failing(HOUR_MS, HOUR_MS - 1),
      finding('failed'),
      undefined,
      { echecDepuis: ago(HOUR_MS), dernierEchec: ago(HOUR_MS - 1) },
    ],
    [
      'a failure an hour after the last one',
      failing(2 * HOUR_MS, HOUR_MS),
      finding('failed'),
      'health',
      { echecDepuis: ago(2 * HOUR_MS), dernierEchec: AT, actif: true },
    ],
    [
      'a failure a millisecond before five days',
      failing(LONGEST_FAILURE_MS - 1, HOUR_MS),
      finding('failed'),
      'health',
      { actif: true, desactiveLe: null, dernierEchec: AT },
    ],
    [
      'a failure after five days',
      failing(LONGEST_FAILURE_MS, HOUR_MS),
      finding('failed'),
      'disabled',
      { actif: false, desactiveLe: AT, raisonDesactivation: TOO_LONG, dernierEchec: AT },
    ],
    [
      'a failure after five days, within an hour of the last one',
      failing(LONGEST_FAILURE_MS, 1),
      finding('failed'),
      'disabled',
      { actif: false, raisonDesactivation: TOO_LONG },
    ],
    [
      'a failure after five days without an attempt',
      failing(2 * LONGEST_FAILURE_MS, LONGEST_FAILURE_MS),
      finding('failed'),
      'health',
      { actif: true, echecDepuis: AT, dernierEchec: AT },
    ],
    [
      'a failure after almost five days without an attempt',
      failing(LONGEST_FAILURE_MS, LONGEST_FAILURE_MS - 1),
      finding('failed'),
      'disabled',
      { actif: false },
    ],
    [
      'a failure after five days of an endpoint that the partner deactivated',
      failing(LONGEST_FAILURE_MS, HOUR_MS, { actif: false }),
      finding('failed'),
      'health',
      { actif: false, desactiveLe: null, dernierEchec: AT },
    ],
    [
      '410',
      webhook(),
      finding('gone'),
      'disabled',
      { actif: false, desactiveLe: AT, raisonDesactivation: GONE },
    ],
    [
      '410 after failures',
      failing(HOUR_MS, 1),
      finding('gone'),
      'disabled',
      { actif: false, echecDepuis: ago(HOUR_MS), dernierEchec: ago(1), raisonDesactivation: GONE },
    ],
    [
      '410 of an endpoint that is disabled already',
      webhook({ actif: false, desactiveLe: ago(1), raisonDesactivation: TOO_LONG }),
      finding('gone'),
      undefined,
      { actif: false, desactiveLe: ago(1), raisonDesactivation: TOO_LONG },
    ],
    ...(['failed', 'gone'] as const).map((verdict): [string, Webhook, Finding, undefined, object] => [
      `${verdict} at another address`,
      webhook(),
      finding(verdict, { url: 'https://other.example.org' }),
      undefined,
      HEALTHY,
    ]),
  ])('%s', (_name, before, found, change, after) => {
    expect(before.isNews(found)).toBe(change !== undefined);
    expect(before.note(found)).toBe(change);
    expect(before).toMatchObject(after);
    expect((before.echecDepuis === null) === (before.dernierEchec === null)).toBe(true);
    expect((before.desactiveLe === null) === (before.raisonDesactivation === null)).toBe(true);
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
  it('the old secret signs along for 24 hours, and not the one before it', () => {
    const one = webhook();
    expect(one.secretsAt(AT)).toEqual([OLD]);
    expect(one.rotateSecret(NEW, AT)).toEqual(later(24 * HOUR_MS));
    expect(one.secretsAt(AT)).toEqual([NEW, OLD]);
    expect(one.secretsAt(later(OVERLAP_MS - 1))).toEqual([NEW, OLD]);
    expect(one.secretsAt(later(OVERLAP_MS))).toEqual([NEW]);
    const third = Buffer.from('third');
    one.rotateSecret(third, later(1));
    expect(one.secretsAt(later(2))).toEqual([third, NEW]);
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
