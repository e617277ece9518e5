import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: Attributes;
  readonly status: { readonly code: number };
}

interface Batch {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

/** A span that was received. */
export interface ReceivedSpan {
  readonly process: unknown;
  readonly traceId: string;
  readonly id: string;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
}

/** A collector of spans on this machine: OTLP over HTTP, in JSON. */
export class Collector {
  /** Everything that was received, as it was sent. */
  received = '';
  readonly spans: ReceivedSpan[] = [];
  url = '';
  private readonly server = createServer((request, response) => {
    void textOf(request).then((body) => {
      if (request.url === '/v1/traces') this.add(body);
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
  });

  static async start(): Promise<Collector> {
    const collector = new Collector();
    await new Promise<void>((resolve) => collector.server.listen(0, '127.0.0.1', resolve));
    collector.url = `http://127.0.0.1:${(collector.server.address() as AddressInfo).port}`;
    return collector;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  of(traceId: string): ReceivedSpan[] {
    return this.spans.filter((one) => one.traceId === traceId);
  }

  private add(body: string): void {
    this.received += body;
    for (const { resource, scopeSpans } of (JSON.parse(body) as Batch).resourceSpans)
      for (const { spans } of scopeSpans)
        for (const { traceId, spanId, parentSpanId, name, attributes, status } of spans)
          this.spans.push({
            process: factsOf(resource.attributes)['service.name'],
            ...{ traceId, id: spanId, parentId: parentSpanId, name, facts: factsOf(attributes) },
            failed: status.code === 2,
          });
  }
}

function factsOf(attributes: Attributes): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
