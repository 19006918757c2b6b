// SPDX-License-Identifier: Apache-2.0
// Conditional requests (RFC 9110 §13), attacker-controlled.
import type { IncomingHttpHeaders } from 'node:http';
import { ANY_STATE, Fault, IF_MATCH_MAX } from '@writ/contract';
import type { RequestInputOf, RouteRow } from './route.ts';

type Conditions = Pick<RequestInputOf<RouteRow>, 'ifMatch' | 'ifAbsent'>;

/** One entity tag: weak ones never match a change. */
const TAG_CHARS_MAX = 128;
const TAG = /^(W\/)?"([\x21\x23-\x7e]{0,128})"$/;

type ConditionalRow = Pick<RouteRow, 'method' | 'tagged' | 'makes'>;

const NONE: Conditions = { ifMatch: null, ifAbsent: false };

/**
 * The condition of a change. INVARIANT (no change without its condition): a route that compares no tags refuses a
 * request that names some. @throws Fault `request.malformed`
 */
export function conditionsOf(row: ConditionalRow, headers: IncomingHttpHeaders): Conditions {
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
function parseIfMatch(text: string, { makes }: ConditionalRow): readonly string[] | null {
  if (text.trim() === ANY_STATE) return makes === true ? [ANY_STATE] : null;
  const tags = text.split(',').map((each) => TAG.exec(each.trim()));
  if (tags.length > IF_MATCH_MAX || tags.some((tag) => tag === null))
    throw new Fault(
      'request.malformed',
      `\`If-Match\` is \`*\` or up to ${IF_MATCH_MAX} entity tags in quotation marks, as \`ETag\` has them`,
    );
  return tags.map((tag) => namedTag(tag?.[2] ?? '', tag?.[1] !== undefined));
}

/** A weak tag stays one that no state has, and so does a tag that reads like any state. */
const namedTag = (tag: string, isWeak: boolean): string =>
  isWeak || tag === ANY_STATE ? `W/${tag}`.slice(0, TAG_CHARS_MAX) : tag;

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
