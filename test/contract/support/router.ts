import { RequestMethod, type INestApplication, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants';
import { MetadataScanner, ModulesContainer, Reflector } from '@nestjs/core';
import { REQUIREMENT, type Requirement } from '../../../libs/access/src/requires.decorator';
import { PUBLIC } from '../../../libs/platform/src/http/public.decorator';

type Handler = (...args: never[]) => unknown;

/** A method and path of the running application, with the declarations of its handler. */
export interface Route {
  readonly method: string;
  /** Path in Express: `/b2b/v1/employe/:idExterne`. */
  readonly path: string;
  /** `GET /b2b/v1/employe/:idExterne` */
  readonly name: string;
  /** Undefined for a route without a controller of this repository. */
  readonly controller?: Type;
  readonly handler?: Handler;
  readonly requirement?: Requirement;
  readonly isPublic: boolean;
}

interface Layer {
  readonly rawPath: unknown;
  readonly route?: { readonly path: string | string[]; readonly methods: Record<string, boolean> };
}

/** Returns every route of the Express router, however it was registered. */
export function routesOf(app: INestApplication): Route[] {
  const handlers = handlersOf(app);
  return layersOf(app).flatMap(({ route }) => {
    if (!route) return [];
    return [route.path].flat().flatMap((path) =>
      Object.keys(route.methods).map((verb) => {
        const name = `${verb.toUpperCase()} ${path}`;
        return { method: verb.toUpperCase(), path, name, isPublic: false, ...handlers.get(name) };
      }),
    );
  });
}

/** Returns the paths where middleware is mounted with `app.use`, because it runs before all guards. */
export function mountsOf(app: INestApplication): string[] {
  return layersOf(app).flatMap(({ route, rawPath }) => (route || rawPath === '/' ? [] : [String(rawPath)]));
}

/** Returns a sentence for each route without a controller, without a declaration or with two that contradict. */
export function accessFaults(app: INestApplication): string[] {
  return routesOf(app).flatMap(({ name, controller, handler, requirement, isPublic }) => {
    if (!controller || !handler) return [`${name} was made by no controller, so no guard stands before it`];
    if (!requirement && !isPublic) return [`${name} declares neither @Requires nor @Public`];
    // @Public on a handler of a guarded controller is allowed, because it is explicit.
    const opened = Reflect.hasMetadata(PUBLIC, handler) && !Reflect.hasMetadata(REQUIREMENT, handler);
    return requirement && isPublic && !opened ? [`${name} declares both @Requires and @Public`] : [];
  });
}

/** Returns the routes that need a key: all except probes, metrics and documentation. */
export function guardedRoutes(app: INestApplication): (Route & { readonly requirement: Requirement })[] {
  return routesOf(app).flatMap((route) =>
    route.requirement && !route.isPublic ? [{ ...route, requirement: route.requirement }] : [],
  );
}

function layersOf(app: INestApplication): Layer[] {
  const express = app.getHttpAdapter().getInstance() as { router: { stack: Layer[] } };
  return express.router.stack;
}

function handlersOf(app: INestApplication): Map<string, Omit<Route, 'method' | 'path' | 'name'>> {
  const found = new Map<string, Omit<Route, 'method' | 'path' | 'name'>>();
  const reflector = app.get(Reflector);
  for (const module of app.get(ModulesContainer).values()) {
    for (const { metatype } of module.controllers.values()) {
      const controller = metatype as Type<Record<string, Handler>>;
      for (const method of new MetadataScanner().getAllMethodNames(controller.prototype as object)) {
        const handler = (controller.prototype as Record<string, Handler>)[method]!;
        const verb = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
        if (verb === undefined) continue;
        const declaredAt = [handler, controller];
        const requirement = reflector.getAllAndOverride<Requirement | undefined>(REQUIREMENT, declaredAt);
        const isPublic = reflector.getAllAndOverride<boolean | undefined>(PUBLIC, declaredAt) ?? false;
        for (const path of pathsOf(controller, handler)) {
          found.set(`${RequestMethod[verb]} ${path}`, {
            controller,
            handler,
            isPublic,
            ...(requirement ? { requirement } : {}),
          });
        }
      }
    }
  }
  return found;
}

function pathsOf(controller: Type, handler: Handler): string[] {
  const of = (target: object): string[] =>
    [Reflect.getMetadata(PATH_METADATA, target) as string | string[]].flat();
  return of(controller).flatMap((prefix) =>
    of(handler).map((part) => `/${[...prefix.split('/'), ...part.split('/')].filter(Boolean).join('/')}`),
  );
}
