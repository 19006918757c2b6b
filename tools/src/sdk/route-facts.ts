// SPDX-License-Identifier: Apache-2.0
import type { Api, ApiRoute, Schema } from './api-document.ts';
import { groupOf, methodOf, WITHOUT_METHOD } from './method-names.ts';

/** What the client knows of a route, as the compiler holds it against the client's own type. */
export interface RouteFacts {
  readonly method: string;
  readonly path: string;
  readonly rest?: readonly string[];
  readonly body?: string;
  readonly query?: true;
  readonly answer: 'json' | 'list' | 'download' | 'events';
  readonly keyed?: 'header' | 'body';
  readonly repeatable?: true;
}

/**
 * Operations that change something, and of which the same request may arrive twice without a key. A permit is redeemed
 * by one nonce, which gets the same answer again. To renew twice is to renew, and a repeated report gets the outcome of
 * the first one. `tests/e2e/src/shared/functions.spec.ts` asks each of them twice.
 */
export const REPEATABLE: ReadonlySet<string> = new Set(['redeemPermit', 'renewLease', 'reportFunction']);

/** A method of the client, with the route that it sends. */
export interface Method {
  readonly name: string;
  readonly group: string;
  readonly route: ApiRoute;
  readonly facts: RouteFacts;
}

/** The methods of all routes. @throws Error for two methods of one name */
export function methodsOf({ routes, schemas }: Api): Method[] {
  const names = new Map<string, string>();
  return routes
    .filter(({ operationId }) => !WITHOUT_METHOD.has(operationId))
    .map((route) => {
      const [group, name] = [groupOf(route), methodOf(route)];
      const taken = names.get(`${group}.${name}`);
      if (taken !== undefined)
        throw new Error(`\`${taken}\` and \`${route.operationId}\` would both be the method \`${group}.${name}\``);
      names.set(`${group}.${name}`, route.operationId);
      return { name, group, route, facts: factsOf(route, schemas) };
    });
}

/** Answers that are a success, by their media types. */
function answersOf({ responses }: ApiRoute): [string, Schema | undefined][] {
  return Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([, { content = {} }]) => Object.entries(content).map(([media, { schema }]) => [media, schema] as never));
}

/** The schemas of the JSON answers. */
export const jsonAnswersOf = (route: ApiRoute): Schema[] =>
  answersOf(route).flatMap(([media, schema]) => (media === 'application/json' && schema !== undefined ? [schema] : []));

function answerOf(route: ApiRoute, schemas: Api['schemas']): RouteFacts['answer'] {
  const media = answersOf(route).map(([type]) => type);
  if (media.includes('application/json') || media.length === 0) return isList(route, schemas) ? 'list' : 'json';
  return media[0] === 'text/event-stream' ? 'events' : 'download';
}

/** Whether the answer is a page of a list. */
function isList(route: ApiRoute, schemas: Api['schemas']): boolean {
  const [answer] = jsonAnswersOf(route);
  const name = typeof answer?.['$ref'] === 'string' ? answer['$ref'].slice(answer['$ref'].lastIndexOf('/') + 1) : null;
  const properties = ((name === null ? answer : schemas[name])?.['properties'] ?? {}) as object;
  const hasCursor = route.parameters.some((one) => one.in === 'query' && one.name === 'cursor');
  return hasCursor && 'items' in properties && 'next_cursor' in properties;
}

/** What the client must know of a route. */
function factsOf(route: ApiRoute, schemas: Api['schemas']): RouteFacts {
  const { method, path, parameters } = route;
  const rest = parameters.filter(isRest).map(({ name }) => name);
  const [media] = Object.keys(route.requestBody?.content ?? {});
  const keyed = keyedBy(route);
  return {
    method,
    path,
    ...(rest.length === 0 ? {} : { rest }),
    ...(media === undefined ? {} : { body: media === 'application/json' ? 'json' : media }),
    ...(parameters.some((one) => one.in === 'query') ? { query: true as const } : {}),
    answer: answerOf(route, schemas),
    ...(keyed === undefined ? {} : { keyed }),
    ...(REPEATABLE.has(route.operationId) ? { repeatable: true as const } : {}),
  };
}

/** Its description says so: OpenAPI has no other way for a parameter that contains `/`. */
const isRest = ({ in: place, schema }: ApiRoute['parameters'][number]): boolean =>
  place === 'path' && /its `\/` (?:need no|are not) percent-encod/.test(String(schema['description']));

function keyedBy({ parameters, requestBody }: ApiRoute): RouteFacts['keyed'] {
  if (parameters.some((one) => one.in === 'header' && one.name === 'Idempotency-Key')) return 'header';
  const properties = (requestBody?.content['application/json']?.schema?.['properties'] ?? {}) as object;
  return 'idempotency_key' in properties ? 'body' : undefined;
}
