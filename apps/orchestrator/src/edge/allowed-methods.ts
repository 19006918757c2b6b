// SPDX-License-Identifier: Apache-2.0
import { isRest, type RouteRow } from './route.ts';
import { ROUTES } from '../api/routes.ts';

const PATTERNS = ROUTES.map((row) => ({ method: row.method, pattern: patternOf(row) }));

/** The methods that the path of a URL takes; none where it isn't of any route. */
export function allowedMethods(url: string): string[] {
  const path = url.split('?', 1)[0] ?? '';
  const methods = PATTERNS.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  return [...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))];
}

function patternOf({ path, params = {} }: RouteRow): RegExp {
  const source = path
    .replaceAll('.', '\\.')
    .replaceAll(/\{([a-z_]+)\}/g, (_all, name: string) => (isRest(params[name]) ? '.+' : '[^/]+'));
  return new RegExp(`^${source}$`);
}
