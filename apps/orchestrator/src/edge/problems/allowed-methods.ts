// SPDX-License-Identifier: Apache-2.0
import { isRest, type RouteRow } from '../requests/route.ts';

/** The methods that the path of a URL supports; none where no route has that path. */
export type AllowedMethods = (url: string) => string[];

/** Finds the methods that these routes support for a URL. */
export function allowedMethodsOf(routes: readonly RouteRow[]): AllowedMethods {
  const patterns = routes.map((row) => ({ method: row.method, pattern: patternOf(row) }));
  return (url) => {
    const path = url.split('?', 1)[0] ?? '';
    const methods = patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
  };
}

function patternOf({ path, params = {} }: RouteRow): RegExp {
  const source = path
    .replaceAll('.', '\\.')
    .replaceAll(/\{([a-z_]+)\}/g, (_all, name: string) => (isRest(params[name]) ? '.+' : '[^/]+'));
  return new RegExp(`^${source}$`);
}
