import type { Logger } from 'pino';
import { LOGGER } from '../../../libs/platform/src/ops/logger';
import { SealingService } from '../../../libs/voting/src';
import { unchanged as unchangedBy } from '../../setup/digests';
import { expectProblem } from '../../http/expect-problem';
import { synced, type SyncV2 } from '../../membership/synced';
import { type Answer, type OwnReason, TestApp } from '../../setup/test-app';
import { Campaigns } from './campaigns';
import { Votes } from './votes';

/** The application of a test file, which `spaceOfEachTest` or `spaceOfFile` starts. */
export let app: TestApp;
/** A second replica on the same database, if the file asks for one. */
export let replica: TestApp;
/** Campaigns of the current tenant. */
export let campaigns: Campaigns;
/** These campaigns through the second replica. */
export let elsewhere: Campaigns;
/** Votes of the tenant of `spaceOfFile`. */
export let votes: Votes;

interface Scene {
  /** Records that each tenant gets. */
  readonly sync?: SyncV2;
  readonly withReplica?: boolean;
  /** Why the file does not share an application, if it does not. */
  readonly own?: OwnReason;
}

/** Makes another tenant with its records. */
export async function newSpace(sync?: SyncV2): Promise<Campaigns> {
  const made = new Campaigns(app, await app.tenant());
  if (sync) await synced(app, made.tenant, sync);
  return made;
}

/** Starts the application once; each test gets a new tenant. */
export function spaceOfEachTest({ sync, withReplica = false, own }: Scene = {}): void {
  startApplication(withReplica, own);
  beforeEach(() => enter(sync, withReplica));
}

/** Starts the application once, with one tenant for all tests of the file. */
export function spaceOfFile({ sync, withReplica = false, own }: Scene = {}): void {
  startApplication(withReplica, own);
  beforeAll(async () => {
    await enter(sync, withReplica);
    votes = await Votes.of(app, campaigns);
  });
}

function startApplication(withReplica: boolean, own?: OwnReason): void {
  beforeAll(async () => {
    app = await (own ? TestApp.own(own) : TestApp.start());
    const { databaseUrl, secretsKey } = app.config;
    if (withReplica) replica = await TestApp.start({ databaseUrl, secretsKey });
  });
  afterAll(async () => {
    if (withReplica) await replica.stop();
    await app.stop();
  });
}

async function enter(sync: SyncV2 | undefined, withReplica: boolean): Promise<void> {
  campaigns = await newSpace(sync);
  if (withReplica) elsewhere = new Campaigns(replica, campaigns.tenant);
}

/** Asserts that `work` writes no row of any table. */
export const unchanged = <T>(work: () => Promise<T>): Promise<T> => unchangedBy(app, work);

/** Asserts that a request is rejected with a code, and that it writes no row of any table. */
export async function expectRefused(
  send: () => Promise<Answer>,
  status: number,
  code: string,
): Promise<void> {
  expectProblem(await unchanged(send), status, code);
}

/** The time by the clock of the database. */
export async function databaseNow(): Promise<Date> {
  return (await app.database.query<{ at: Date }>('SELECT clock_timestamp() AS at')).rows[0]!.at;
}

/** Seals the ballot box of a campaign. @returns false if there is nothing to seal */
export const seal = (id: string, of = campaigns): Promise<boolean> =>
  app.app.get(SealingService).seal(of.tenant.tenantId, id);

/** Runs work that finds a box of which these checks fail: the log names them. */
export async function expectLoggedChecks(
  id: string,
  checks: readonly string[],
  work: () => Promise<unknown>,
): Promise<void> {
  const errors = jest.spyOn(app.app.get<Logger>(LOGGER), 'error');
  await work();
  const { tenantId } = campaigns.tenant;
  const where = 'A ballot box that cannot be sealed';
  expect(errors).toHaveBeenCalledWith({ tenantId, campagneId: id, checks }, expect.stringContaining(where));
  errors.mockRestore();
}

export const stats = async (id: string, query = '', of = campaigns): Promise<Answer['json']> =>
  (await of.sent('GET', `/${id}/stats${query}`)).json;
