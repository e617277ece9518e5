import { type Block, differences, pasteFaults } from './blocks';
import { type Outcome, type Seen, Shell } from './shell';

/** Everything in which a chapter is not true. */
export interface Hour {
  readonly faults: string[];
  readonly requests: number;
  readonly blocks: number;
  /** Output of all blocks. */
  readonly printed: string;
}

/**
 * Pastes all blocks of a chapter into one shell, as a reader does.
 *
 * @param first the line that the service has printed
 * @param after what the reader does elsewhere once a block has printed something, such as starting a receiver
 */
export async function spend(
  blocks: readonly Block[],
  first: string,
  after: (printed: string) => Promise<unknown>,
): Promise<Hour> {
  const shell = Shell.open();
  const faults: string[] = [];
  let [requests, done, printed] = [0, 0, ''];
  try {
    await shell.paste(first);
    for (const block of blocks) {
      const refusal = refusalOf(block);
      const outcome = await shell.paste(block.text, refusal !== undefined);
      const found = [...pasteFaults(block), ...faultsOf(block, outcome, refusal)];
      faults.push(...found.map((fault) => `${block.text.trim()}\n${fault}`));
      done++;
      requests += outcome.requests.length;
      printed += outcome.stdout;
      if (outcome.failed && refusal === undefined) break;
      await after(outcome.stdout);
    }
  } finally {
    shell.close();
  }
  return { faults, requests, blocks: done, printed };
}

/**
 * Returns the rejected requests, except those that the block repeated until they succeeded: a later request with the
 * same method and URL was accepted.
 */
export function rejectedRequests(requests: readonly Seen[]): Seen[] {
  const isAccepted = ({ status }: Seen): boolean => status >= 200 && status <= 299;
  return requests.filter(
    (request, place) =>
      !isAccepted(request) &&
      !requests
        .slice(place + 1)
        .some((later) => isAccepted(later) && later.method === request.method && later.url === request.url),
  );
}

/** The status by which the one request of a block is refused, as the answer below it says. */
function refusalOf({ answer }: Block): number | undefined {
  const { status } = (answer ?? {}) as { status?: unknown };
  return typeof status === 'number' && status >= 400 ? status : undefined;
}

function faultsOf({ answer }: Block, outcome: Outcome, refusal: number | undefined): string[] {
  const { stdout, stderr, requests, failed } = outcome;
  const faults: string[] = [];
  if (refusal !== undefined) {
    const statuses = requests.map(({ status }) => status);
    if (statuses.length !== 1 || statuses[0] !== refusal) faults.push(`answered ${statuses.join(', ')}`);
  } else {
    if (failed) faults.push(`a command failed: ${stderr}${stdout}`);
    for (const { status, method, url } of rejectedRequests(requests))
      faults.push(`${method} ${url}: ${status}`);
  }
  if (answer === undefined || (failed && refusal === undefined)) return faults;
  const last = stdout.trim().split('\n').at(-1) ?? '';
  try {
    faults.push(...differences(answer, JSON.parse(last)));
  } catch {
    faults.push(`answered no JSON: ${last}`);
  }
  return faults;
}
