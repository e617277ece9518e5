import type { Options, Partenaire as Generated } from './generated/partenaire/sdk.gen.js';
import type {
  SyncV2SyncData,
  SyncV2SyncErrors,
  SyncV2SyncResponses,
  VotantsUpsertData,
  VotantsUpsertErrors,
} from './generated/partenaire/types.gen.js';
import type { VotantItem, VotantsResultItem } from './generated/partenaire/types.gen.js';
import type { RequestResult } from './generated/partenaire/client/index.js';

// These operations answer in two forms, and the request decides which. The documents cannot say so.

type SyncOptions<Headers, Throws extends boolean> = Omit<Options<SyncV2SyncData, Throws>, 'headers'> &
  Headers;
type SyncHeaders = NonNullable<SyncV2SyncData['headers']>;

interface Sync {
  /** The sync runs at once, also as a simulation. */
  <Throws extends boolean = true>(
    options: SyncOptions<{ headers?: Omit<SyncHeaders, 'Prefer'> & { Prefer?: undefined } }, Throws>,
  ): RequestResult<Pick<SyncV2SyncResponses, 200>, SyncV2SyncErrors, Throws>;
  /** The sync runs in the background, as a task. */
  <Throws extends boolean = true>(
    options: SyncOptions<{ headers: SyncHeaders & { Prefer: 'respond-async' } }, Throws>,
  ): RequestResult<Pick<SyncV2SyncResponses, 202>, SyncV2SyncErrors, Throws>;
  <Throws extends boolean = true>(
    options: Options<SyncV2SyncData, Throws>,
  ): RequestResult<SyncV2SyncResponses, SyncV2SyncErrors, Throws>;
}

type UpsertOptions<Body, Throws extends boolean> = Omit<Options<VotantsUpsertData, Throws>, 'body'> & {
  body: Body;
};

interface Upsert {
  /** A list: the numbers of voters, and the records that were not accepted. */
  <Throws extends boolean = true>(
    options: UpsertOptions<Extract<VotantsUpsertData['body'], readonly unknown[]>, Throws>,
  ): RequestResult<{ 200: VotantsResultItem }, VotantsUpsertErrors, Throws>;
  /** A record: the voter. */
  <Throws extends boolean = true>(
    options: UpsertOptions<Exclude<VotantsUpsertData['body'], readonly unknown[]>, Throws>,
  ): RequestResult<{ 200: VotantItem; 201: VotantItem }, VotantsUpsertErrors, Throws>;
}

type With<Group, Operations> = Omit<Group, keyof Operations> & Operations;

/** The operations of a partner, each with the answer of its request. */
export type Partenaire = With<
  Generated,
  {
    readonly syncV2: With<Generated['syncV2'], { sync: Sync }>;
    readonly votants: With<Generated['votants'], { upsert: Upsert }>;
  }
>;
