import { type ExecutionContext, SetMetadata, type Type } from '@nestjs/common';
import { stringify } from 'csv-stringify/sync';
import type { Request, Response } from 'express';
import type { Page } from '../database/json-items';
import { type RecordClass, Input, shownIn } from '../input/field.decorator';
import { EventLoopYielder } from '../ops/event-loop-yielder';
import { PagingQuery } from './listing';

const OFFER = 'http:csv';

/** Query parameter of each operation that offers CSV. */
export const SEPARATEUR = {
  kind: 'choice',
  values: [',', ';'],
  description:
    'Separator of the cells of CSV; a comma if absent. Refused without `Accept: text/csv`, because JSON has no cells.',
} as const;

/** Paging of a list that offers CSV. */
export class CsvPagingQuery extends PagingQuery {
  @Input(SEPARATEUR)
  separateur?: string;
}

/** CSV that an operation offers beside JSON. */
interface Offer {
  /** Name of the file, without its ending. */
  readonly file: string;
  /** Path of each column in a record. */
  readonly columns: readonly (readonly string[])[];
}

/** Declares that an operation offers CSV, with a column for each property of `row` and of the objects in it. */
export function OffersCsv(file: string, row: Type): MethodDecorator {
  return SetMetadata(OFFER, { file, columns: columnsOf(row) } satisfies Offer);
}

/** Names of the columns of CSV. A property of a nested object has the name `object.property`. */
export function csvHeader(row: Type): string[] {
  return columnsOf(row).map((path) => path.join('.'));
}

function columnsOf(row: Type): string[][] {
  return Object.entries(shownIn(row as RecordClass)).flatMap(([name, { type, isArray }]) => {
    const nested = typeof type === 'function' && !isArray ? columnsOf(type as Type) : [];
    return nested.length > 0 ? nested.map((path) => [name, ...path]) : [[name]];
  });
}

/** Returns whether the operation offers CSV. */
export function offersCsv(context: ExecutionContext): boolean {
  return Reflect.hasMetadata(OFFER, context.getHandler());
}

/** Returns the CSV that the request accepts rather than JSON, if the operation offers it. The response then varies with `Accept`. */
export function acceptedCsv(context: ExecutionContext): Csv | undefined {
  const offer = Reflect.getMetadata(OFFER, context.getHandler()) as Offer | undefined;
  if (!offer) return undefined;
  const http = context.switchToHttp();
  const request = http.getRequest<Request>();
  http.getResponse<Response>().vary('Accept');
  if (request.accepts(['application/json', 'text/csv']) !== 'text/csv') return undefined;
  const { separateur } = request.query;
  return new Csv(offer, typeof separateur === 'string' ? separateur.trim() : ',');
}

/** Writes records as RFC 4180 has it (docs/contract.md, "CSV"). */
export class Csv {
  private readonly options;

  constructor(
    private readonly offer: Offer,
    readonly delimiter: string,
  ) {
    this.options = {
      delimiter,
      record_delimiter: 'windows',
      // Otherwise a cell with a line end of another system would not be quoted.
      quote_record_delimiter: true,
      escape_formulas: true,
      cast: { boolean: String },
    } as const;
  }

  /** The byte order mark and the header row. */
  get head(): string {
    return stringify([this.offer.columns.map((path) => path.join('.'))], { ...this.options, bom: true });
  }

  /** Sets the headers of the response. */
  announce(response: Response): void {
    response.setHeader('Content-Type', 'text/csv; charset=utf-8; header=present');
    response.setHeader('Content-Disposition', `attachment; filename="${this.offer.file}.csv"`);
  }

  /** Returns the page of a list with its items as rows. */
  async page({ items, ...page }: Page): Promise<Page> {
    const yielder = new EventLoopYielder();
    const rows: string[] = [];
    for (const text of items) {
      rows.push(this.rows(JSON.parse(`[${text}]`) as object[]));
      if (yielder.isDue) await yielder.yield();
    }
    return { ...page, items: rows };
  }

  /** Yields the whole file. */
  async *parts(batches: AsyncIterable<readonly object[]>): AsyncGenerator<Uint8Array, void> {
    let head = this.head;
    for await (const records of batches) {
      yield Buffer.from(head + this.rows(records));
      head = '';
    }
    if (head) yield Buffer.from(head);
  }

  private rows(records: readonly object[]): string {
    const cells = records.map((record) =>
      this.offer.columns.map((path) =>
        path.reduce<unknown>((value, name) => (value as Record<string, unknown> | null)?.[name], record),
      ),
    );
    return stringify(cells, this.options);
  }
}
