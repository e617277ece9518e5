import {
  eachItem,
  eachPage,
  idempotencyKey,
  type Paging,
  type PlanInputWritable,
  type PlanItem,
  taskResult,
} from '@mandat/client';
import { Difference } from '../difference.js';
import { effectsText, hasChanges } from '../effects.js';
import { Employments } from '../employments.js';
import { counted, EXIT, type ExitCode } from '../failure.js';
import { during, paint, print, report, shown } from '../output.js';
import type { Context } from './context.js';
import { readInput, type InputOptions } from './input.js';
import { failureOf, releaseLines } from './problems.js';

/** Changes of one request. */
const PAGE = 1_000;

/** Characters from which a plan is drawn in the background, because a proxy may cut a request that takes longer than it allows. */
const LARGE = 5_000_000;

/** Maximum wait for such a plan. */
const LONGEST_SECONDS = 3_600;

/** `mandat plan FILE`: draws a plan and shows what it would change. */
export async function planCommand(context: Context, options: InputOptions): Promise<ExitCode> {
  const body = readInput(options);
  try {
    const plan = await during('Planning', () => draw(context, body, options.version));
    await (context.isJson ? writeJson(context, plan) : printPlan(context, plan, options.file));
    if (plan.etat === 'Bloque') return EXIT.braked;
    return hasChanges(plan.resume) ? EXIT.changes : EXIT.done;
  } catch (error) {
    throw await failureOf(error, context, undefined);
  }
}

async function draw({ mandat }: Context, text: string, version: 1 | 2): Promise<PlanItem> {
  const request = {
    body: text as unknown as PlanInputWritable,
    bodySerializer: (sent: unknown) => sent as string,
    query: version === 1 ? { version } : {},
  };
  if (text.length < LARGE) return (await mandat.plans.create({ ...request, headers: idempotencyKey() })).data;
  const headers = { ...idempotencyKey(), Prefer: 'respond-async' as const };
  const { planId } = await taskResult(mandat, await mandat.plans.create({ ...request, headers }), {
    onProgress: ({ etat }) => report(etat === 'EnAttente' ? 'Waiting for the worker' : 'Planning'),
    timeoutSeconds: LONGEST_SECONDS,
  });
  return (await mandat.plans.get({ path: { id: planId } })).data;
}

/** Returns the changes of a plan page by page. */
async function* changesOf({ mandat }: Context, { id }: PlanItem) {
  let count = 0;
  const list = (page: Paging) => mandat.plans.changements({ path: { id }, query: page });
  for await (const { items } of eachPage(list, { limite: PAGE })) {
    count += items.length;
    report(`Reading the changes: ${count.toLocaleString('en')}`);
    yield items;
  }
}

/** Writes the plan with its changes. Nothing is written before all changes are read, because an error is a document of its own. */
async function writeJson(context: Context, plan: PlanItem): Promise<void> {
  const pages: string[] = [];
  await during('Reading the changes', async () => {
    for await (const items of changesOf(context, plan)) pages.push(JSON.stringify(items).slice(1, -1));
  });
  process.stdout.write(`${JSON.stringify(plan).slice(0, -1)},"changements":[`);
  for (const [at, page] of pages.entries()) process.stdout.write(at === 0 ? page : `,${page}`);
  process.stdout.write(']}\n');
}

async function printPlan(context: Context, plan: PlanItem, file: string): Promise<void> {
  const { id, version, etat, resume, votesTouches, expireLe } = plan;
  const until = `${expireLe.slice(0, 16).replace('T', ' ')} UTC`;
  print([`Plan ${id} of ${shown(file)}, a ${version} sync, kept until ${until}`, '']);
  if (hasChanges(resume)) print(await during('Reading the changes', () => differenceOf(context, plan)));
  if (votesTouches.length > 0)
    print([
      paint('bold', 'Open votes with these people on their rolls:'),
      ...votesTouches.map(({ titre, votants }) => `  ${counted(votants, 'voter')} of ${shown(titre)}`),
      '',
    ]);
  print([`${paint('bold', 'Summary:')} ${effectsText(resume)}.`]);
  if (resume.refuses > 0) print([`Refused records change nothing; mandat appliquer lists their messages.`]);
  if (etat === 'Bloque')
    return print([
      paint('red', 'The brake stops this plan: it ends or clears more than the client allows.'),
      ...(await releaseLines(context, id)),
    ]);
  print([hasChanges(resume) ? `Apply it: mandat appliquer ${id}${context.again}` : 'Nothing to do.']);
}

async function differenceOf(context: Context, plan: PlanItem): Promise<string[]> {
  const employers = plan.parEmployeur.filter(hasChanges).map((one) => one.identifiantExterneEmployeur);
  const employments = new Employments();
  // New records name their employer.
  if (plan.resume.modifies + plan.resume.termines + plan.resume.champsVides > 0)
    await readEmployments(context, employers, employments);
  const difference = new Difference(employments, employers, context.isWhole, paint);
  for await (const items of changesOf(context, plan)) for (const change of items) difference.add(change);
  return difference.lines();
}

async function readEmployments(
  { mandat }: Context,
  employers: readonly (string | null)[],
  employments: Employments,
): Promise<void> {
  for (const identifiantExterneEmployeur of employers) {
    if (identifiantExterneEmployeur === null) continue;
    const list = eachItem(
      (page) => mandat.employesV2.listEmplois({ query: { ...page, identifiantExterneEmployeur } }),
      { limite: PAGE },
    );
    for await (const employment of list) employments.add(employment);
  }
}
