// SPDX-License-Identifier: Apache-2.0
import { isRest, type RouteRow } from '../requests/route.ts';

/** The methods that the path of a URL supports; none where no route has that path. */
export type AllowedMethods = (url: string) => string[];

const pathOf = (url: string): string => url.split('?', 1)[0] ?? '';

/**
 * Finds the methods that these routes support for a URL. A concrete path comes before one with parameters (OpenAPI
 * 3.1.1 §4.8.8.2): `/v1/sign-ins/own` is no session with the id `own`.
 */
export function allowedMethodsOf(routes: readonly RouteRow[]): AllowedMethods {
  const patterns = routes.map((row) => ({ row, pattern: patternOf(row) }));
  return (url) => {
    const path = pathOf(url);
    const matching = patterns.filter(({ pattern }) => pattern.test(path)).map(({ row }) => row);
    const concrete = matching.filter((row) => row.path === path);
    const methods = (concrete.length > 0 ? concrete : matching).map(({ method }) => method);
    return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
  };
}

/** Whether the URL is the concrete path of a route, so that it is no value of a parameter of another. */
export function concretePathsOf(routes: readonly RouteRow[]): (url: string) => boolean {
  const paths = new Set(routes.filter(({ params }) => params === undefined).map(({ path }) => path));
  return (url) => paths.has(pathOf(url));
}

function patternOf({ path, params = {} }: RouteRow): RegExp {
  const source = path
    .replaceAll('.', '\\.')
    .replaceAll(/\{([a-z_]+)\}/g, (_all, name: string) => (isRest(params[name]) ? '.+' : '[^/]+'));
  return new RegExp(`^${source}$`);
}
