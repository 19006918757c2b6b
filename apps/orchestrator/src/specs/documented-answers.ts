// SPDX-License-Identifier: Apache-2.0
import { isRest, type RouteRow } from '../edge/requests/route.ts';
import { ROUTES } from '../api/routes.ts';
import { NAMED } from '../api/named-schemas.ts';
import { operationOf } from '../edge/openapi/operation.ts';
import { SchemaWriter } from '../edge/openapi/schemas.ts';

/** A route, and the statuses that its document lists. */
interface Documented {
  readonly row: RouteRow;
  readonly path: RegExp;
  readonly statuses: ReadonlySet<string>;
}

const paramsOf = ({ row: { params = {} } }: Documented): number => Object.keys(params).length;

/**
 * Routes with fewer path parameters come first, so that `/v1/policies/diff` is not matched as a policy named `diff`.
 */
const SCHEMAS = new SchemaWriter(NAMED);
const DOCUMENTED: readonly Documented[] = ROUTES.map((row: RouteRow): Documented => {
  const statuses = new Set(Object.keys(operationOf(row, SCHEMAS)['responses'] as object));
  return { row, path: patternOf(row), statuses };
}).toSorted((a, b) => paramsOf(a) - paramsOf(b));

function patternOf({ path, params = {} }: RouteRow): RegExp {
  const filled = path
    .replaceAll('.', '\\.')
    .replaceAll(/\{([a-z_]+)\}/g, (_all, name: string) => (isRest(params[name]) ? '.+' : '[^/]+'));
  return new RegExp(`^${filled}$`);
}

/**
 * Returns the answer of a route that the API's document doesn't list; null where it does, and where no route matches.
 */
export function undocumentedAnswer(method: string, url: string, status: number): string | null {
  const [path = ''] = url.split('?');
  // A concrete path is no value of a parameter, whatever its methods.
  const isConcrete = DOCUMENTED.some(({ row }) => row.path === path);
  const asked = DOCUMENTED.find(
    (each) => each.row.method === method && (isConcrete ? each.row.path === path : each.path.test(path)),
  );
  return asked === undefined || asked.statuses.has(String(status))
    ? null
    : `${asked.row.id} answered ${String(status)}`;
}
