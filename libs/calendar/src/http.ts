// SPDX-License-Identifier: Apache-2.0

export interface CalendarRequest {
  readonly method: 'GET' | 'REPORT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  /** a longer reply is an error before it is kept */
  readonly replyBytesMax: number;
  readonly signal: AbortSignal;
}

export interface CalendarReply {
  readonly status: number;
  readonly body: Uint8Array;
}

/**
 * Sends a request. Whoever makes the calendar gives it: that decides which hosts are allowed. It MUST NOT follow a
 * redirect, whose status it returns. It rejects if no reply comes; with a `CalendarError` `too_large` for a reply that
 * is too long.
 */
export type SendCalendarRequest = (request: CalendarRequest) => Promise<CalendarReply>;

/** How a request says who asks. */
export type CalendarCredentials =
  | { readonly scheme: 'basic'; readonly username: string; readonly password: string }
  | { readonly scheme: 'bearer'; readonly token: string };
