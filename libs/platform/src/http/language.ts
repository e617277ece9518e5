import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Response } from 'express';
import type { IncomingMessage } from 'node:http';
import Negotiator from 'negotiator';
import { type Language, LANGUAGES } from '../errors/text';

/** Returns the language in which a caller gets messages, by `Accept-Language` (RFC 9110, section 12.5.4). */
export function languageOf(request: IncomingMessage): Language {
  return (new Negotiator(request).language([...LANGUAGES]) as Language | undefined) ?? LANGUAGES[0];
}

/** Headers of a response whose messages are in one of the languages. */
export function languageHeaders(language: Language): Readonly<Record<'Content-Language' | 'Vary', string>> {
  return { 'Content-Language': language, Vary: 'Accept-Language' };
}

/** Describes `Content-Language`, for the OpenAPI documents. */
export const CONTENT_LANGUAGE = {
  'Content-Language': {
    description: 'Language of the messages: `en` or `fr`.',
    schema: { type: 'string' as const },
  },
};

/** Names the language of a response's messages. */
export function announceLanguage(response: Response, language: Language): void {
  response.setHeader('Content-Language', language);
  response.vary('Accept-Language');
}

/** A parameter of a handler: the language of the caller's messages. */
export const CallerLanguage = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  languageOf(context.switchToHttp().getRequest<IncomingMessage>()),
);
