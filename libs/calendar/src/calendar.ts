// SPDX-License-Identifier: Apache-2.0
import type { CalendarSettings } from '@writ/contract';
import { CalendarError } from './calendar-error.ts';
import type { CalendarFound } from '@writ/contract';
import { parseQuery, type CalendarRange, type CalendarSearch, type ParsedQuery } from './calendar-query.ts';
import { calendarQueryReport } from './caldav/calendar-query-report.ts';
import type { CalendarCredentials, CalendarRequest, SendCalendarRequest } from './http.ts';
import { CALENDAR_LIMITS } from './ics/read-calendar.ts';
import type { ReplySearch } from './search-reply.ts';

export interface CalendarOptions {
  readonly settings: Pick<CalendarSettings, 'kind' | 'url'>;
  /** null: requests say nothing about who asks */
  readonly credentials: CalendarCredentials | null;
  readonly send: SendCalendarRequest;
  /**
   * Runs `searchReply`. Its cost depends on the reply, so implementations MUST run it where it delays nobody: on a
   * worker thread with a limit on time and memory.
   */
  readonly search: (work: ReplySearch, signal: AbortSignal) => Promise<CalendarFound>;
  /** time for a reply; 30 seconds by default */
  readonly replyMs?: number | undefined;
}

const REPLY_MS = 30_000;

/** A calendar of a CalDAV server, or of a file in the format iCalendar that a server has. */
export class Calendar {
  readonly #options: CalendarOptions;
  readonly #url: string;
  readonly #authorization: Readonly<Record<string, string>>;

  /** @throws CalendarError `invalid_source` */
  constructor(options: CalendarOptions) {
    this.#options = options;
    this.#url = checkedUrl(options.settings.url);
    this.#authorization = options.credentials === null ? {} : { authorization: authorizationOf(options.credentials) };
  }

  /**
   * The events in a range, by their start: one request.
   * @throws CalendarError; what `search` throws; the signal's reason
   */
  async find(range: CalendarRange, search: CalendarSearch, signal: AbortSignal): Promise<CalendarFound> {
    signal.throwIfAborted();
    const query = parseQuery(range, search);
    const { kind } = this.#options.settings;
    const late = AbortSignal.timeout(this.#options.replyMs ?? REPLY_MS);
    const body = await this.#send(this.#requestOf(query, AbortSignal.any([signal, late])), signal);
    const format = kind === 'caldav' ? 'multistatus' : 'ics';
    return await this.#options.search({ format, body, query }, signal);
  }

  #requestOf({ from, to }: ParsedQuery, signal: AbortSignal): CalendarRequest {
    const common = { url: this.#url, replyBytesMax: CALENDAR_LIMITS.bytes, signal };
    if (this.#options.settings.kind === 'ics')
      return { ...common, method: 'GET', headers: { ...this.#authorization, accept: 'text/calendar' }, body: null };
    return {
      ...common,
      method: 'REPORT',
      headers: {
        ...this.#authorization,
        accept: 'application/xml, text/xml',
        'content-type': 'application/xml; charset=utf-8',
        depth: '1',
      },
      body: new TextEncoder().encode(calendarQueryReport(from, to)),
    };
  }

  async #send(request: CalendarRequest, signal: AbortSignal): Promise<Uint8Array> {
    let reply;
    try {
      reply = await this.#options.send(request);
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof CalendarError) throw cause;
      throw new CalendarError('unreachable', 'the server of the calendar sent no reply', { cause });
    }
    const wanted = this.#options.settings.kind === 'caldav' ? 207 : 200;
    if (reply.status !== wanted) throw errorOfStatus(reply.status, this.#options.settings.kind);
    if (reply.body.length > request.replyBytesMax)
      throw new CalendarError('too_large', `the server answered more than ${request.replyBytesMax} bytes`);
    return reply.body;
  }
}

/** The server's own words stay out of it: they may repeat a part of the secret. */
function errorOfStatus(status: number, kind: CalendarSettings['kind']): CalendarError {
  const said = `with status ${status}`;
  if (status >= 300 && status < 400)
    return new CalendarError(
      'refused',
      `the server answered a redirect, ${said}, which is not followed: register the address that it leads to`,
    );
  if (status === 401 || status === 403)
    return new CalendarError('refused', `the server refused the credentials of the calendar, ${said}`);
  if (status === 404 || status === 410)
    return new CalendarError('missing', `the server has no calendar at the registered address, ${said}`);
  if (status === 413 || status === 507)
    return new CalendarError('too_large', `the server says that the range has too much, ${said}`);
  if (status === 429 || (status >= 500 && status !== 501))
    return new CalendarError('unreachable', `the server can't answer now, ${said}`);
  if (kind === 'caldav')
    return new CalendarError(
      'unsupported',
      `the registered address is of no CalDAV calendar: the server answered a REPORT ${said}`,
    );
  return new CalendarError('malformed', `the server answered no calendar, ${said}`);
}

function checkedUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new CalendarError('invalid_source', 'the address of the calendar is no address of http or https');
  if (url.username !== '' || url.password !== '')
    throw new CalendarError('invalid_source', 'the address of the calendar has credentials: register them as a secret');
  url.hash = '';
  return url.href;
}

/** RFC 7617 for names and passwords, RFC 6750 for tokens. */
function authorizationOf(credentials: CalendarCredentials): string {
  if (credentials.scheme === 'bearer') {
    if (!/^[A-Za-z0-9._~+/-]+=*$/.test(credentials.token))
      throw new CalendarError('invalid_source', 'the secret of the calendar is no bearer token');
    return `Bearer ${credentials.token}`;
  }
  const { username, password } = credentials;
  if (username.includes(':') || /\p{Cc}/u.test(username + password))
    throw new CalendarError(
      'invalid_source',
      'the username has a `:`, or the username or password a control character',
    );
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}
