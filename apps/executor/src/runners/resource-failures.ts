// SPDX-License-Identifier: Apache-2.0
import { CalendarError, type CalendarReason } from '@writ/calendar';
import { Fault, type FaultCode } from '@writ/contract';
import { MailboxError, type MailboxFailure } from '@writ/mailbox';
import { McpCallError } from './mcp/mcp-failure.ts';

/** The fault of a calendar, a mailbox or an MCP server that did not do what it was asked. */
export interface ResourceFailure {
  readonly ended: 'failed' | 'timeout';
  readonly code: FaultCode;
  readonly message: string;
  readonly hint: string | null;
}

const ADMINISTRATOR = 'an administrator checks the settings of the resource, and the secret that they name';

const OF_CALENDARS: Readonly<Record<CalendarReason, FaultCode>> = {
  invalid_source: 'calendar.unusable',
  invalid_query: 'args.invalid',
  unreachable: 'egress.failed',
  refused: 'calendar.refused',
  missing: 'calendar.unusable',
  malformed: 'calendar.unreadable',
  too_large: 'calendar.unreadable',
  unsupported: 'calendar.unusable',
};

const OF_MAILBOXES: Readonly<Record<MailboxFailure, FaultCode>> = {
  unreachable: 'egress.failed',
  tls: 'mailbox.not_private',
  auth: 'mailbox.refused',
  folder_missing: 'mailbox.folder_unknown',
  refused: 'mailbox.refused',
  malformed: 'mailbox.unreadable',
  too_large: 'mailbox.unreadable',
  timeout: 'command.timeout',
};

const NEEDS_ADMINISTRATOR: ReadonlySet<FaultCode> = new Set<FaultCode>([
  'calendar.unusable',
  'calendar.refused',
  'mailbox.unusable',
  'mailbox.refused',
  'mailbox.not_private',
]);

/** Null for an error of something else. */
export function resourceFailure(error: unknown): ResourceFailure | null {
  const code = codeOf(error);
  if (code === null) return null;
  return {
    ended: code === 'command.timeout' ? 'timeout' : 'failed',
    code,
    message: (error as Error).message,
    hint: error instanceof McpCallError ? error.hint : NEEDS_ADMINISTRATOR.has(code) ? ADMINISTRATOR : null,
  };
}

function codeOf(error: unknown): FaultCode | null {
  if (error instanceof McpCallError) return error.code;
  if (error instanceof CalendarError) return OF_CALENDARS[error.reason];
  if (error instanceof MailboxError) return OF_MAILBOXES[error.reason];
  // Arguments were checked when the call was decided. What is left is the address that drafts are from.
  return error instanceof Fault && error.code === 'request.malformed' ? 'mailbox.unusable' : null;
}
