import { largeItems } from '../limits/list-parts';
import type { Statement } from './one-trip';
import { JsonItems } from './json-items';

const SLICE_BYTES = 1_048_576;

/** An item as bytes of JSON. */
export interface ItemInParts {
  /** Changes with any byte of the item. */
  readonly version: string;
  readonly parts: () => AsyncGenerator<Uint8Array, void>;
}

interface Slice {
  part: Buffer;
  length: number;
  version: string;
}

/** Items that may have 1 MiB or more, or read many rows: reads of single ones are among the `largeItems` of their client. */
export class LargeItems extends JsonItems {
  protected override async single<R extends object>(tenantId: string, statement: Statement): Promise<R[]> {
    const client = await this.transactions.clientOf({ tenantId });
    return largeItems.run(client, () => this.transactions.query<R>({ tenantId }, statement));
  }

  /**
   * Returns an item that can be large, in parts of `SLICE_BYTES`; undefined if there is none. Each part is a statement, so
   * a slow reader holds neither a connection nor the whole item. A change meanwhile makes the next part throw.
   */
  async oneInParts(tenantId: string, key: string): Promise<ItemInParts | undefined> {
    const slice = async (from: number): Promise<Slice | undefined> => {
      const [row] = await this.single<Slice>(tenantId, {
        name: `${this.source.name}_slice`,
        text: `SELECT substr(bytes, $3, ${SLICE_BYTES}) AS part, octet_length(bytes) AS length, md5(bytes) AS version FROM (
                 SELECT convert_to(${this.item}, 'UTF8') AS bytes FROM ${this.source.table}
                 WHERE tenant_id = $1 AND ${this.source.key ?? 'id_externe'} = $2 OFFSET 0
                 ) s`,
        values: [tenantId, key, from + 1],
      });
      return row;
    };
    const first = await slice(0);
    if (!first) return undefined;
    const { length, version } = first;
    return {
      version,
      parts: async function* () {
        yield first.part;
        for (let from = SLICE_BYTES; from < length; from += SLICE_BYTES) {
          const next = await slice(from);
          if (next?.version !== version) throw new Error('The item has changed while it was read.');
          yield next.part;
        }
      },
    };
  }
}
