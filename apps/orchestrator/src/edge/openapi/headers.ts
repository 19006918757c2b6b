// SPDX-License-Identifier: Apache-2.0
import type { RouteRow } from '../requests/route.ts';

const TEXT = { type: 'string' };

/** Headers that the document describes once. */
export const HEADERS = {
  'Writ-Version': { description: 'the version of the API that the answer is of', schema: TEXT },
  'RateLimit-Policy': {
    description:
      'the rates of the tenant and, if bounded, of the person: `q` requests at once, and a full refill in `w` seconds (draft-ietf-httpapi-ratelimit-headers)',
    schema: TEXT,
  },
  RateLimit: {
    description: 'of each rate, `r` requests that are left, and `t` seconds until it has refilled',
    schema: TEXT,
  },
  'Retry-After': { description: 'seconds after which a retry makes sense', schema: TEXT },
  'Writ-Outcome': {
    description:
      '`refused`: nothing of the call was done; `failed`: it was tried, and nothing of it stays; `held`: a person must decide; `running`: it is under way; `unknown`: an effect outside was started, and its end is not known',
    schema: { $ref: '#/components/schemas/CallOutcome' },
  },
  'Writ-Fault': { description: 'the code of the fault, where there is one', schema: TEXT },
  'Writ-Operation-Id': { description: 'the operation of the call', schema: TEXT },
  'Idempotent-Replayed': { description: '`true`: the call was made before with this key', schema: TEXT },
  Location: { description: 'the path of what was made', schema: TEXT },
  ETag: { description: 'the tag of the state that is shown: for `If-Match` and `If-None-Match`', schema: TEXT },
  'Writ-File-Kind': { description: '`file`, `dir` or `symlink`', schema: TEXT },
  'Writ-File-Mode': { description: '`644` or `755`; of a file', schema: TEXT },
} as const;
type HeaderName = keyof typeof HEADERS;

/** Routes whose answers say how a call stands. */
const OF_CALLS: ReadonlySet<string> = new Set([
  'proposeToolCall',
  'runTurn',
  'readOperation',
  'cancelOperation',
  'resolveOperation',
]);

/** The headers of an answer that isn't a problem. */
export function headerNames({ id, allowed, method, tagged }: RouteRow, status: string): HeaderName[] {
  return [
    'Writ-Version',
    ...(allowed === 'public' ? [] : (['RateLimit-Policy', 'RateLimit'] as const)),
    ...(OF_CALLS.has(id) ? (['Writ-Outcome', 'Writ-Fault'] as const) : []),
    ...(id === 'proposeToolCall' ? (['Writ-Operation-Id', 'Idempotent-Replayed'] as const) : []),
    ...(id === 'proposeToolCall' && status === '202' ? (['Location'] as const) : []),
    ...(tagged !== undefined && tagged !== 'reply' && method !== 'DELETE' ? (['ETag'] as const) : []),
    ...(id === 'downloadFile' ? (['Writ-File-Kind', 'Writ-File-Mode'] as const) : []),
  ];
}

/** Headers by reference, as an answer lists them. */
export function headersOf(names: readonly HeaderName[]): Record<string, unknown> {
  if (names.length === 0) return {};
  return { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) };
}
