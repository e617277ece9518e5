import type { ExecutionContext } from '@nestjs/common';
import { lastValueFrom, of } from 'rxjs';
import { DomainError } from '../errors/domain-error';
import { assertIfMatch, etagOf } from '../input/if-match';
import { EtagInterceptor } from './etag';

const ITEM = '{"idExterne":"E-1","nom":"Roy"}';
const TAG = etagOf(ITEM);

describe('etagOf', () => {
  it('is a strong validator, the same for the same bytes', () => {
    expect(TAG).toMatch(/^"[\w-]{27}"$/);
    expect(etagOf(`${ITEM}`)).toBe(TAG);
  });

  it.each([`${ITEM} `, ITEM.replace('Roy', 'roy'), '{"nom":"Roy","idExterne":"E-1"}', ''])(
    'changes with the item: %j',
    (other) => expect(etagOf(other)).not.toBe(TAG),
  );
});

/** Returns the response to an item, with the parts of Express that the interceptor uses. */
async function answer(
  method: string,
  known?: string,
): Promise<{ body: unknown; status: number; etag: unknown }> {
  const set = new Map<string, unknown>();
  const response = {
    statusCode: 200,
    req: { method, get: (name: string) => (name === 'if-none-match' ? known : undefined) },
    setHeader: (name: string, value: unknown) => set.set(name, value),
    status: (code: number) => (response.statusCode = code),
  };
  const context = { switchToHttp: () => ({ getResponse: () => response }) } as unknown as ExecutionContext;
  const body = await lastValueFrom(new EtagInterceptor().intercept(context, { handle: () => of(ITEM) }));
  return { body, status: response.statusCode, etag: set.get('ETag') };
}

describe('EtagInterceptor', () => {
  it.each([
    ['GET', undefined],
    ['GET', '"other"'],
    ['GET', ''],
    ['GET', TAG.slice(1, -1)],
    ['GET', `"*"`],
    // A condition of reads does not make an action skip its answer.
    ['PUT', TAG],
    ['POST', '*'],
  ])('answers the item to %s with If-None-Match %s', async (method, known) => {
    expect(await answer(method, known)).toEqual({ body: ITEM, status: 200, etag: TAG });
  });

  it.each([
    ['GET', TAG],
    ['HEAD', TAG],
    ['GET', `W/${TAG}`],
    ['GET', `"one", W/"two" ,  ${TAG}`],
    ['GET', `"a,b",${TAG}`],
    ['GET', ' * '],
  ])('answers 304 without a body to %s with If-None-Match %s', async (method, known) => {
    expect(await answer(method, known)).toEqual({ body: undefined, status: 304, etag: TAG });
  });
});

describe('assertIfMatch', () => {
  it.each([undefined, '*', TAG, ` ${TAG} `, `"other", ${TAG}`])('passes %j', (ifMatch) => {
    expect(() => assertIfMatch(ifMatch, ITEM)).not.toThrow();
  });

  it.each([`W/${TAG}`, '"other"', '', TAG.slice(1, -1), `W/${TAG}, "other"`, etagOf(`${ITEM} `)])(
    'refuses %j with Precondition.Echouee',
    (ifMatch) => {
      expect(() => assertIfMatch(ifMatch, ITEM)).toThrow(DomainError);
      expect(() => assertIfMatch(ifMatch, ITEM)).toThrow(
        expect.objectContaining({ code: 'Precondition.Echouee' }),
      );
    },
  );
});
