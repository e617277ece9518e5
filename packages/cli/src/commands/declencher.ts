import { randomUUID } from 'node:crypto';
import { nearest } from '../csv/nearest.js';
import { EXIT, type ExitCode, Failure, UsageFailure } from '../failure.js';
import { print, shown } from '../output.js';
import type { Context } from './context.js';
import { lineOf } from './ecouter.js';
import { failureOf } from './problems.js';
import { Receiver } from './receiver.js';

/** A JSON Schema of the catalogue of events, which has an example of each value. */
interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
}

/** `mandat declencher TYPE`: sends an example of an event. Nothing is written in the service. */
export async function triggerCommand(context: Context, type: string, to: string): Promise<ExitCode> {
  const receiver = Receiver.at(to, context.profile);
  try {
    const { data: me } = await context.mandat.moi.get();
    // A receiver of production would take the example for an event.
    if (me.environnement !== 'staging')
      throw new UsageFailure('The key is of production. Examples are sent with a key of staging only.');
    const { data: types } = await context.mandat.evenements.types();
    const known = types.find((one) => one.type === type);
    if (!known) {
      const names = types.map((one) => one.type as string);
      const near = nearest(type, names);
      const advice = near ? `did you mean ${near}?` : `there are ${names.join(', ')}.`;
      throw new UsageFailure(`${JSON.stringify(type)} is no type of event; ${advice}`);
    }
    const schema = known.schema as Schema;
    const event = {
      ...{ id: randomUUID(), type, timestamp: new Date().toISOString() },
      data: exampleOf(schema, schema.$defs ?? {}),
    };
    const sent = await receiver.send(event);
    const line = lineOf(event, sent);
    if (context.isJson) print([JSON.stringify({ ...event, ...sent })]);
    else if (sent.accepte) print([line, `Signed with ${receiver.secretSource}`]);
    if (sent.accepte) return EXIT.done;
    if (context.isJson) return EXIT.failed;
    throw new Failure(EXIT.failed, `The receiver did not accept the event: ${line}`, [
      `It was signed with ${shown(receiver.secretSource)}`,
    ]);
  } catch (error) {
    throw await failureOf(error, context, undefined);
  }
}

/** Returns an example without optional properties. */
function exampleOf(schema: Schema, defs: Readonly<Record<string, Schema>>): unknown {
  const { $ref, examples, properties, required = [], items, enum: values } = schema;
  if (examples) return examples[0];
  if ($ref) return exampleOf(defs[$ref.slice('#/$defs/'.length)] ?? {}, defs);
  const one = schema.allOf?.[0] ?? schema.anyOf?.[0] ?? schema.oneOf?.[0];
  if (one) return exampleOf(one, defs);
  if (properties)
    return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name] ?? {}, defs)]));
  return items ? [exampleOf(items, defs)] : (values?.[0] ?? null);
}
