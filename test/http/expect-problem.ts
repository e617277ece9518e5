import type { Answer } from '../setup/test-app';

/**
 * Asserts that a response is the problem details of an error code (docs/contract.md, "Errors").
 *
 * @returns its `errors`
 */
export function expectProblem(
  answer: Answer,
  status: number,
  code: string,
  partOfDetail = '',
): Record<string, string> {
  expect({ status: answer.status, code: answer.json?.code }).toEqual({ status, code });
  expect(answer.headers.get('content-type')).toBe('application/problem+json; charset=utf-8');
  expect(answer.json).toMatchObject({
    type: expect.stringMatching(new RegExp(`^https?://[^#]+/docs/erreurs#${code}$`)),
    title: expect.any(String),
    status,
    detail: expect.stringContaining(partOfDetail),
    instance: expect.stringMatching(/^urn:request:/),
    traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  const faults: { pointer: string; code: string }[] = answer.json.errors ?? [];
  return Object.fromEntries(faults.map((fault) => [fault.pointer, fault.code]));
}

/**
 * Asserts a 400 for the request's form, with exactly these faults.
 *
 * @param faults code by pointer, or a text such as `/Titre required, /Type choice`
 */
export function expectFaults(answer: Answer, faults: Record<string, string> | string): void {
  const expected = typeof faults === 'string' ? parsed(faults) : faults;
  expect(expectProblem(answer, 400, 'Requete.Invalide')).toEqual(expected);
}

/** Reads `pointer code, pointer code`; the pointer of the whole body is empty. */
function parsed(faults: string): Record<string, string> {
  const pairs = faults.split(', ').map((fault) => fault.split(' ').toReversed());
  return Object.fromEntries(pairs.map(([code, pointer = '']) => [pointer, code!]));
}

/** Waits some seconds until `found` returns a value. */
export async function eventually<T>(
  found: () => Promise<T | undefined> | T | undefined,
  what: string,
  seconds = 10,
): Promise<T> {
  for (let attempt = 0; attempt < 50 * seconds; attempt++) {
    const value = await found();
    if (value !== undefined) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`${what} did not happen within ${seconds} seconds.`);
}
