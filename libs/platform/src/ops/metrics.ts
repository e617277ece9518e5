import { Inject, Injectable } from '@nestjs/common';
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import type { Attributes, Histogram, Meter, UpDownCounter } from '@opentelemetry/api';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Pool } from 'pg';
import { PROCESS_NAME, type Reader } from './process-name';
import { resourceOf } from './resource';

/** Time in ms in which scrapes share one text, because collecting takes as long as several requests. */
const SHARED_MS = 1_000;

/** Result of a measurement: a value, or several with their labels. */
type Read = number | Iterable<readonly [labels: Attributes, value: number]>;

/** The process's measurements, in Prometheus text. Labels are routes, methods and statuses: never data of a person. */
@Injectable()
export class Metrics {
  private readonly exporter = new PrometheusExporter({ preventServerStart: true });
  readonly meter: Meter;
  private latest: { readonly at: number; readonly text: Promise<string> } | undefined;

  constructor(@Inject(PROCESS_NAME) processName: Reader) {
    this.meter = new MeterProvider({ resource: resourceOf(processName), readers: [this.exporter] }).getMeter(
      'mandat',
    );
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    this.gauge('process_resident_memory_bytes', 'Memory of the process', () => process.memoryUsage.rss());
    this.gauge('process_event_loop_delay_p99_seconds', 'Event loop delay since the last scrape, p99', () => {
      const seconds = delay.percentile(99) / 1e9;
      delay.reset();
      return seconds;
    });
  }

  /**
   * Adds a measurement that is read at each scrape. If reading fails there is no number, because it is unknown.
   *
   * @param read returns the value, or the values by their labels, which must be few and never name a data space or a person
   */
  gauge(name: string, description: string, read: () => Read | Promise<Read>): void {
    this.meter.createObservableGauge(name, { description }).addCallback(async (result) => {
      const values = await Promise.resolve()
        .then(read)
        .catch(() => []);
      if (typeof values === 'number') result.observe(values);
      else for (const [labels, value] of values) result.observe(value, labels);
    });
  }

  /** Shows how busy a pool is; waiting requests are the sign that it is too small. */
  watchPool(name: string, pool: Pool): void {
    this.gauge('mandat_database_pool_connections', 'Connections of a database pool by state', () => [
      [{ pool: name, state: 'busy' }, pool.totalCount - pool.idleCount],
      [{ pool: name, state: 'idle' }, pool.idleCount],
      [{ pool: name, state: 'waiting' }, pool.waitingCount],
    ]);
  }

  /** All measurements as Prometheus text, version 0.0.4, at most a second old. */
  text(): Promise<string> {
    const now = performance.now();
    if (!this.latest || now - this.latest.at >= SHARED_MS) this.latest = { at: now, text: this.collect() };
    return this.latest.text;
  }

  private async collect(): Promise<string> {
    const { resourceMetrics, errors } = await this.exporter.collect();
    if (errors.length > 0) throw errors[0];
    return new PrometheusSerializer().serialize(resourceMetrics);
  }
}

/** Counts and times of HTTP requests. */
@Injectable()
export class HttpMetrics {
  private readonly inFlight: UpDownCounter;
  private readonly durations: Histogram;

  constructor(metrics: Metrics) {
    this.inFlight = metrics.meter.createUpDownCounter('http_server_active_requests', {
      description: 'Requests that are being answered',
    });
    this.durations = metrics.meter.createHistogram('http_server_request_duration_seconds', {
      description: 'Time from the request to the end of its answer',
      advice: {
        explicitBucketBoundaries: [
          0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
        ],
      },
    });
  }

  started(): void {
    this.inFlight.add(1);
  }

  /** @param durationMs undefined for a request that is not measured */
  finished(method: string, route: string, status: number, durationMs: number | undefined): void {
    this.inFlight.add(-1);
    if (durationMs === undefined) return;
    this.durations.record(durationMs / 1000, { method, route, status: String(status) });
  }
}
