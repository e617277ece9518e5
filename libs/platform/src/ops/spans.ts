import type { OnApplicationShutdown } from '@nestjs/common';
import { AsyncLocalStorage } from 'node:async_hooks';

/** Attributes of a span: ids, numbers and states, never the data of a person. */
export type Facts = Readonly<Record<string, string | number>>;

/** OpenTelemetry's kind of a span. */
export type SpanKind = 'SERVER' | 'CLIENT' | 'CONSUMER' | 'INTERNAL';

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  readonly facts?: Facts;
  /** The span that it belongs to, as `traceparent` if it is of another process. */
  readonly parent?: Span | string | undefined;
}

/** A span that was begun. */
export interface Span {
  readonly traceId: string;
  /** W3C Trace Context of the span. */
  readonly traceparent: string;
  readonly isEnded: boolean;
  /** Adds facts, and replaces the name if one is given. */
  tell(facts: Facts, name?: string): void;
  /** @param failure what failed, as a status, an SQLSTATE or the class of an error */
  end(failure?: string): void;
}

/** Makes spans, and sends them. */
export interface SpanMaker {
  start(span: SpanStart): Span;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

/** A trace that a caller or a job names. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: string;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Reads a `traceparent`. @returns undefined if it is not well-formed */
export function parseTraceparent(text: string | undefined): TraceParent | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(text ?? '') ?? [];
  if (!traceId || /^0+$/.test(traceId) || /^0+$/.test(spanId!)) return undefined;
  return { traceId, spanId: spanId!, flags: flags! };
}

const current = new AsyncLocalStorage<Span>();

/**
 * Spans of this process, with OTEL_EXPORTER_OTLP_ENDPOINT only (docs/adr/0056-tracing.md). Without it nothing is loaded, and no
 * work has a current span.
 */
export class Spans implements OnApplicationShutdown {
  /** @param maker undefined if tracing is off */
  constructor(private readonly maker: SpanMaker | undefined) {}

  get isOn(): boolean {
    return this.maker !== undefined;
  }

  /** The span of the work that runs; undefined without one, and once it has ended, because timers outlive the work that set them. */
  static get current(): Span | undefined {
    const span = current.getStore();
    return span?.isEnded ? undefined : span;
  }

  /** Begins a span; undefined if tracing is off. */
  start(span: SpanStart): Span | undefined {
    return this.maker?.start(span);
  }

  /** Runs work whose statements and jobs belong to a span. */
  static within<T>(span: Span, work: () => T): T {
    return current.run(span, work);
  }

  /** Runs work in a span of its own, by default a part of the current one. */
  async run<T>(start: SpanStart, work: (span: Span | undefined) => Promise<T>): Promise<T> {
    const span = this.maker?.start({ ...start, parent: start.parent ?? Spans.current });
    if (!span) return work(undefined);
    try {
      const result = await current.run(span, () => work(span));
      span.end();
      return result;
    } catch (error) {
      span.end(failureOf(error));
      throw error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    await this.maker?.close();
  }
}

/** Returns the SQLSTATE or code of an error, or its class, for a span. Messages are left out because they may quote values. */
export function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}
