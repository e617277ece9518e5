import { once } from 'node:events';
import { type IncomingHttpHeaders, type IncomingMessage, request as httpRequest } from 'node:http';
import { text as textOf } from 'node:stream/consumers';

export interface Raw {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** Sends a request without fetch, which would add headers and decompress the body. */
export async function ask(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> {
  const sent = httpRequest(url, { method, headers }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.setEncoding('latin1');
  const bytes = Buffer.from(await textOf(response), 'latin1');
  return { status: response.statusCode!, headers: response.headers, bytes };
}
