import { BUDGETS } from '#platform/limits/budgets';
import { DeliveryBytes } from './delivery-bytes';

const MIB = 1_048_576;

/** Takes attempts of a size until none fits. @returns their number */
function fill(bytes: DeliveryBytes, client: string, endpoint: string, each: number): number {
  let count = 0;
  while (bytes.take(client, endpoint, each)) count += 1;
  return count;
}

describe('DeliveryBytes', () => {
  it('gives one endpoint 4 MiB', () => {
    expect(fill(new DeliveryBytes(), 'client', 'endpoint', MIB / 2)).toBe(8);
  });

  it('gives all endpoints of one client 16 MiB', () => {
    const bytes = new DeliveryBytes();
    let large = 0;
    for (let n = 0; n < 100; n++) large += fill(bytes, 'client', `hangs ${n}`, MIB / 2);
    expect(large).toBeGreaterThan(16);
    expect(large * (MIB / 2)).toBeLessThanOrEqual(16 * MIB);
  });

  it('lets an endpoint without a running attempt begin one with a small body, however many others hang', () => {
    const bytes = new DeliveryBytes();
    const small = DeliveryBytes.of(2_000);
    let all = 0;
    for (let n = 0; n < 100; n++) {
      const count = fill(bytes, 'client', `hangs ${n}`, small);
      expect(count).toBeGreaterThanOrEqual(1);
      all += count * small;
    }
    expect(all).toBeLessThanOrEqual(16 * MIB + 100 * small);
    expect(bytes.take('client', 'hangs 99', small)).toBe(false);
    expect(bytes.take('client', 'healthy', small)).toBe(true);
    // A large body waits.
    expect(bytes.take('client', 'other', DeliveryBytes.of(65_537))).toBe(false);
  });

  it('gives all clients 64 MiB, and leaves room for a large attempt of another client', () => {
    const bytes = new DeliveryBytes();
    let taken = 0;
    for (let n = 0; n < 3; n++)
      for (let m = 0; m < 50; m++) taken += fill(bytes, `client ${n}`, `endpoint ${n} ${m}`, MIB / 2);
    expect(taken).toBeGreaterThan(80);
    expect(fill(bytes, 'victim', 'endpoint', MIB / 2)).toBe(8);
  });

  it('has room again for attempts that have ended', () => {
    const bytes = new DeliveryBytes();
    for (let n = 0; n < 8; n++) bytes.take('client', 'endpoint', MIB / 2);
    expect(bytes.take('client', 'endpoint', MIB / 2)).toBe(false);
    for (let n = 0; n < 8; n++) bytes.give('client', 'endpoint', MIB / 2);
    expect(fill(bytes, 'client', 'endpoint', MIB / 2)).toBe(8);
  });

  it('lets a body that is larger than any budget begin alone', () => {
    const bytes = new DeliveryBytes();
    const whole = DeliveryBytes.of(100 * MIB);
    expect(whole).toBe(BUDGETS.deliveryBytesOfEndpoint);
    expect(bytes.take('client', 'endpoint', whole)).toBe(true);
    expect(bytes.take('client', 'endpoint', 1)).toBe(false);
    bytes.give('client', 'endpoint', whole);
    expect(bytes.take('client', 'endpoint', 1)).toBe(true);
  });

  it('counts a connection and a response with each body', () => {
    expect(DeliveryBytes.of(1_000)).toBe(1_000 + BUDGETS.deliveryOverhead);
  });
});
