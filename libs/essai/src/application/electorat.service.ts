import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import type { Actor } from '#platform/audit/actor';
import { Transactions } from '#platform/database/transactions';
import { invalidRequest } from '#platform/errors/domain-error';
import { fr, type Language } from '#platform/errors/text';
import { parseBody } from '#platform/input/parse-body';
import { inTurn } from '#platform/limits/list-parts';
import { EventLoopYielder } from '#platform/ops/event-loop-yielder';
import {
  type Synced,
  type SyncV2Request,
  type SyncV2Result,
  SyncV2Service,
  type Tache,
  TachesService,
} from '#sync';
import { defautsOf, type Electorat, textOf } from '../domain/electorat';
import type { NombreDefauts } from '../domain/electorat.types';
import type { ElectoratRecord } from '../domain/electorat.fields';

/** Length from which a part is passed on, in UTF-16 units. */
const PART_LENGTH = 262_144;

/** Number of employers of an electorate that names none. */
const EMPLOYEURS = 20;

/** The export of a synthetic electorate. */
export interface Export {
  /** SHA-256 of the export, in hexadecimal. */
  readonly empreinte: string;
  readonly parts: () => AsyncGenerator<Uint8Array, void>;
}

/** An electorate of a seed. */
interface ElectoratFait extends Pick<Export, 'empreinte'> {
  readonly defauts: readonly NombreDefauts[];
}

/** Synthetic electorates, which come into the data space by the same sync as those of partners. */
@Injectable()
export class ElectoratService {
  constructor(
    private readonly syncs: SyncV2Service,
    private readonly taches: TachesService,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Returns the body of the V2 sync. It is made part by part, in turn with long lists of the client, once for the digest and once for
   * each reader.
   *
   * @throws DomainError `Requete.Invalide` for more faults than employees
   */
  async export(tenantId: string, record: ElectoratRecord): Promise<Export> {
    const parts = this.partsOf(tenantId, electoratOf(record));
    const digest = createHash('sha256');
    for await (const part of parts()) digest.update(part);
    return { empreinte: digest.digest('hex'), parts };
  }

  /** @throws DomainError as `export`, `Sync.FreinDeclenche` */
  async sync(
    tenantId: string,
    actor: Actor,
    record: ElectoratRecord,
    language: Language,
  ): Promise<Synced<SyncV2Result> & ElectoratFait> {
    const { corps, request, ...fait } = await this.made(tenantId, record);
    const options = { simulation: false, corps: () => corps, language };
    return { ...(await this.syncs.sync(tenantId, actor, request, options)), ...fait };
  }

  /** Stores the sync for the worker. @throws DomainError as `export`, `Debit.Depasse` if too many tasks are unfinished */
  async submit(
    tenantId: string,
    actor: Actor,
    record: ElectoratRecord,
    language: Language,
  ): Promise<ElectoratFait & { readonly tache: Tache }> {
    const { corps, request, ...fait } = await this.made(tenantId, record);
    const tache = await this.taches.submit(tenantId, actor, corps, request, false, { language });
    return { ...fait, tache };
  }

  private async made(
    tenantId: string,
    record: ElectoratRecord,
  ): Promise<ElectoratFait & { readonly corps: Buffer; readonly request: SyncV2Request }> {
    const electorat = electoratOf(record);
    const made: Uint8Array[] = [];
    for await (const part of this.partsOf(tenantId, electorat)()) made.push(part);
    const corps = Buffer.concat(made);
    const empreinte = createHash('sha256').update(corps).digest('hex');
    const request = (await parseBody(corps, true)) as SyncV2Request;
    return { corps, request, empreinte, defauts: defautsOf(electorat) };
  }

  private partsOf(tenantId: string, electorat: Electorat): Export['parts'] {
    return () => inTurn(this.transactions.clientOf({ tenantId }), partsOf(electorat));
  }
}

function electoratOf({ graine, employes, employeurs, defauts }: ElectoratRecord): Electorat {
  const electorat = { graine, employes, employeurs: employeurs ?? EMPLOYEURS, defauts: defauts ?? 0 };
  if (electorat.defauts <= employes) return electorat;
  const detail = { en: 'must be at most `employes`', fr: fr('doit être au plus `employes`') };
  throw invalidRequest([{ pointer: '/defauts', code: 'range', detail }]);
}

async function* partsOf(electorat: Electorat): AsyncGenerator<Uint8Array, void> {
  const yielder = new EventLoopYielder();
  let text = '';
  for (const piece of textOf(electorat)) {
    text += piece;
    if (yielder.isDue) await yielder.yield();
    if (text.length < PART_LENGTH) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}
