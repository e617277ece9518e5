import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Pool } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { Agent, request as send } from 'undici';
import { finished } from 'node:stream/promises';
import { EMPLOYEE_PROPERTIES, type Employee } from './employees';
import type { EmployeeV2 } from './employees-v2';
import { columnsOf, SQL_V2 } from './floor-v2.sql';
import { SQL } from './floor.sql';

/**
 * The floors: minimal programs for each work, with `node:http` and bare `pg`, in their own process like the product.
 * They check nothing, know no keys and read all tenants.
 */

type Handler = (parts: string[], request: IncomingMessage) => Promise<string | Buffer>;

const WHOLE_LIST = 2_147_483_647;

/** Equals the limit in libs/webhooks/src/application/endpoint-queue.ts. */
const POSTS_AT_ONCE = 16;

const newPool = (max: number): Pool =>
  new Pool({ connectionString: process.env.DATABASE_URL, max, options: '-c timezone=UTC -c jit=off' });

// As many connections as the product has, and as one tenant may use for votes.
const pool = newPool(10);
const votePool = newPool(16);
let rows: Employee[] = [];

const ROUTES: Record<string, Handler> = {
  /** Returns rows as objects. */
  'GET objects': async ([tenant, limit]) => {
    const values = [tenant, limit ?? WHOLE_LIST];
    return JSON.stringify((await pool.query({ name: 'objects', text: SQL.listAsObjects, values })).rows);
  },
  /** PostgreSQL makes the JSON text. */
  'GET text': async ([tenant, limit]) => {
    const values = [tenant, limit ?? WHOLE_LIST];
    const answer = await pool.query<{ list: string }>({ name: 'text', text: SQL.listAsText, values });
    return answer.rows[0]!.list;
  },
  /** Unpaid cards of one union. */
  'GET cards': async ([tenant, syndicat, limit]) => {
    const values = [tenant, syndicat, limit];
    const answer = await pool.query<{ list: string }>({ name: 'cards', text: SQL.cardsAsText, values });
    return answer.rows[0]!.list;
  },
  /** Voters of one union on the roll of a campaign. */
  'GET voters': async ([tenant, campagne, syndicat, limit]) => {
    const values = [tenant, campagne, syndicat, limit];
    const answer = await pool.query<{ list: string }>({ name: 'voters', text: SQL.votersAsText, values });
    return answer.rows[0]!.list;
  },
  /** Makes voters of the members of a union. */
  'POST roll': async ([tenant, campagne, syndicat]) => {
    const { rowCount } = await pool.query(SQL.enrol, [tenant, campagne, syndicat]);
    return JSON.stringify({ written: rowCount });
  },
  /** Marks a voter and inserts a ballot. */
  'POST vote': async ([tenant, campagne], request) => {
    const { VotantId } = JSON.parse((await bodyOf(request)).toString()) as { VotantId: string };
    const client = await votePool.connect();
    try {
      await client.query('BEGIN');
      const { rows: voters } = await client.query<Record<string, unknown>>({
        name: 'note',
        text: SQL.noteVote,
        values: [tenant, campagne, VotantId],
      });
      const [voter] = voters.map(Object.values);
      const values = [tenant, campagne, ...voter!, ['0']];
      await client.query({ name: 'cast', text: SQL.castBallot, values });
      await client.query('COMMIT');
    } finally {
      client.release();
    }
    return JSON.stringify({ voted: VotantId });
  },
  'GET tally': async ([tenant, campagne, syndicat]) => {
    const values = [tenant, campagne, syndicat];
    const { rows: turnout } = await pool.query(SQL.turnout, values);
    const { rows: answers } = await pool.query(SQL.tally, values);
    return JSON.stringify({ ...turnout[0], answers });
  },
  'GET one': async ([tenant, id]) => {
    const answer = await pool.query({ name: 'one', text: SQL.oneAsObject, values: [tenant, id] });
    return JSON.stringify(answer.rows[0]);
  },
  /** Passes the body to PostgreSQL unchanged. */
  'POST json': async ([tenant], request) => {
    const values = [(await bodyOf(request)).toString(), tenant];
    const { rowCount } = await pool.query({ name: 'json', text: SQL.upsertJson, values });
    return JSON.stringify({ written: rowCount });
  },
  /** Stores the rows that `copy` writes. */
  'PUT rows': async (_parts, request) => {
    ({ employes: rows } = JSON.parse((await bodyOf(request)).toString()) as { employes: Employee[] });
    return JSON.stringify({ rows: rows.length });
  },
  /** Uses an unnest for each of the three tables, in one transaction. */
  'POST v2': async ([tenant], request) => {
    const { Employes } = JSON.parse((await bodyOf(request)).toString()) as { Employes: EmployeeV2[] };
    const columns = columnsOf(Employes);
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      for (const kind of ['employes', 'emplois', 'memberships'] as const) {
        await client.query(SQL_V2[kind], [tenant, ...columns[kind]]);
      }
      await client.query('COMMIT');
    } finally {
      client.release();
    }
    return JSON.stringify({ written: Employes.length });
  },
  /** Posts the bodies of a tenant's events, as many at once as the product does, and discards the responses. */
  'POST deliver': async ([tenant, port]) => {
    const { rows: bodies } = await pool.query<{ body: string }>(
      `SELECT '{"type":"' || type || '","timestamp":"2026-03-02T14:05:09.120Z","data":' || data::text || '}' AS body
       FROM evenement WHERE tenant_id = $1 AND type = 'adhesion.signee'`,
      [tenant],
    );
    const dispatcher = new Agent({ allowH2: false });
    let next = 0;
    const post = async (): Promise<void> => {
      for (let body = bodies[next++]; body; body = bodies[next++]) {
        const answer = await send(`http://127.0.0.1:${port}/`, {
          dispatcher,
          method: 'POST',
          body: body.body,
        });
        await answer.body.dump();
      }
    };
    await Promise.all(Array.from({ length: POSTS_AT_ONCE }, post));
    await dispatcher.close();
    return JSON.stringify({ posted: bodies.length });
  },
  'POST copy': async ([tenant]) => JSON.stringify({ written: await copy(tenant!) }),
};

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** COPY into a temporary table, then one INSERT … ON CONFLICT. */
async function copy(tenant: string): Promise<number | null> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await client.query(SQL.createStage);
    const stream = client.query(copyFrom(SQL.copyStage));
    let chunk = '';
    for (const row of rows) {
      // The generated employees have no characters that COPY needs escaped.
      chunk += `${EMPLOYEE_PROPERTIES.map((property) => row[property]).join('\t')}\n`;
      if (chunk.length < 65_536) continue;
      if (!stream.write(chunk)) await once(stream, 'drain');
      chunk = '';
    }
    stream.end(chunk);
    await finished(stream);
    const { rowCount } = await client.query(SQL.upsertStage, [tenant]);
    await client.query('COMMIT');
    return rowCount;
  } finally {
    client.release();
  }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, route, ...parts] = request.url!.split('/');
  const body = await ROUTES[`${request.method} ${route}`]!(parts, request);
  response.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
  });
  response.end(body);
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    console.error(error);
    response.writeHead(500).end();
  });
});
server.listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('listening'));
process.on('disconnect', () => process.exit());
