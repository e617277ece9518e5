import type { Options, Partenaire as Generated } from './generated/partenaire/sdk.gen.js';
import type {
  PlanFaitItem,
  PlansCreateData,
  PlansCreateErrors,
  PlansCreateResponses,
  SyncV2ResultItem,
  SyncV2SyncData,
  SyncV2SyncErrors,
  SyncV2SyncResponses,
  TacheItem,
  VotantsUpsertData,
  VotantsUpsertErrors,
} from './generated/partenaire/types.gen.js';
import type { VotantItem, VotantsResultItem } from './generated/partenaire/types.gen.js';
import type { RequestResult, TDataShape } from './generated/partenaire/client/index.js';

// These operations answer in two forms, and the request decides which. The documents cannot say so.

type Headed<Data extends TDataShape, Throws extends boolean, Headers> = Omit<
  Options<Data, Throws>,
  'headers'
> &
  Headers;

/** An operation that is done at once, or as a task whose result is `Result`. */
interface Preferring<Data extends TDataShape, Responses, Errors, Result> {
  <Throws extends boolean = true>(
    options: Headed<
      Data,
      Throws,
      { headers?: Omit<NonNullable<Data['headers']>, 'Prefer'> & { Prefer?: undefined } }
    >,
  ): RequestResult<Omit<Responses, 202>, Errors, Throws>;
  <Throws extends boolean = true>(
    options: Headed<Data, Throws, { headers: NonNullable<Data['headers']> & { Prefer: 'respond-async' } }>,
  ): RequestResult<{ 202: TacheItem & { resultat?: Result } }, Errors, Throws>;
}
type Sync = Preferring<SyncV2SyncData, SyncV2SyncResponses, SyncV2SyncErrors, SyncV2ResultItem> &
  (<Throws extends boolean = true>(
    options: Options<SyncV2SyncData, Throws>,
  ) => RequestResult<SyncV2SyncResponses, SyncV2SyncErrors, Throws>);
type CreatePlan = Preferring<PlansCreateData, PlansCreateResponses, PlansCreateErrors, PlanFaitItem>;

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
    readonly plans: With<Generated['plans'], { create: CreatePlan }>;
    readonly syncV2: With<Generated['syncV2'], { sync: Sync }>;
    readonly votants: With<Generated['votants'], { upsert: Upsert }>;
  }
>;
