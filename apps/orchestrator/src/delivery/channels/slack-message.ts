// SPDX-License-Identifier: Apache-2.0
import { digestOf, GROUPS_MAX, HEADINGS, plain, utcOf, type ShownApproval } from './shown-approval.ts';

/** A message of Slack: `text` is for notifications, and `blocks` are shown. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly object[];
}

/**
 * A value as code, attacker-controlled. INVARIANT (values stay values): Slack's three control characters are escaped
 * (`&`, `<`, `>`), so that no value becomes a link or a mention; control and direction characters, and the backticks
 * that would end the code, are replaced.
 */
export function asCode(value: string): string {
  const code = plain(value).replaceAll('`', '\u{FFFD}');
  return `\`${code.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}\``;
}

/** A time in the reader's own zone, with UTC for clients that can't show that. */
function asTime(ms: number): string {
  return `<!date^${Math.floor(ms / 1_000)}^{date_short_pretty} {time}|${utcOf(ms)}>`;
}

/** @param consoleUrl the console's page of this approval */
export function slackMessageOf(approval: ShownApproval, consoleUrl: string): SlackMessage {
  const { state, tool_id, agent_id } = approval;
  const isPending = state === 'pending';
  const heading = HEADINGS[state];
  const fields = fieldsOf(approval).map((text) => ({ type: 'mrkdwn', text }));
  const small = `${asCode(approval.approval_id)} · ${asCode(approval.operation_id)} · digest ${asCode(digestOf(approval))}`;
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
    if (escalated_to.length > 0)
      fields.push(`*Escalated to*\n${escalated_to.slice(0, GROUPS_MAX).map(asCode).join(' ')}`);
    fields.push(`*Expires*\n${asTime(expires_at)}`);
  } else {
    if (decided_by !== null) fields.push(`*By*\n${asCode(decided_by)}`);
    if (decided_at !== null) fields.push(`*At*\n${asTime(decided_at)}`);
  }
  return fields;
}
