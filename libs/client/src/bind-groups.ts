// SPDX-License-Identifier: Apache-2.0
import { entityTag } from '@writ/digest';
import { AnswerDownload } from './answer-download.ts';
import { listed, type ListPage } from './answers.ts';
import { newIdempotencyKey } from './idempotency.ts';
import type { RequestOptions } from './options.ts';
import { pathOf, type Query } from './paths.ts';
import type { RouteFacts } from './route-facts.ts';
import { eventsOf } from './server-events.ts';
import type { Transport, TransportRequest } from './transport.ts';

/** The methods of a group of routes, by their names. */
export type Methods = Readonly<Record<string, (...given: unknown[]) => unknown>>;

/**
 * Methods that send the requests of routes. Their parameters: those of the path in order, then the body, then the
 * query, then options.
 */
export function methodsOf(routes: Readonly<Record<string, RouteFacts>>, transport: Transport): Methods {
  return Object.fromEntries(
    Object.entries(routes).map(([name, facts]) => [name, (...given: unknown[]) => send(facts, given, transport)]),
  );
}

/** The parts of a request, from the arguments of its method. */
interface Given {
  readonly ids: readonly unknown[];
  readonly body: unknown;
  readonly query: Query;
  readonly options: RequestOptions;
}

function partsOf({ path, body, query }: RouteFacts, given: readonly unknown[]): Given {
  const count = path.match(/\{/g)?.length ?? 0;
  const rest = given.slice(count);
  return {
    ids: given.slice(0, count),
    body: body === undefined ? undefined : (rest.shift() ?? {}),
    query: (query === undefined ? undefined : (rest.shift() as Query | undefined)) ?? {},
    options: (rest.shift() as RequestOptions | undefined) ?? {},
  };
}

function send(facts: RouteFacts, received: readonly unknown[], transport: Transport): unknown {
  const given = partsOf(facts, received);
  // Made once: all attempts are one request.
  const request = requestOf(facts, given);
  const ask = (over: Partial<TransportRequest> = {}): Promise<Response> =>
    transport.send({ ...request(given.query), ...over }, given.options);
  switch (facts.answer) {
    case 'json':
      return ask().then((answer) => answer.json());
    case 'list':
      return listed(async (cursor) => {
        const page = request({ ...given.query, ...(cursor === undefined ? {} : { cursor }) });
        return (await (await transport.send(page, given.options)).json()) as ListPage;
      });
    case 'download':
      return ask({ isStream: true }).then((answer) => new AnswerDownload(answer));
    case 'events':
      return follow(() => ask({ isStream: true }));
  }
}

async function* follow(open: () => Promise<Response>): AsyncGenerator<unknown, void, undefined> {
  yield* eventsOf(await open());
}

function requestOf(facts: RouteFacts, { ids, body, options }: Given): (query: Query) => TransportRequest {
  const { method, path, rest } = facts;
  const { headers, ...sent } = keyed(facts, body, options.idempotencyKey);
  const condition: Record<string, string> =
    options.ifMatch === undefined ? {} : { 'if-match': `"${tagOf(options.ifMatch)}"` };
  return (query) => ({
    method,
    path: pathOf(path, ids, rest, query),
    canRepeat: method === 'GET' || facts.keyed !== undefined || facts.repeatable === true,
    ...sent,
    headers: { ...headers, ...condition },
  });
}

/** What a server compares is the hash of what it shows, so the answer itself is enough. */
const tagOf = (seen: object | string): string => (typeof seen === 'string' ? seen : entityTag(seen));

/** Body and headers of a request, with an idempotency key where the request takes one. */
function keyed(
  { body: kind, keyed: place }: RouteFacts,
  body: unknown,
  key: string | undefined,
): Pick<TransportRequest, 'body' | 'headers'> {
  if (kind === undefined) return {};
  if (kind !== 'json') return { body: body as Uint8Array, headers: { 'content-type': kind } };
  const members = body as Readonly<Record<string, unknown>>;
  const isMissing = place !== undefined && members['idempotency_key'] === undefined;
  const newKey = isMissing ? (key ?? newIdempotencyKey()) : undefined;
  return {
    body: JSON.stringify(newKey !== undefined && place === 'body' ? { ...members, idempotency_key: newKey } : members),
    headers: {
      'content-type': 'application/json',
      ...(newKey !== undefined && place === 'header' ? { 'idempotency-key': newKey } : {}),
    },
  };
}
