// SPDX-License-Identifier: Apache-2.0

/**
 * Why a calendar can't be searched:
 * - `invalid_source`: the address or the credentials of the calendar can't be used
 * - `invalid_query`: the range, the text or the limit is no valid one
 * - `unreachable`: the server sent no reply, or is overloaded; trying again may help
 * - `refused`: the server refused the credentials, or answered a redirect, which is not followed
 * - `missing`: the server has no such calendar
 * - `malformed`: the reply is no calendar, or a part of one
 * - `too_large`: the calendar has more bytes or events than are read
 * - `unsupported`: the address is of no CalDAV collection
 */
export type CalendarReason =
  | 'invalid_source'
  | 'invalid_query'
  | 'unreachable'
  | 'refused'
  | 'missing'
  | 'malformed'
  | 'too_large'
  | 'unsupported';

/** A calendar that can't be searched. Its message has no text of events, no address and no secret. */
export class CalendarError extends Error {
  readonly reason: CalendarReason;

  constructor(reason: CalendarReason, message: string, options?: { readonly cause: unknown }) {
    super(message, options);
    this.name = 'CalendarError';
    this.reason = reason;
  }
}
