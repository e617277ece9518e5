import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Malformed, Unreadable } from './findings.js';

const BLOCK = 512;
const CHUNK = 1 << 20;
/** More files than the questions of a vote. */
const MOST_FILES = 10_000;
const LONGEST_LINE = 1 << 20;

export interface Entry {
  readonly name: string;
  readonly size: number;
  readonly offset: number;
}

const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);

/** A tar of plain files in the form of ustar. Contents are read when they are needed. */
export class Archive {
  readonly entries: Entry[] = [];
  private readonly length: number;

  private constructor(
    private readonly file: number,
    private readonly path: string,
  ) {
    this.length = fstatSync(file).size;
  }

  /** @throws Unreadable if the file is missing or is no such tar. */
  static open(path: string): Archive {
    let file: number;
    try {
      file = openSync(path, 'r');
    } catch (error) {
      throw new Unreadable(
        `${path} cannot be opened (${(error as NodeJS.ErrnoException).code}). Give the path of the bundle.`,
      );
    }
    const archive = new Archive(file, path);
    try {
      archive.index();
    } catch (error) {
      archive.close();
      throw error;
    }
    return archive;
  }

  close(): void {
    closeSync(this.file);
  }

  /** Returns the whole content. @throws Malformed if it is longer than `most` bytes. */
  read(entry: Entry, most: number): Buffer {
    if (entry.size > most) throw new Malformed('size', `at most ${most} bytes`, `${entry.size}`);
    return this.bytes(entry.offset, entry.size);
  }

  *chunks({ offset, size }: Entry): Generator<Buffer> {
    for (let at = 0; at < size; at += CHUNK) yield this.bytes(offset + at, Math.min(CHUNK, size - at));
  }

  /** Returns the SHA-256 of a file. */
  digest(entry: Entry, progress?: (bytes: number) => void): Buffer {
    const hash = createHash('sha256');
    for (const chunk of this.chunks(entry)) {
      hash.update(chunk);
      progress?.(chunk.length);
    }
    return hash.digest();
  }

  /** Returns the lines of a file without their newlines. @throws Malformed for a line without a newline. */
  *lines(entry: Entry, longest = LONGEST_LINE): Generator<Buffer> {
    let rest: Buffer = Buffer.alloc(0);
    for (const chunk of this.chunks(entry)) {
      const bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let from = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
        yield bytes.subarray(from, end);
        from = end + 1;
      }
      rest = bytes.subarray(from);
      if (rest.length > longest) throw new Malformed('line', `at most ${longest} bytes`, 'a longer one');
    }
    if (rest.length > 0) throw new Malformed('end of the file', 'a newline', rest.toString().slice(-40));
  }

  private bytes(offset: number, size: number): Buffer {
    const bytes = Buffer.allocUnsafe(size);
    let filled = 0;
    while (filled < size) {
      const read = readSync(this.file, bytes, filled, size - filled, offset + filled);
      if (read === 0) this.refuse('the file ends too early');
      filled += read;
    }
    return bytes;
  }

  private index(): void {
    if (!fstatSync(this.file).isFile()) this.refuse('it is no file');
    if (this.length % BLOCK !== 0) this.refuse('its length is no multiple of 512 bytes');
    let offset = 0;
    for (;;) {
      if (offset + 2 * BLOCK > this.length) this.refuse('its end is missing');
      const header = this.bytes(offset, BLOCK);
      if (isZero(header)) break;
      const entry = this.entryOf(header, offset + BLOCK);
      offset = entry.offset + Math.ceil(entry.size / BLOCK) * BLOCK;
      if (offset > this.length) this.refuse(`${entry.name} is longer than the rest of the archive`);
      if (!isZero(this.bytes(entry.offset + entry.size, offset - entry.offset - entry.size)))
        this.refuse(`bytes follow ${entry.name}`);
      if (this.entries.length >= MOST_FILES) this.refuse(`it has more than ${MOST_FILES} files`);
      this.entries.push(entry);
    }
    for (const chunk of this.chunks({ name: '', offset, size: this.length - offset }))
      if (!isZero(chunk)) this.refuse('bytes follow its end');
  }

  private entryOf(header: Buffer, offset: number): Entry {
    const field = (from: number, to: number): string => header.toString('latin1', from, to);
    const name = /^([\w.-]+(?:\/[\w.-]+)*)\0*$/.exec(field(0, 100))?.[1];
    const size = /^([0-7]{11})[\0 ]$/.exec(field(124, 136))?.[1];
    const sum = /^([0-7]{6})(?:\0 | \0)$/.exec(field(148, 156))?.[1];
    if (!name || !size || !sum || field(257, 265) !== 'ustar\x0000' || !isZero(header.subarray(345, 500)))
      return this.refuse(`the header at byte ${offset - BLOCK} is not one of ustar`);
    const blank = Buffer.from(header).fill(' ', 148, 156);
    if (blank.reduce((total, byte) => total + byte, 0) !== parseInt(sum, 8))
      this.refuse(`the header of ${name} has another checksum`);
    if (field(156, 157) !== '0') this.refuse(`${name} is no plain file`);
    return { name, offset, size: parseInt(size, 8) };
  }

  private refuse(reason: string): never {
    throw new Unreadable(`${this.path} is not a bundle: ${reason}. Download it again.`);
  }
}
