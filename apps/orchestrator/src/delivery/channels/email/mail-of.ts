// SPDX-License-Identifier: Apache-2.0
// The mail about an approval. INVARIANT (values stay values): they are in the body alone, but for the name of the tool
// in the subject. They have one line, they are escaped in HTML, and `://` in them makes no link.
import MailComposer from 'nodemailer/lib/mail-composer';
import { digestOf, GROUPS_MAX, HEADINGS, plain, utcOf, type ShownApproval } from '../shown-approval.ts';
import type { Step } from '../step.ts';

export interface MailOrigin {
  readonly channel_id: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly link: string;
  readonly date: Date;
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' },
};
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (each) => ESCAPES[each] ?? '');
const shown = (value: string): string => plain(value).replaceAll('://', ': //');

/**
 * The bytes of the mail. Its Message-ID is made of the approval, the channel and the step: another attempt has the same
 * one, and later mails join the thread of the first.
 */
export async function mailOf(approval: ShownApproval, { kind }: Step, origin: MailOrigin): Promise<Buffer> {
  const { channel_id, from, to, link, date } = origin;
  const { approval_id, tool_id, state, escalated_to = [] } = approval;
  const [id, host] = [`${approval_id}.${channel_id}`, new URL(link).hostname];
  const heading = kind === 'escalate' ? 'Escalated: a call still waits for a person' : HEADINGS[state];
  const first = `<${id}@${host}>`;
  const later = kind === 'escalate' ? `escalated-${escalated_to.length}` : state;
  const thread = kind === 'ask' ? {} : { inReplyTo: first, references: first };
  const rows = rowsOf(approval, kind);
  const composed = new MailComposer({
    from: { name: 'Writ', address: from },
    to: to.map((address) => ({ name: '', address })),
    subject: `${kind === 'ask' ? '' : 'Re: '}${HEADINGS.pending}: ${shown(tool_id)}`,
    messageId: kind === 'ask' ? first : `<${id}.${later}@${host}>`,
    ...thread,
    date,
    // So that no absent person's server answers.
    headers: { 'Auto-Submitted': 'auto-generated' },
    text: [heading, '', ...rows.map(([name, value]) => `${name}: ${value}`), '', link, ''].join('\n'),
    html: htmlOf(heading, rows, link),
    textEncoding: 'quoted-printable',
    ...{ disableFileAccess: true, disableUrlAccess: true },
  }).compile();
  return await composed.build();
}

type Row = readonly [name: string, value: string];

function htmlOf(heading: string, rows: readonly Row[], link: string): string {
  const lines = rows.map(([name, value]) => `<tr><td>${escaped(name)}</td><td>${escaped(value)}</td></tr>`);
  return [
    '<!doctype html><html><body>',
    `<p><b>${escaped(heading)}</b></p><table>${lines.join('\n')}</table>`,
    `<p><a href="${escaped(link)}">Open in the console</a></p>`,
    '</body></html>',
  ].join('\n');
}

function rowsOf(approval: ShownApproval, step: Step['kind']): Row[] {
  const { approval_id, operation_id, tool_id, agent_id, votes, escalated_to = [], expires_at } = approval;
  const { decided_at, decided_by } = approval;
  const rows: Row[] = [
    ['Tool', shown(tool_id)],
    ['Agent', shown(agent_id)],
    ['Approval', approval_id],
    ['Operation', operation_id],
    ['Digest', digestOf(approval)],
  ];
  if (step === 'end') {
    if (decided_by !== null) rows.push(['By', shown(decided_by)]);
    if (decided_at !== null) rows.push(['At', utcOf(decided_at)]);
    return rows;
  }
  if (approval.of === 'value') rows.push(['It waits for', 'a value that a person gives']);
  if (votes.needed > 1) rows.push(['Votes', `${votes.given} of ${votes.needed}`]);
  for (const group of escalated_to.slice(0, GROUPS_MAX)) rows.push(['Escalated to', shown(group)]);
  return [...rows, ['Expires', utcOf(expires_at)]];
}
