// SPDX-License-Identifier: Apache-2.0
import { FAULTS, type FaultCode } from '@writ/contract';
import type { Problem } from '../problems/problem.ts';

/** A version of the API by its date, and how what is newer is shown to those who ask for the version before it. */
export interface ApiVersion {
  readonly date: string;
  /** what changed, for the documentation */
  readonly note: string;
  /** turns a problem of this version into one of the version before; pure */
  readonly problemBefore?: (problem: Problem) => Problem;
}

/** The first dated version. It has no version before it. */
const FIRST: ApiVersion = { date: '2026-12-01', note: 'The first version with a date.' };

/**
 * All versions that are served, newest first. INVARIANT (no hole): a change that may break a client has an entry here,
 * and each entry knows the way back to the one below it. So an old version is made from the newest step by step.
 */
export const API_VERSIONS: readonly [ApiVersion, ...ApiVersion[]] = [
  {
    date: '2026-12-02',
    note: '`title` of a problem is the short name of its kind, no longer its message. An error in the query is `query.invalid`, no longer `request.malformed`. A path without a route is `route.unknown`, no longer `not_found`.',
    problemBefore: problemBeforeTitles,
  },
  FIRST,
];

export const NEWEST: string = API_VERSIONS[0].date;

export const isApiVersion = (text: string): boolean => API_VERSIONS.some(({ date }) => date === text);

const FORMER_CODES: Partial<Record<FaultCode, FaultCode>> = {
  'query.invalid': 'request.malformed',
  'route.unknown': 'not_found',
};

/** Messages that had another text: the table has the present one. */
const FORMER_MESSAGES: Partial<Record<FaultCode, string>> = { 'request.malformed': 'the request body is not valid' };

function problemBeforeTitles(problem: Problem): Problem {
  const now = problem.code as FaultCode;
  const code = FORMER_CODES[now] ?? now;
  const title = FORMER_MESSAGES[code] ?? FAULTS[code].message;
  // "Not there" had one text alone.
  const detail = now === 'route.unknown' ? title : problem.detail;
  return { ...problem, type: `https://writ.dev/errors/${code}`, code, title, detail };
}

/** The problem as a version shows it. */
export function problemIn(version: string, problem: Problem): Problem {
  let shown = problem;
  for (const { date, problemBefore } of API_VERSIONS) {
    if (date === version) return shown;
    shown = problemBefore?.(shown) ?? shown;
  }
  throw new Error(`there is no version \`${version}\``);
}

/** How long a version is served after a newer one appeared, in months. */
const SUPPORT_MONTHS = 24;

/**
 * Headers of an answer in a version: which it is, and for an old one since when it is deprecated (RFC 9745) and when it
 * ends (RFC 8594).
 */
export function versionHeaders(version: string): Record<string, string> {
  const at = API_VERSIONS.findIndex(({ date }) => date === version);
  const newer = API_VERSIONS[at - 1];
  if (newer === undefined) return { 'writ-version': version };
  const since = new Date(`${newer.date}T00:00:00Z`);
  const until = new Date(since);
  until.setUTCMonth(until.getUTCMonth() + SUPPORT_MONTHS);
  return { 'writ-version': version, deprecation: `@${since.getTime() / 1_000}`, sunset: until.toUTCString() };
}
