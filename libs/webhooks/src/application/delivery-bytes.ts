import { BUDGETS } from '#platform/limits/budgets';
import { SharedBytes } from './shared-bytes';

/** Body of an attempt that an endpoint without a running attempt may begin beyond the budget of its client. */
const SMALL_BODY = 65_536;

/**
 * Bytes of running attempts. The process, each client and each endpoint has a budget. An endpoint without a running attempt may
 * also begin a small one when its client has used up its budget, because other endpoints of the client may hang.
 */
export class DeliveryBytes {
  private readonly clients = new SharedBytes(BUDGETS.deliveryBytes, BUDGETS.deliveryBytesOfClient);
  private readonly endpointsOf = new Map<string, SharedBytes>();

  /** @returns false if the attempt must wait, because its endpoint, its client or the process has no room */
  take(client: string, endpoint: string, bytes: number): boolean {
    const endpoints =
      this.endpointsOf.get(client) ??
      new SharedBytes(BUDGETS.deliveryBytesOfClient, BUDGETS.deliveryBytesOfEndpoint);
    const isFirst = endpoints.of(endpoint) === 0 && bytes <= DeliveryBytes.of(SMALL_BODY);
    const room = Math.min(endpoints.roomOf(endpoint), this.clients.roomOf(client));
    if (bytes > (isFirst ? this.clients.free : room)) return false;
    endpoints.take(endpoint, bytes);
    this.clients.take(client, bytes);
    this.endpointsOf.set(client, endpoints);
    return true;
  }

  give(client: string, endpoint: string, bytes: number): void {
    const endpoints = this.endpointsOf.get(client)!;
    endpoints.give(endpoint, bytes);
    this.clients.give(client, bytes);
    if (endpoints.isEmpty) this.endpointsOf.delete(client);
  }

  /** Returns the bytes that an attempt counts. A body that is larger than any budget counts as all that an endpoint has. */
  static of(bodyBytes: number): number {
    return Math.min(bodyBytes + BUDGETS.deliveryOverhead, BUDGETS.deliveryBytesOfEndpoint);
  }
}
