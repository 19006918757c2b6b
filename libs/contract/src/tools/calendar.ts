// SPDX-License-Identifier: Apache-2.0
//
// Searches of a calendar that an administrator registered as a resource. The requests and their host come from its
// settings, which are part of the digest of a call.
import { Type } from 'typebox';
import { CalendarFound } from '../calendar/calendar-event.ts';
import { CALENDAR_QUERY_LIMITS } from '../calendar/query-limits.ts';
import type { BoundResource } from '../resources/resource-kinds.ts';
import type { CalendarSettings } from '../resources/resource-settings.ts';
import { EGRESS_LIMITS, type OutputLabel, type ToolDefinition, type ToolLimits } from './definition.ts';

const closed = { additionalProperties: false } as const;

/** The name of the resource that a call without its own means. */
export const DEFAULT_RESOURCE = 'default';

/** Events and mail belong to the tenant, and anybody who may send an invitation or a message writes them. */
export const CORRESPONDENCE_LABELS: readonly OutputLabel[] = [
  { label: 'private_data', when: 'always' },
  { label: 'untrusted_content', when: 'always' },
];

/** The largest reply of a calendar or of a session of IMAP is 16 MiB. Requests, heads and TLS fit beside it. */
export const CORRESPONDENCE_LIMITS: ToolLimits = { ...EGRESS_LIMITS, egress_bytes: 24 * 1024 * 1024 };

/** The schema of an argument that names a resource. */
export const resourceArgument = (kind: string) =>
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: `the ${kind}, by name or id; \`${DEFAULT_RESOURCE}\` by default`,
  });

/** RFC 3339 with an offset. Whether the day exists is checked by `faults`. */
const INSTANT = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/;
const Instant = (description: string) =>
  Type.String({ maxLength: 40, description: `${description}, such as \`2026-03-29T09:00:00+02:00\`` });

type Args = Readonly<Record<string, unknown>>;
type Problems = readonly { readonly pointer: string; readonly message: string }[];

export const CALENDAR_FIND: ToolDefinition = {
  tool_id: 'calendar.find',
  version: 1,
  description:
    'Finds the events of a calendar that overlap a range of time. Events that recur are expanded: each instance has its own start. Times have the offset of their zone. Texts of events are written by others.',
  category: 'read',
  class: 'broker',
  mutating: false,
  accepts_secrets: [],
  labels: CORRESPONDENCE_LABELS,
  limits: CORRESPONDENCE_LIMITS,
  own_service: true,
  parameters: Type.Object(
    {
      range: Type.Object(
        { start: Instant('the first moment'), end: Instant('the moment behind the last one') },
        { ...closed, description: `${CALENDAR_QUERY_LIMITS.days} days at most` },
      ),
      calendar: Type.Optional(resourceArgument('calendar')),
      text: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: CALENDAR_QUERY_LIMITS.textChars,
          description: 'part of the summary, the description or the location, in any case',
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: CALENDAR_QUERY_LIMITS.events, description: 'events; 50 by default' }),
      ),
      time_zone: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: "the IANA zone of whole days and of times without a zone; the calendar's own by default",
        }),
      ),
    },
    closed,
  ),
  result: CalendarFound,
  resources: () => [],
  faults: ({ range, time_zone }) => [
    ...rangeProblems(range as { readonly start: string; readonly end: string }),
    ...(typeof time_zone === 'string' && !isZone(time_zone)
      ? [{ pointer: '/time_zone', message: 'is no time zone of IANA, such as `Europe/Berlin`' }]
      : []),
  ],
  needs: 'calendar',
  targets: ({ calendar }) => [
    {
      kind: 'calendar',
      ref: typeof calendar === 'string' ? calendar : DEFAULT_RESOURCE,
      right: 'use',
      pointer: '/calendar',
      ...(calendar === undefined ? { implied: true as const } : {}),
    },
  ],
  bind: ([calendar]) => ({ ...CALENDAR_FIND, ...searchOf(calendar) }),
};

/** A search is one request: a file is fetched, and a collection is asked. */
function searchOf(calendar: BoundResource | undefined): Pick<ToolDefinition, 'requests'> {
  const { kind, url } = calendar?.settings as CalendarSettings;
  return { requests: (_args: Args) => [{ method: kind === 'ics' ? 'GET' : 'REPORT', url, purpose: '' }] };
}

function rangeProblems({ start, end }: { readonly start: string; readonly end: string }): Problems {
  const [first, behind] = [secondsOf(start), secondsOf(end)];
  const wrong = [
    ['/range/start', first],
    ['/range/end', behind],
  ] as const;
  const malformed = wrong.filter(([, seconds]) => seconds === null);
  if (first === null || behind === null)
    return malformed.map(([pointer]) => ({ pointer, message: 'is no time like `2026-03-29T09:00:00+02:00`' }));
  if (behind <= first) return [{ pointer: '/range/end', message: 'is not after the start' }];
  return behind - first > CALENDAR_QUERY_LIMITS.days * 86_400
    ? [{ pointer: '/range', message: `is longer than ${CALENDAR_QUERY_LIMITS.days} days: ask for less` }]
    : [];
}

/** Seconds since 1970; null for what is no time. `Date.parse` alone takes 30 February for a day of March. */
function secondsOf(text: string): number | null {
  if (!INSTANT.test(text) || text.startsWith('0000')) return null;
  const [milliseconds, day] = [Date.parse(text.toUpperCase()), Date.parse(`${text.slice(0, 10)}T00:00:00Z`)];
  if (Number.isNaN(milliseconds) || Number.isNaN(day)) return null;
  return new Date(day).toISOString().startsWith(text.slice(0, 10)) ? Math.floor(milliseconds / 1_000) : null;
}

function isZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9+_/-]*$/.test(name)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
