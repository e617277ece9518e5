import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Sender } from './sender';

it('a response whose body does not end in time keeps its status, and the attempt timed out', async () => {
  const server = createServer((_request, response) => void response.writeHead(200).write('begun'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const sender = new Sender({ allowInsecure: true, timeoutMs: 300 });
  try {
    expect(await sender.post(`http://127.0.0.1:${port}`, {}, '{}')).toEqual({
      ...{ statut: 200, reponse: 'begun', retryAfter: undefined, timedOut: true },
    });
  } finally {
    sender.close();
    server.close();
  }
});
