import { deflateSync } from 'node:zlib';
import type { Databases } from '#platform/database/databases';
import {
  brokenImages,
  chunk,
  dataUrl,
  encodePng,
  parts,
  png,
  soundImages,
} from '../../../../test/adhesion/support/png';
import { SignatureDecoder } from './signature-decoder';

const databases = { clientOf: async (space: string) => space } as unknown as Databases;
const decoder = new SignatureDecoder(databases);
const codeOf = async (bytes: Buffer): Promise<string | undefined> =>
  (await decoder.read('space', dataUrl(bytes))).error?.code;

describe('SignatureDecoder', () => {
  it.each(Object.entries(soundImages()))('accepts %s', async (_what, bytes) => {
    expect((await decoder.read('space', dataUrl(bytes))).png?.equals(bytes)).toBe(true);
  });

  it.each(Object.entries(brokenImages()))('refuses %s', async (_what, bytes) => {
    expect(await codeOf(bytes)).toBe('Signature.ImageInvalide');
  });

  it('the library decodes no other format', async () => {
    const sharp = await decoder.prepare();
    const decoded = (bytes: Buffer) => sharp(bytes).raw().toBuffer();
    await expect(
      decoded(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')),
    ).rejects.toThrow('unsupported image format');
    await expect(decoded(encodePng({ width: 1, height: 1 }))).resolves.toBeDefined();
  });

  it('refuses 30,000 × 30,000 pixels by their header', async () => {
    const bomb = encodePng({ width: 30_000, height: 30_000, colour: 0, depth: 1 });
    const { error, fault } = await decoder.read('space', dataUrl(bomb));
    expect([error?.code, fault?.detail.en]).toEqual([
      'Requete.Invalide',
      'must have at most 4,096 pixels a side; it has 30000 × 30000',
    ]);
  });

  it('pixels, texts and profiles that unpack to 400 MB and more take little memory and time', async () => {
    const { ihdr, idat, iend } = parts({ width: 1, height: 1 });
    const packed = deflateSync(Buffer.alloc(400_000_000));
    const named = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from('k\0\0'), bytes]);
    const text = chunk('zTXt', named(deflateSync(Buffer.alloc(7_900_000))));
    const bombs = [
      png(ihdr, chunk('IDAT', packed), iend),
      png(ihdr, ...Array<Buffer>(60).fill(text), idat, iend),
      png(ihdr, chunk('iCCP', named(packed)), idat, iend),
    ].map(dataUrl);
    const [memory, cpu] = [process.memoryUsage().rss, process.cpuUsage()];
    for (const bomb of bombs) expect(await decoder.read('space', bomb)).toHaveProperty('png');
    const { user, system } = process.cpuUsage(cpu);
    // Decoded with its texts, the second image alone takes 900 ms.
    expect((user + system) / 1_000).toBeLessThan(500);
    expect(process.memoryUsage().rss - memory).toBeLessThan(100_000_000);
  });

  it('20 of the largest images of a client at once leave the main thread free, and others do not wait for them', async () => {
    const image = dataUrl(encodePng({ width: 4_096, height: 2_047, interlaced: true }));
    const ended: string[] = [];
    const read = async (client: string): Promise<void> => {
      await decoder.read(client, image);
      ended.push(client);
    };
    // If the main thread decoded, only a few rounds of the event loop would pass with each image.
    let rounds = 0;
    let isOver = false;
    const count = (): void => {
      rounds++;
      if (!isOver) setImmediate(count);
    };
    count();
    const busy = Array.from({ length: 20 }, () => read('busy'));
    await read('other');
    expect(ended.length).toBeLessThan(6);
    await Promise.all(busy);
    isOver = true;
    expect(rounds).toBeGreaterThan(2_000);
  });
});
