import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import type { Reader } from './process-name';
import { VERSION } from './version';

/** Describes a process in measurements and spans. The default would name the service by the path of the executable. */
export function resourceOf(processName: Reader): Resource {
  return resourceFromAttributes({ 'service.name': `mandat-${processName}`, 'service.version': VERSION });
}
