import { type CertificationItem, idempotencyKey } from '@mandat/client';
import { setTimeout as delay } from 'node:timers/promises';
import { EXIT, type ExitCode } from '../failure.js';
import { during, paint, print, report, shown } from '../output.js';
import type { Context } from './context.js';
import { failureOf } from './problems.js';

const PAUSE_MS = 1_000;

/** `mandat certifier WEBHOOK`: has the service try a receiver, and shows what each scenario found. */
export async function certifyCommand(context: Context, id: string): Promise<ExitCode> {
  try {
    const done = await during('Waiting for the worker', () => certified(context, id));
    print(context.isJson ? [JSON.stringify(done)] : linesOf(id, done));
    return done.verdict === 'Reussi' ? EXIT.done : EXIT.failed;
  } catch (error) {
    throw await failureOf(error, context, undefined);
  }
}

/** Begins a certification and waits for its verdict. */
async function certified({ mandat }: Context, id: string): Promise<CertificationItem> {
  const { data } = await mandat.certifications.begin({ path: { id }, headers: idempotencyKey() });
  for (
    let item: CertificationItem = data;
    ;
    item = (await mandat.certifications.latest({ path: { id } })).data
  ) {
    if (item.verdict !== null) return item;
    const tried = item.scenarios.filter(({ resultat }) => resultat !== null).length;
    if (tried > 0) report(`Tried ${tried} of ${item.scenarios.length} scenarios`);
    await delay(PAUSE_MS);
  }
}

function linesOf(webhook: string, { id, verdict, niveaux, scenarios, raison }: CertificationItem): string[] {
  return [
    ...scenarios.flatMap(({ nom, attendu, observe, conseil, resultat }) =>
      resultat === 'Echoue'
        ? [
            paint('red', `✗ ${nom}`),
            `    expected: ${shown(attendu)}`,
            `    observed: ${shown(observe ?? 'nothing')}`,
            ...(conseil === null ? [] : [`    ${shown(conseil)}`]),
          ]
        : [resultat === null ? paint('dim', `· ${nom} was not tried`) : paint('green', `✓ ${nom}`)],
    ),
    '',
    ...(raison === null ? [] : [`It ended early: ${shown(raison)}`]),
    ...(niveaux.traitement === null && niveaux.transport === 'Reussi'
      ? [
          'The answers are right. To show that events are processed as well, send the proofs (data.defi) of processed events:',
          `  POST /b2b/v2/webhook/${shown(webhook)}/certification/${shown(id)}/constats  {"traites": ["…"]}`,
        ]
      : []),
    verdict === 'Reussi' ? paint('green', 'The receiver passes.') : paint('red', 'The receiver fails.'),
  ];
}
