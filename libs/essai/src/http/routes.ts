import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Request } from 'express';
import { invalidRequest } from '#platform/errors/domain-error';
import { fr } from '#platform/errors/text';

interface Layer {
  readonly route?: { readonly path: string; readonly methods: Readonly<Record<string, boolean>> };
}

/** Routes of partners that may fail on demand. Those of rehearsals may not, because they end failures. */
const FAILING = /^\/b2b\/(?!v2\/essai\/)/;

/** Names of routes, as in the OpenAPI document: `GET /b2b/v1/employeur/{idExterne}`. */
@Injectable()
export class Routes {
  private known: ReadonlySet<string> | undefined;

  constructor(private readonly adapter: HttpAdapterHost) {}

  static nameOf({ method, route }: Request): string {
    return nameOf(method === 'HEAD' ? 'GET' : method, (route as { path: string }).path);
  }

  /** @throws DomainError `Requete.Invalide` for another route than those of partners */
  assertFailing(name: string): void {
    this.known ??= this.read();
    if (this.known.has(name)) return;
    const detail = {
      en: 'must be the method and the path of a route of partners as in the OpenAPI document, such as `POST /b2b/v2/sync`; routes under `/b2b/v2/essai` do not fail',
      fr: fr(
        'doit être la méthode et le chemin d’une route des partenaires comme dans le document OpenAPI, par exemple `POST /b2b/v2/sync`; les routes sous `/b2b/v2/essai` n’échouent pas',
      ),
    };
    throw invalidRequest([{ pointer: '/route', code: 'reference', detail }]);
  }

  private read(): ReadonlySet<string> {
    const { router } = this.adapter.httpAdapter.getInstance<{ router: { stack: readonly Layer[] } }>();
    const names = router.stack.flatMap(({ route }) =>
      route && FAILING.test(route.path)
        ? Object.keys(route.methods).map((method) => nameOf(method.toUpperCase(), route.path))
        : [],
    );
    return new Set(names);
  }
}

const nameOf = (method: string, path: string): string =>
  `${method} ${path.replace(/:(\w+)/g, (_part, name: string) => `{${name}}`)}`;
