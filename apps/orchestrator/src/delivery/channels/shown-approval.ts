// SPDX-License-Identifier: Apache-2.0
import type { ApprovalView } from '@writ/contract';

/** What a message shows: ids and a digest, and never what the call contains. */
export type ShownApproval = Pick<
  ApprovalView,
  | 'approval_id'
  | 'operation_id'
  | 'tool_id'
  | 'agent_id'
  | 'of'
  | 'state'
  | 'binding'
  | 'votes'
  | 'escalated_to'
  | 'expires_at'
  | 'decided_at'
  | 'decided_by'
>;

export const HEADINGS: Readonly<Record<ApprovalView['state'], string>> = {
  pending: 'A call waits for a person',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired: nobody decided in time',
  cancelled: 'Cancelled while it waited',
  superseded: 'Edited: another call replaces it',
};

/** Longest value that is shown. */
const VALUE_MAX = 200;
/** Most groups that are shown, to which an approval was escalated. */
export const GROUPS_MAX = 5;

/** A value in one line, attacker-controlled: cut, without control characters and characters that change directions. */
export function plain(value: string): string {
  const short = value.length > VALUE_MAX ? `${value.slice(0, VALUE_MAX - 1)}…` : value;
  return short.toWellFormed().replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{FFFD}');
}

/** The digest that a decision binds to. */
export const digestOf = ({ binding }: ShownApproval): string => binding.effect_digest ?? binding.action_digest;

/** A time in UTC, to the minute. */
export const utcOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
