// SPDX-License-Identifier: Apache-2.0
// The mail about an approval. INVARIANT (values stay values): they are in the body alone, but for the name of the tool
// in the subject. They have one line, they are escaped in HTML, and `://` in them makes no link.
import MailComposer from 'nodemailer/lib/mail-composer';
import { html } from '../../../edge/pages/html.ts';
import { digestOf, HEADINGS, plain, type ShownApproval } from '../shown-approval.ts';
import { headingOf, stateFactsOf, type Fact } from '../step-texts.ts';
import type { Step } from '../step.ts';

export interface MailOrigin {
  readonly channel_id: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly link: string;
  readonly date: Date;
}

const shown = (value: string): string => plain(value).replaceAll('://', ': //');

/**
 * The bytes of the mail. Its Message-ID is made of the approval, the channel and the step: another attempt has the same
 * one, and later mails join the thread of the first.
 */
export async function mailOf(approval: ShownApproval, { kind }: Step, origin: MailOrigin): Promise<Buffer> {
  const { channel_id, from, to, link, date } = origin;
  const { approval_id, tool_id, state, escalated_to = [] } = approval;
  const [id, host] = [`${approval_id}.${channel_id}`, new URL(link).hostname];
  const heading = headingOf(approval, kind);
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

function htmlOf(heading: string, rows: readonly Fact[], link: string): string {
  const lines = rows.map(
    ([name, value]) =>
      html`<tr>
        <td>${name}</td>
        <td>${value}</td>
      </tr> `,
  );
  return html`<!doctype html>
    <html>
      <body>
        <p><b>${heading}</b></p>
        <table>
          ${lines}
        </table>
        <p><a href="${link}">Open in the console</a></p>
      </body>
    </html>`.text;
}

/** Values in one line, in which nothing makes a link. */
function rowsOf(approval: ShownApproval, step: Step['kind']): Fact[] {
  const { approval_id, operation_id, tool_id, agent_id } = approval;
  const facts: Fact[] = [
    ['Tool', tool_id],
    ['Agent', agent_id],
    ['Approval', approval_id],
    ['Operation', operation_id],
    ['Digest', digestOf(approval)],
    ...stateFactsOf(approval, step),
  ];
  return facts.map(([name, value]) => [name, shown(value)]);
}
