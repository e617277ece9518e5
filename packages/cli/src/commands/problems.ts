import { ConnectionError, ProblemError, TaskError } from '@mandat/client';
import { EXIT, Failure } from '../failure.js';
import { shown } from '../output.js';
import type { Context } from './context.js';

/** Remedies by error code, if the service's own text has none. */
const REMEDIES: Readonly<Record<string, string>> = {
  'Plan.Perime': 'Plan again: mandat plan FILE',
  'Plan.DejaApplique': 'There is nothing left to do.',
  'Plan.NotFound': 'Plan again: mandat plan FILE',
  'Plan.TropNombreux': 'Apply one (mandat appliquer ID) or delete one (DELETE /b2b/v2/plan/{id}).',
  'Sync.NotFound': 'GET /b2b/v2/sync lists the syncs that can be undone.',
  'Sync.AnnulationEnConflit': 'To leave these records as they are and undo the rest, add --ignorer-conflits',
};
const BRAKED = ['Plan.Bloque', 'Sync.FreinDeclenche'];
const FAULTS_SHOWN = 20;

/** A problem as the service sent it, with all members. */
export type Problem = Readonly<Record<string, unknown>>;

export const problemOf = async ({ response }: ProblemError): Promise<Problem> =>
  (await response
    .clone()
    .json()
    .catch(() => ({}))) as Problem;

/** Returns the failure of a task, which has the form of a problem. */
function failureOfTask({ message, task }: TaskError): Failure {
  const { code, detail } = task.erreur ?? {};
  const remedy = code === undefined ? `Read it: GET /b2b/v2/tache/${task.id}` : REMEDIES[code];
  return new Failure(
    EXIT.failed,
    code === undefined ? `${message}.` : `${code}: ${detail}`,
    remedy ? [remedy] : [],
    task.erreur ?? {},
  );
}

/** Returns the failure that an error of the client means for a command. Other errors are returned as they are. */
export async function failureOf(
  error: unknown,
  context: Context,
  planId: string | undefined,
  notes: readonly string[] = [],
): Promise<unknown> {
  if (error instanceof ConnectionError)
    return new Failure(EXIT.failed, `${error.message}.`, [
      'Check the address of the profile, and try again.',
    ]);
  if (error instanceof TaskError) return failureOfTask(error);
  if (!(error instanceof ProblemError)) return error;
  const problem = await problemOf(error);
  const faults = error.errors.map(({ pointer, detail }) => `${pointer} ${detail}`);
  const more = faults.length - FAULTS_SHOWN;
  const code = error.code ?? String(error.status);
  const remedy = REMEDIES[code];
  const isBraked = BRAKED.includes(code);
  const id = typeof problem['planId'] === 'string' ? problem['planId'] : planId;
  return new Failure(
    isBraked ? EXIT.braked : EXIT.failed,
    `${code}: ${error.detail}`,
    [
      ...(faults.length > 1 ? faults.slice(0, FAULTS_SHOWN) : []),
      ...(more > 0 ? [`… and ${more} more`] : []),
      ...notes,
      ...(isBraked && id ? await releaseLines(context, id) : []),
      ...(remedy ? [remedy] : []),
    ],
    problem,
  );
}

/** Returns how an administrator releases a plan from the brake. */
export async function releaseLines({ mandat, again }: Context, planId: string): Promise<string[]> {
  const space = await mandat.moi.get().then(
    ({ data }) => ({ clientId: data.clientId, environnement: data.environnement }),
    () => ({ clientId: '{clientId}', environnement: '{environnement}' }),
  );
  return [
    'Check the export: a column or an employer may be missing. If it is right, an administrator must release the plan:',
    `  POST /admin/v1/clients/${space.clientId}/environnements/${space.environnement}/plans/${shown(planId)}/autoriser  {"raison": "…"}`,
    `Then apply it: mandat appliquer ${shown(planId)}${again}`,
  ];
}
