import { createServer, type IncomingMessage } from 'node:http';

/**
 * Accepts posts in its own process and records the time of arrival. `GET /` returns the times, `DELETE /` removes them.
 */

/** First arrival of each `webhook-id`, in milliseconds since 1970. */
const arrivals = new Map<string, number>();
/** Number of the floor's posts, which have no id. */
let count = 0;
let first = 0;
let last = 0;

function note({ headers }: IncomingMessage): void {
  last = performance.timeOrigin + performance.now();
  if (count++ === 0) first = last;
  const id = headers['webhook-id'] as string | undefined;
  if (id && !arrivals.has(id)) arrivals.set(id, last);
}

const server = createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    if (request.method === 'POST') {
      note(request);
      response.writeHead(204).end();
    } else if (request.method === 'DELETE') {
      arrivals.clear();
      count = 0;
      response.writeHead(204).end();
    } else {
      response.end(JSON.stringify({ count, first, last, arrivals: [...arrivals] }));
    }
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('listening'));
process.on('disconnect', () => process.exit());
