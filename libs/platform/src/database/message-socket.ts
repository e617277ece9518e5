import { Socket } from 'node:net';

/** Bytes that arrive at once at most. */
const ARRIVAL_BYTES = 65_536;

/** Memory of a socket, unless a message is longer. */
const MEMORY_BYTES = 2 * ARRIVAL_BYTES;

/** A message of PostgreSQL begins with a byte for its kind and four bytes for its length, which counts all but the first byte. */
const KIND_BYTES = 1;
const HEAD_BYTES = 5;

/**
 * Returns a socket that passes on whole messages of PostgreSQL, from memory that it uses again. With another socket, Node allocates 64 KB
 * for each arrival and `pg` twice as much for the message at its end, which is incomplete. This memory is outside of V8's heap and made
 * it collect all of the heap after every 30 pages of a list.
 *
 * @param ssl whether the connection is encrypted; it then gets another socket, because its bytes are no messages yet
 */
export function messageSocket({ ssl }: { readonly ssl?: unknown }): Socket {
  if (ssl) return new Socket();
  let memory = Buffer.allocUnsafeSlow(MEMORY_BYTES);
  let filled = 0;
  const take = (count: number, arrived: Uint8Array): void => {
    if (filled + count > memory.length) {
      const larger = Buffer.allocUnsafeSlow(2 * (filled + count));
      memory.copy(larger, 0, 0, filled);
      memory = larger;
    }
    memory.set(arrived.subarray(0, count), filled);
    filled += count;
  };
  /** The end of the last whole message. */
  const endOfMessages = (): number => {
    let end = 0;
    while (end + HEAD_BYTES <= filled) {
      const next = end + KIND_BYTES + memory.readUInt32BE(end + KIND_BYTES);
      if (next > filled) break;
      end = next;
    }
    return end;
  };
  const socket: Socket = new Socket({
    onread: {
      buffer: new Uint8Array(ARRIVAL_BYTES),
      callback: (count, arrived) => {
        take(count, arrived);
        const end = endOfMessages();
        if (end > 0) {
          socket.emit('data', memory.subarray(0, end));
          memory.copyWithin(0, end, filled);
          filled -= end;
          if (filled === 0 && memory.length > MEMORY_BYTES) memory = Buffer.allocUnsafeSlow(MEMORY_BYTES);
        }
        return true;
      },
    },
  });
  return socket;
}
