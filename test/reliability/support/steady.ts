import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { times } from '../../membership/synced';
import type { Answer } from './fleet';

/** The results of a steady load. */
export interface Steady {
  /** Responses other than 200 and 201, by status. */
  readonly wrong: Readonly<Record<string, number>>;
  /** Milliseconds from the planned time of each request to its response. */
  readonly latencies: readonly number[];
}

/** Runs a script with a plan in a separate process, because the test's own work must not affect its measurements. */
export async function run<T>(script: 'load.cjs' | 'attacks.cjs', plan: object): Promise<T> {
  const child = spawn(process.execPath, [join(__dirname, script), JSON.stringify(plan)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (data: string) => (text += data));
  await once(child, 'close');
  return JSON.parse(text) as T;
}

/** Returns a request as the scripts send it. @param length that of a body that a script adds */
export function requestText(
  method: string,
  path: string,
  key?: string,
  body?: string,
  length = body?.length,
): string {
  const head = `${method} ${path} HTTP/1.1\r\nHost: mandat\r\n${key ? `X-Api-Key: ${key}\r\n` : ''}`;
  return body === undefined
    ? `${head}\r\n`
    : `${head}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

/** Returns the wrong responses of several loads. */
export const wrongOf = (loads: readonly Steady[]): Steady['wrong'] =>
  Object.assign({}, ...loads.map(({ wrong }) => wrong)) as Steady['wrong'];

export const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, one) => sum + one, 0);

/** Returns the value below which this part of the values lies. */
export const percentile = (values: readonly number[], part: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * part)]!;

/** Returns the median of a percentile of several loads, which one bad load does not change. */
export const typical = (loads: readonly Steady[], part: number): number =>
  percentile(
    loads.map(({ latencies }) => percentile(latencies, part)),
    0.5,
  );

/** An open vote on one proposal. */
export interface OpenVote {
  readonly id: string;
  readonly questionId: string;
  readonly options: readonly string[];
  readonly voters: string[];
}

/** Opens a vote. @param sent sends a partner's request and throws if it is rejected */
export async function openVote(
  sent: (method: string, path: string, body?: unknown) => Promise<Answer['json']>,
  voters: number,
): Promise<OpenVote> {
  const id = (await sent('POST', '/b2b/v1/campagnes', {
    titre: 'Entente',
    ouvertureDuVoteUtc: '2099-01-01T13:00:00Z',
    fermetureDuVoteUtc: '2099-01-08T22:00:00Z',
  })) as string;
  const path = `/b2b/v1/campagnes/${id}`;
  await sent('POST', `${path}/questions`, { Titre: 'Pour ou contre ?', Type: 'Proposition' });
  const records = times(voters, (n) => ({ Identifiant: `V-${n}`, Prenom: 'Zoé', Nom: 'Roy' }));
  for (let at = 0; at < voters; at += 20_000)
    await sent('POST', `${path}/votants/upsert`, records.slice(at, at + 20_000));
  await sent('POST', `${path}/publier`);
  await sent('POST', `${path}/ouvrir`);
  const [question] = await sent('GET', `${path}/questions`);
  const roll = (await sent('GET', `${path}/votants`)) as { VotantId: string }[];
  const options = (question.Options as { Id: string }[]).map(({ Id }) => Id);
  return { id, questionId: question.Id, options, voters: roll.map(({ VotantId }) => VotantId) };
}
