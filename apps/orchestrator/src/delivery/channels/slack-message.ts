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

/** A message of Slack: `text` is for notifications, and `blocks` are shown. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly object[];
}

const HEADINGS: Readonly<Record<ApprovalView['state'], string>> = {
  pending: 'A call waits for a person',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired: nobody decided in time',
  cancelled: 'Cancelled while it waited',
  superseded: 'Edited: another call replaces it',
};

/** Longest value that is shown. */
const VALUE_MAX = 200;

/**
 * A value as code, attacker-controlled. INVARIANT (values stay values): Slack's three control characters are escaped
 * (`&`, `<`, `>`), so that no value becomes a link or a mention; control and direction characters, and the backticks
 * that would end the code, are replaced.
 */
export function asCode(value: string): string {
  const short = value.length > VALUE_MAX ? `${value.slice(0, VALUE_MAX - 1)}…` : value;
  const plain = short.replaceAll(/[`\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\u{FFFD}');
  return `\`${plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}\``;
}

/** A time in the reader's own zone, with UTC for clients that can't show that. */
function asTime(ms: number): string {
  const utc = new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
  return `<!date^${Math.floor(ms / 1_000)}^{date_short_pretty} {time}|${utc} UTC>`;
}

/** @param consoleUrl the console's page of this approval */
export function slackMessageOf(approval: ShownApproval, consoleUrl: string): SlackMessage {
  const { state, tool_id, agent_id } = approval;
  const isPending = state === 'pending';
  const heading = HEADINGS[state];
  const fields = fieldsOf(approval).map((text) => ({ type: 'mrkdwn', text }));
  const digest = approval.binding.effect_digest ?? approval.binding.action_digest;
  const small = `${asCode(approval.approval_id)} · ${asCode(approval.operation_id)} · digest ${asCode(digest)}`;
  const open = {
    type: 'button',
    action_id: 'writ.open',
    text: { type: 'plain_text', text: isPending ? 'Review in the console' : 'Open in the console' },
    url: consoleUrl,
    ...(isPending ? { style: 'primary' } : {}),
  };
  return {
    text: `${heading}: ${asCode(tool_id)} of ${asCode(agent_id)}`,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: `*${heading}*` }, fields },
      { type: 'context', elements: [{ type: 'mrkdwn', text: small }] },
      { type: 'actions', elements: [open] },
    ],
  };
}

function fieldsOf(approval: ShownApproval): string[] {
  const { tool_id, agent_id, votes, escalated_to = [], expires_at, decided_at, decided_by } = approval;
  const fields = [`*Tool*\n${asCode(tool_id)}`, `*Agent*\n${asCode(agent_id)}`];
  if (approval.of === 'value') fields.push('*It waits for*\na value that a person gives');
  if (votes.needed > 1) fields.push(`*Votes*\n${votes.given} of ${votes.needed}`);
  if (approval.state === 'pending') {
    if (escalated_to.length > 0) fields.push(`*Escalated to*\n${escalated_to.slice(0, 5).map(asCode).join(' ')}`);
    fields.push(`*Expires*\n${asTime(expires_at)}`);
  } else {
    if (decided_by !== null) fields.push(`*By*\n${asCode(decided_by)}`);
    if (decided_at !== null) fields.push(`*At*\n${asTime(decided_at)}`);
  }
  return fields;
}
