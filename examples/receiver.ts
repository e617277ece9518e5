import { createServer } from 'node:http';
import { Webhook } from 'standardwebhooks';

/**
 * A minimal receiver of a partner: it verifies the signature of a delivery, ignores events that it has seen, and
 * answers before it does anything slow.
 *
 * `npm run receiver -- whsec_…`. Without the secret it prints deliveries without verifying them. It listens on port
 * 3999, or on RECEIVER_PORT.
 */
const [secret] = process.argv.slice(2);
const port = Number(process.env.RECEIVER_PORT || 3999);
const webhook = secret ? new Webhook(secret) : undefined;
const seen = new Set<string>();

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    // The signature is for these exact bytes, so they are verified before they are parsed.
    const body = Buffer.concat(chunks).toString();
    const id = String(request.headers['webhook-id']);
    try {
      webhook?.verify(body, request.headers as Record<string, string>);
    } catch (error) {
      console.log(`rejected ${id}: ${(error as Error).message}`);
      response.writeHead(401).end();
      return;
    }
    response.writeHead(204).end();
    const again = seen.has(id) ? 'again, ignored' : webhook ? 'verified' : 'not verified';
    seen.add(id);
    console.log(`${id} (${again}) ${body}`);
  });
});
server.listen(port, '127.0.0.1', () => console.log(`Listening on http://localhost:${port}/`));
