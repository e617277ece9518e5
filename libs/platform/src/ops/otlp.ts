import {
  type Context,
  ROOT_CONTEXT,
  type Span as ApiSpan,
  SpanKind as ApiKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { Reader } from './process-name';
import { resourceOf } from './resource';
import { type Facts, parseTraceparent, type Span, type SpanMaker, type SpanStart } from './spans';

/** Maximum time until a span is sent, in ms. */
const SEND_EVERY_MS = 2_000;

/** Time limit of a request to the collector and its repetitions, in ms. A stop waits for it once. */
const SEND_TIMEOUT_MS = 5_000;

/**
 * Sends spans to a collector as OTLP over HTTP, in JSON. Loaded only with OTEL_EXPORTER_OTLP_ENDPOINT. Spans that the collector does
 * not take in time are lost, and so are those beyond the 2,048 that wait.
 */
export class OtlpSpans implements SpanMaker {
  private readonly provider: TracerProvider;
  private readonly tracer: Tracer;

  constructor(endpoint: string, processName: Reader, logger: Logger) {
    const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
    const exporter = reporting(new OTLPTraceExporter({ url, timeoutMillis: SEND_TIMEOUT_MS }), logger);
    this.provider = new TracerProvider({
      resource: resourceOf(processName),
      // A caller that does not sample its request leaves it out here, too.
      sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
      spanProcessors: [
        new BatchSpanProcessor({
          ...{ exporter, scheduledDelayMillis: SEND_EVERY_MS },
          // The limit of the exporter is that of a silence: it does not end an answer that goes on.
          exportTimeoutMillis: SEND_TIMEOUT_MS,
        }),
      ],
    });
    this.tracer = this.provider.getTracer('mandat');
  }

  start({ name, kind, facts = {}, parent }: SpanStart): Span {
    const context = typeof parent === 'string' ? remote(parent) : (parent as OtlpSpan | undefined)?.context;
    const options = { kind: ApiKind[kind], attributes: facts };
    return new OtlpSpan(this.tracer.startSpan(name, options, context ?? ROOT_CONTEXT));
  }

  async close(): Promise<void> {
    // A collector that is away is in the log, and must not make the stop of the process fail.
    await this.provider.shutdown().catch(() => undefined);
  }
}

class OtlpSpan implements Span {
  readonly context: Context;
  isEnded = false;

  constructor(private readonly span: ApiSpan) {
    this.context = trace.setSpan(ROOT_CONTEXT, span);
  }

  get traceId(): string {
    return this.span.spanContext().traceId;
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  tell(facts: Facts, name?: string): void {
    this.span.setAttributes(facts);
    if (name !== undefined) this.span.updateName(name);
  }

  end(failure?: string): void {
    if (this.isEnded) return;
    this.isEnded = true;
    if (failure !== undefined)
      this.span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR });
    this.span.end();
  }
}

function remote(traceparent: string): Context | undefined {
  const parent = parseTraceparent(traceparent);
  if (!parent) return undefined;
  const { traceId, spanId, flags } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, {
    ...{ traceId, spanId, isRemote: true },
    traceFlags: Number.parseInt(flags, 16) & 1,
  });
}

/** An exporter that logs when the collector begins to refuse spans, and when it takes them again. */
function reporting(exporter: SpanExporter, logger: Logger): SpanExporter {
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const failed = Number(result.code) !== 0;
        if (failed && !isFailing) {
          const { name, code } = (result.error ?? {}) as { name?: string; code?: string | number };
          logger.warn(
            { error: name, code },
            'the collector does not take spans: check OTEL_EXPORTER_OTLP_ENDPOINT',
          );
        } else if (!failed && isFailing) logger.info('the collector takes spans again');
        isFailing = failed;
        done(result);
      }),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
    shutdown: () => exporter.shutdown(),
  };
}
