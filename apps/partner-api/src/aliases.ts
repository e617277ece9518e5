import type { NextFunction, Request, Response } from 'express';

/** Paths that the release notes name (docs/contract.md, "Path aliases"), and what each answers as. First match wins. */
const ALIASES: readonly [pattern: RegExp, replacement: string][] = [
  [/^\/api\/b2b\/v2\/employes(?=[/?]|$)/, '/b2b/v2/employe'],
  [/^\/api\/b2b\/v2\/adhesions(?=[/?]|$)/, '/b2b/v2/adhesion'],
  [/^\/api\/b2b\/v2(?=\/)/, '/b2b/v2'],
  [/^\/api\/b2b\/employes(?=[/?]|$)/, '/b2b/v1/employe'],
];

/** Lets a request to an alias run as if it had named the path itself. */
export function rewriteAliases(request: Request, _response: Response, next: NextFunction): void {
  for (const [pattern, replacement] of ALIASES) {
    if (pattern.test(request.url)) {
      request.url = request.url.replace(pattern, replacement);
      break;
    }
  }
  next();
}
