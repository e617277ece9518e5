import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import { parseTraceparent, type Span, type Spans } from '../ops/spans';

/** Characters of usual identifiers only: the log has it as it was sent, and other programs read the log. */
const REQUEST_ID = /^[\w.:=+/-]{1,128}$/;

/** The ids that tie a request to its log line and to its caller's own traces. */
export interface Trace {
  readonly requestId: string;
  /** 32 hexadecimal digits (W3C Trace Context). */
  readonly traceId: string;
}

const traces = new WeakMap<Request, Trace>();

/** 32 random hexadecimal digits. Node makes UUIDs from randomness that it keeps ready, much faster than bytes. */
function hexDigits(): string {
  return randomUUID().replaceAll('-', '');
}

/** The trace of something whose caller sent no ids that can be read. */
export function newTrace(): Trace {
  return { requestId: randomUUID(), traceId: hexDigits() };
}

/**
 * Honours `X-Request-Id` and `traceparent` if they are well-formed, makes them otherwise, and answers both.
 *
 * @param spans where the request begins a span; undefined for none
 */
export function startTrace(
  request: Request,
  response: Response,
  spans: Spans | undefined,
): { readonly trace: Trace; readonly span: Span | undefined } {
  const sentId = request.get('x-request-id');
  const parent = request.get('traceparent');
  const sent = parseTraceparent(parent);
  const span = spans?.start({ name: request.method, kind: 'SERVER', parent: sent && parent });
  const fresh = newTrace();
  const trace = {
    requestId: sentId && REQUEST_ID.test(sentId) ? sentId : fresh.requestId,
    traceId: span?.traceId ?? sent?.traceId ?? fresh.traceId,
  };
  traces.set(request, trace);
  response.setHeader('X-Request-Id', trace.requestId);
  response.setHeader(
    'traceparent',
    span?.traceparent ?? `00-${trace.traceId}-${hexDigits().slice(0, 16)}-${sent?.flags ?? '01'}`,
  );
  return { trace, span };
}

/** The trace of a request; every request has one from its first middleware on. */
export function traceOf(request: Request): Trace {
  return traces.get(request) ?? { requestId: '', traceId: '' };
}
