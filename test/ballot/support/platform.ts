import { buildSync } from 'esbuild';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { ROOT } from '../../docs/markdown';
import type { Scrutin } from './package';

const EXAMPLE = join(ROOT, 'examples/encrypted-ballot');

/** Bundles code of a browser as platforms do. */
export function bundle(source: string): Uint8Array {
  return buildSync({
    stdin: { contents: source, resolveDir: EXAMPLE },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  }).outputFiles[0]!.contents;
}

export const pageSource = (): string => readFileSync(join(EXAMPLE, 'page.js'), 'utf8');

export interface Recorded {
  readonly method: string;
  readonly url: string;
  readonly headers: string;
  readonly body: string;
}

/** A platform's server for the example page, which records all requests. */
export class Platform {
  readonly traffic: Recorded[] = [];
  /** Statuses of the next answers to ballots; 201 for later ones. */
  readonly statuses: number[] = [];
  private readonly server: Server;

  private constructor(vote: { scrutin: Scrutin }, script: Uint8Array) {
    const files: Record<string, [string, string | Uint8Array]> = {
      '/': ['text/html', readFileSync(join(EXAMPLE, 'index.html'))],
      '/page.bundle.js': ['text/javascript', script],
      '/vote': ['application/json', JSON.stringify(vote)],
    };
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url = '', rawHeaders } = request;
        const body = Buffer.concat(chunks).toString('latin1');
        this.traffic.push({ method, url, headers: rawHeaders.join('\n'), body });
        const [type, content] = files[url] ?? ['text/plain', ''];
        const status = method === 'POST' ? (this.statuses.shift() ?? 201) : files[url] ? 200 : 404;
        response.writeHead(status, { 'Content-Type': type }).end(content);
      });
    });
  }

  static async start(vote: { scrutin: Scrutin }, source = pageSource()): Promise<Platform> {
    const platform = new Platform(vote, bundle(source));
    await new Promise<void>((listening) => platform.server.listen(0, '127.0.0.1', listening));
    return platform;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  get ballots(): { VotantId: string; BulletinChiffre: string }[] {
    const posted = this.traffic.filter(({ method }) => method === 'POST');
    return posted.map(({ body }) => JSON.parse(body) as { VotantId: string; BulletinChiffre: string });
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }
}

/** All encodings of some bytes that a search of texts finds: percent, hex, and base64 at each of its three alignments. */
function encodingsOf(bytes: Buffer): string[] {
  const base64 = [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes, Buffer.alloc(2)]).toString('base64');
    // Only the characters that no neighbour of the bytes can change.
    const whole = text.slice(Math.ceil((8 * before) / 6), Math.floor((8 * (before + bytes.length)) / 6));
    return [whole, whole.replaceAll('+', '-').replaceAll('/', '_')];
  });
  return [bytes.toString('latin1'), encodeURIComponent(bytes.toString()), bytes.toString('hex'), ...base64];
}

/** Everything by which a request could name an option: its identifier, text, or the choices as JSON. */
export function plaintexts(scrutin: Scrutin, choix: unknown): string[] {
  const identifiers = scrutin.questions.flatMap(({ Options }) => Options);
  return [
    ...identifiers.flatMap((id) => [Buffer.from(id), Buffer.from(id.replaceAll('-', ''), 'hex')]),
    ...scrutin.questions.flatMap(({ Libelles }) => Libelles.map((libelle) => Buffer.from(libelle))),
    Buffer.from(JSON.stringify(choix)),
  ].flatMap(encodingsOf);
}

/** Returns the requests that contain one of some texts. */
export function leaks(traffic: readonly Recorded[], texts: readonly string[]): Recorded[] {
  return traffic.filter(({ url, headers, body }) =>
    [url, headers, body].some((part) =>
      texts.some((text) => part.includes(text) || part.toLowerCase().includes(text.toLowerCase())),
    ),
  );
}

/** The requests without what differs between ballots of equal length. */
export function shapes(traffic: readonly Recorded[]): Recorded[] {
  return traffic.map(({ headers, body, ...rest }) => ({
    ...rest,
    headers: headers.replace(/127\.0\.0\.1:\d+/g, 'host'),
    body: body.replace(/"BulletinChiffre":"[\w-]*"/, (text) => String(text.length)),
  }));
}
