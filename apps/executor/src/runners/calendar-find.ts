// SPDX-License-Identifier: Apache-2.0
import { Calendar, CalendarError, type CalendarCredentials, type SendCalendarRequest } from '@writ/calendar';
import type { CalendarFound, CalendarSettings } from '@writ/contract';
import { parseUrl } from '@writ/egress';
import type { Call, RunContext } from '../calls/runner.ts';
import type { CallGate, Headers } from '../egress/call-gate.ts';
import { GateRefusal } from '../egress/gate-refusal.ts';
import { secretOf, verifyPrivate } from './resource-secret.ts';
import { exchangeWhole } from './whole-exchange.ts';

const EVENTS_DEFAULT = 50;
/** Several times what the search of the longest calendar takes on a busy machine. */
const SEARCH_MS = 20_000;

interface FindArgs {
  readonly range: { readonly start: string; readonly end: string };
  readonly text?: string;
  readonly limit?: number;
  readonly time_zone?: string;
}

/**
 * Runs `calendar.find` at the calendar of the call. The reply is attacker-controlled, so that a worker thread reads it.
 * @throws CalendarError, GateRefusal
 */
export async function calendarFind(
  call: Call,
  gate: CallGate,
  { signal, work }: Pick<RunContext, 'signal' | 'work'>,
): Promise<CalendarFound> {
  const settings = call.resources[0]?.settings as CalendarSettings | undefined;
  if (settings === undefined) throw new Error('a search of a calendar came without its calendar');
  const { range, text, limit = EVENTS_DEFAULT, time_zone } = call.args as unknown as FindArgs;
  const credentials = credentialsOf(call, settings);
  const calendar = new Calendar({
    settings,
    credentials,
    send: senderThrough(gate, credentials !== null),
    search: async (search) => {
      const input = { search, bytesMax: call.limits.output_bytes, named: call.values?.named ?? [] };
      const done = await work.run('calendar.search', input, SEARCH_MS);
      if ('failed' in done) throw new CalendarError(done.failed.reason, done.failed.message);
      return done.found;
    },
  });
  try {
    return await calendar.find({ from: range.start, to: range.end }, { text, limit, floating_zone: time_zone }, signal);
  } catch (error) {
    // What the gate says is more than that there was no reply.
    throw error instanceof CalendarError && error.cause instanceof GateRefusal ? error.cause : error;
  }
}

function credentialsOf(call: Call, settings: CalendarSettings): CalendarCredentials | null {
  if (settings.kind === 'caldav')
    return { scheme: 'basic', username: settings.username, password: secretOf(call, settings.secret) };
  return settings.secret === undefined ? null : { scheme: 'bearer', token: secretOf(call, settings.secret) };
}

/** Sends requests through the gate. A REPORT reads, like a GET (RFC 3253, section 3.6). */
function senderThrough(gate: CallGate, hasCredentials: boolean): SendCalendarRequest {
  return async ({ method, url, headers, body, replyBytesMax, signal }) => {
    const target = parseUrl(url);
    if (hasCredentials) verifyPrivate(target);
    const sent: Headers = [
      ...Object.entries(headers),
      ['accept-encoding', 'identity'],
      ['user-agent', 'writ'],
      ...(body === null ? [] : [['content-length', String(body.length)] as const]),
    ];
    const request = { method, target, headers: sent, body, isSafe: true, replyBytesMax };
    const reply = await exchangeWhole(gate, request, signal);
    if (reply.truncated) throw new CalendarError('too_large', `the server answered more than ${replyBytesMax} bytes`);
    return { status: reply.status, body: reply.body };
  };
}
