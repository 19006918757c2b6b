// SPDX-License-Identifier: Apache-2.0
// Conditional requests (RFC 9110 §13), attacker-controlled.
import type { IncomingHttpHeaders } from 'node:http';
import { Fault, IF_MATCH_MAX } from '@writ/contract';
import type { RequestInputOf, RouteRow } from './route.ts';

type Conditions = Pick<RequestInputOf<RouteRow>, 'ifMatch' | 'ifAbsent'>;

/** One entity tag: weak ones never match a change. */
const TAG = /^(W\/)?"([\x21\x23-\x7e]{0,128})"$/;

const NONE: Conditions = { ifMatch: null, ifAbsent: false };

/**
 * The condition of a change. INVARIANT (no change without its condition): a route that compares no tags refuses a
 * request that names some. @throws Fault `request.malformed`
 */
export function conditionsOf(row: Pick<RouteRow, 'method' | 'tagged'>, headers: IncomingHttpHeaders): Conditions {
  if (row.method === 'GET') return NONE;
  const { 'if-match': match, 'if-none-match': none } = headers;
  if (match === undefined && none === undefined) return NONE;
  if (row.tagged === undefined)
    throw new Fault('request.malformed', 'this route takes neither `If-Match` nor `If-None-Match`; leave them out');
  if (none !== undefined && (row.tagged !== 'file' || row.method !== 'PUT' || none.trim() !== '*'))
    throw new Fault('request.malformed', '`If-None-Match` of a change is `*`, with `PUT` of a file; leave it out');
  if (match === undefined) return { ifMatch: null, ifAbsent: true };
  if (none !== undefined)
    throw new Fault('request.malformed', '`If-Match` and `If-None-Match` exclude each other; send one of them');
  return { ifMatch: parseIfMatch(match, row), ifAbsent: false };
}

/** Null for `*` where every change needs the thing to be there anyway. */
function parseIfMatch(text: string, { tagged, method }: Pick<RouteRow, 'method' | 'tagged'>): readonly string[] | null {
  if (text.trim() === '*') {
    if (tagged === 'view' || method === 'DELETE') return null;
    throw new Fault('request.malformed', '`If-Match: *` is not taken for a file; name its `ETag`');
  }
  const tags = text.split(',').map((each) => TAG.exec(each.trim()));
  if (tags.length > IF_MATCH_MAX || tags.some((tag) => tag === null))
    throw new Fault(
      'request.malformed',
      `\`If-Match\` is \`*\` or up to ${IF_MATCH_MAX} entity tags in quotation marks, as \`ETag\` has them`,
    );
  // A weak tag stays one that no state has.
  return tags.map((tag) => (tag?.[1] === undefined ? (tag?.[2] ?? '') : `W/${tag[2] ?? ''}`.slice(0, 128)));
}

/** Whether `If-None-Match` of a read names the tag, so that the client has what it would get. */
export function isNamedIn(ifNoneMatch: string | undefined, etag: string): boolean {
  return (
    ifNoneMatch !== undefined &&
    (ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((each) => each.trim().replace(/^W\//, '') === etag))
  );
}

/** The condition as members of a message to the kernel; none where the request has none. */
export function conditionMembers({ ifMatch, ifAbsent }: Conditions): { if_match?: string[]; if_absent?: true } {
  return { ...(ifMatch === null ? {} : { if_match: [...ifMatch] }), ...(ifAbsent ? { if_absent: true } : {}) };
}
