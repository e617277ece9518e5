import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build, extract, sharePackages } from '../tools/earlier-build';
import { UsageError } from './options';
import { say } from './progress';
import { judged, type Row } from './report';
import { type Figures, inTurns } from './rounds';
import { type Effort, PRODUCT, type Work } from './work';
import type { World } from './world';

/**
 * Compares this tree with an earlier commit. Two worlds, each with its own PostgreSQL and the product of one build, do
 * the same works of this tree. They prepare their data one after the other. Each measurement waits for the other world's,
 * and then the two products alternate.
 */

const ROOT = join(__dirname, '../..');
/**
 * Rounds before the counted ones, as a share of these: a product is slower for about 8 s after it has waited a minute for the
 * other one's preparation.
 */
const UNCOUNTED_SHARE = 1 / 3;
const run = promisify(execFile);

/** @throws UsageError if the clone has no such commit */
export async function commitOf(ref: string): Promise<string> {
  const args = ['-C', ROOT, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
  const found = await run('git', args).catch(() => undefined);
  if (!found) throw new UsageError(`'${ref}' is no commit of this clone.`);
  return found.stdout.trim();
}

/** Builds the product of a commit in an empty folder. @returns the folder of its built files */
export async function builtAt(commit: string, folder: string): Promise<string> {
  say(`Building ${commit.slice(0, 8)}`);
  await extract(ROOT, commit, folder);
  const [own, its] = await Promise.all(
    [ROOT, folder].map((root) => readFile(join(root, 'package-lock.json'), 'utf8')),
  );
  if (own === its) {
    await sharePackages(ROOT, folder);
  } else {
    say('Its packages differ: installing them');
    // The product needs no scripts of packages; PostgreSQL is that of this tree.
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
  }
  await build(folder);
  return join(folder, 'dist');
}

type Side = 'ours' | 'theirs';

interface Turn {
  readonly name: string;
  readonly run: () => Promise<number>;
  readonly prepare: () => Promise<void>;
}

/** A measurement. It begins when both worlds have reached it. */
interface Meeting extends PromiseWithResolvers<readonly Figures[]>, Partial<Record<Side, Turn>> {}

/** Lets the products of two worlds alternate. */
export class Comparison {
  private readonly names: Readonly<Record<Side, string>>;
  private rows: Row[] = [];
  /** The measurement that one world has reached and the other has not. */
  private waiting: Meeting | undefined;
  /** Pending while a world prepares data. */
  private prepared: Promise<void> = Promise.resolve();
  private readonly leave: Partial<Record<Side, () => void>> = {};

  /** @param theirs name of the other build in the table */
  constructor(theirs: string) {
    this.names = { ours: 'this tree', theirs };
  }

  /** Does a work in both worlds. @throws Error if it cannot be done with the other build */
  async measure(work: Work, ours: World, theirs: World, effort: Effort): Promise<Row[]> {
    this.rows = [];
    await Promise.all([
      this.alone('ours', () => work.measure(ours, effort)),
      this.alone('theirs', () => work.measure(theirs, effort)).catch((cause: unknown) => {
        throw new Error(`'${work.name}' cannot be done with ${this.names.theirs}.`, { cause });
      }),
    ]);
    return this.rows;
  }

  /** Returns the `inTurns` of one world: it measures only the product, alternating with that of the other world. */
  inTurnsOf(side: Side): typeof inTurns {
    return async (work, contestants, rounds, show, before) => {
      const product = contestants.find(({ name }) => name === PRODUCT)!;
      const name = this.names[side];
      const met: Meeting = (this.waiting ??= Promise.withResolvers());
      met[side] = { name, run: product.run, prepare: async () => before?.(product) };
      const { ours, theirs } = met;
      this.leave[side]?.();
      if (ours && theirs) {
        this.waiting = undefined;
        const uncounted = Math.ceil(rounds * UNCOUNTED_SHARE);
        met.resolve(inTurns(work, [ours, theirs], rounds, show, ({ prepare }) => prepare(), uncounted));
      }
      const figures = await met.promise;
      await this.enter(side);
      if (side === 'ours') this.rows.push(...judged(work, figures, show));
      return figures.filter((one) => one.name === name);
    };
  }

  /** Runs the work of one world, which prepares while the other one does not. */
  private async alone(side: Side, work: () => Promise<unknown>): Promise<void> {
    await this.enter(side);
    await work().finally(() => this.leave[side]?.());
  }

  private async enter(side: Side): Promise<void> {
    const before = this.prepared;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.prepared = promise;
    this.leave[side] = resolve;
    await before;
  }
}
