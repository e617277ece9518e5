import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { type Logger, pino } from 'pino';
import { Clock } from './clock';
import { Config } from './config';
import { Lifecycle } from './lifecycle';
import { LOGGER } from './logger';
import { HttpMetrics, Metrics } from './metrics';
import { PROCESS_NAME, type Reader } from './process-name';
import { KeyRing } from './key-ring';
import { SecretBox } from './secret-box';
import { Spans } from './spans';

/** Configuration, log, measurements, spans and clock of the process. */
@Global()
@Module({})
export class OpsModule {
  static forRoot(processName: Reader, config: Config): DynamicModule {
    const values = [
      { provide: Config, useValue: config },
      { provide: PROCESS_NAME, useValue: processName },
      { provide: KeyRing, useValue: config.secretsKey },
      { provide: LOGGER, useValue: pino({ level: config.logLevel, base: { process: processName } }) },
    ];
    const spans: Provider = {
      provide: Spans,
      inject: [LOGGER],
      useFactory: async (logger: Logger) => {
        if (config.otlpEndpoint === undefined) return new Spans(undefined);
        const { OtlpSpans } = await import('#platform/ops/otlp');
        return new Spans(new OtlpSpans(config.otlpEndpoint, processName, logger));
      },
    };
    const providers = [...values, spans, Clock, HttpMetrics, Lifecycle, Metrics, SecretBox];
    return { module: OpsModule, providers, exports: providers };
  }
}
