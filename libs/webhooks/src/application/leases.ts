/** Jobs that this process has leased, counted by endpoint and by client. */
export class Leases {
  private readonly ids = new Set<string>();
  private readonly endpoints = new Map<string, { readonly client: string; count: number }>();
  private readonly clients = new Map<string, number>();

  get count(): number {
    return this.ids.size;
  }

  get all(): string[] {
    return [...this.ids];
  }

  add(id: string, endpoint: string, client: string): void {
    this.ids.add(id);
    this.countOf(endpoint, client, 1);
  }

  remove(id: string, endpoint: string, client: string): void {
    if (this.ids.delete(id)) this.countOf(endpoint, client, -1);
  }

  /** Returns the endpoints with leased jobs for which this is so. */
  endpointsWhere(isSo: (endpoint: string, ofEndpoint: number, ofClient: number) => boolean): string[] {
    return [...this.endpoints]
      .filter(([id, { client, count }]) => isSo(id, count, this.clients.get(client)!))
      .map(([id]) => id);
  }

  private countOf(endpoint: string, client: string, by: number): void {
    const ofEndpoint = this.endpoints.get(endpoint) ?? { client, count: 0 };
    ofEndpoint.count += by;
    if (ofEndpoint.count > 0) this.endpoints.set(endpoint, ofEndpoint);
    else this.endpoints.delete(endpoint);
    const ofClient = (this.clients.get(client) ?? 0) + by;
    if (ofClient > 0) this.clients.set(client, ofClient);
    else this.clients.delete(client);
  }
}
