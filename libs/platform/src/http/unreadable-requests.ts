import { REQUETE } from '../errors/platform.errors';
import type { NextFunction, Request, Response } from 'express';
import { maxHeaderSize, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { DomainError, invalidRequest } from '../errors/domain-error';
import { problemOf } from './problem.filter';
import { RequestTimes } from '../limits/request-times';
import { newTrace } from './tracing';
import { fr } from '../errors/text';

/** An error of Node's HTTP parser, with the bytes that it was reading. */
type ParserFault = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/**
 * Answers bytes that are not HTTP, which never reach the application, with problem details like every other refusal
 * (docs/contract.md, "Errors"), and closes their connection.
 */
export function answerUnreadableRequests(server: Server, publicUrl: string, logger: Logger): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.prependListener('request', (request, response) => {
    latest.set(request.socket, response);
    request.url = originForm(request.url ?? '');
  });
  server.on('clientError', (fault: ParserFault, socket) => {
    const response = latest.get(socket);
    const isMidAnswer = response?.headersSent === true && !response.writableFinished;
    if (fault.code === 'ECONNRESET' || !socket.writable || isMidAnswer) {
      socket.destroy();
      return;
    }
    const times = new RequestTimes();
    const error = refusalOf(fault.code ?? '');
    const trace = newTrace();
    // Its headers are not known, and so neither is the language.
    const problem = problemOf(error, trace, publicUrl, 'en');
    logger.info({ ...trace, status: problem.status, fault: fault.code }, 'unreadable request');
    const body = JSON.stringify(problem);
    socket.end(
      [
        `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
        'Content-Type: application/problem+json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${trace.requestId}`,
        `Server-Timing: ${times.header}`,
        'Content-Language: en',
        'Cache-Control: no-store',
        'Connection: close',
        '',
        // An answer to HEAD has no body, and its reader would take one for the begin of the next answer.
        fault.rawPacket?.toString('latin1', 0, 5) === 'HEAD ' ? '' : body,
      ].join('\r\n'),
    );
  });
  // RFC 9110, section 10.1.1: an expectation that is not understood may be ignored.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  // Node would answer a missing Host itself, without problem details; `requireHost` does it instead.
  Object.assign(server, { requireHostHeader: false });
}

/**
 * The target without the origin that its absolute form begins with (RFC 9112, section 3.2.2). One that cannot be parsed
 * becomes one that leads nowhere: Express would answer it with a page of its own.
 */
function originForm(target: string): string {
  if (target.startsWith('/') || target === '*') return target;
  const url = /^https?:/i.test(target) && URL.parse(target);
  return url ? url.pathname + url.search : '/';
}

/** Refuses HTTP/1.1 without the Host that RFC 9112, section 3.2 demands. */
export function requireHost(request: Request, _response: Response, next: NextFunction): void {
  if (request.httpVersion !== '1.1' || request.headers.host !== undefined) return next();
  const detail = { en: 'is required in HTTP/1.1', fr: fr('est obligatoire en HTTP/1.1') };
  next(invalidRequest([{ pointer: 'Host', code: 'header', detail }]));
}

/** @param fault code of Node's HTTP parser */
function refusalOf(fault: string): DomainError {
  if (fault === 'ERR_HTTP_REQUEST_TIMEOUT' || fault === 'HPE_INVALID_EOF_STATE')
    return new DomainError(REQUETE.Interrompue);
  if (fault === 'HPE_HEADER_OVERFLOW') {
    const detail = {
      en: `Address and headers together must have at most ${maxHeaderSize} bytes.`,
      fr: fr`L'adresse et les en-têtes ensemble doivent avoir au plus ${maxHeaderSize} octets.`,
    };
    return new DomainError(REQUETE.Invalide, detail);
  }
  return new DomainError(REQUETE.Invalide, {
    en: 'The request is not valid HTTP.',
    fr: fr("La requête n'est pas du HTTP valide."),
  });
}
