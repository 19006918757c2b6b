// SPDX-License-Identifier: Apache-2.0
import { digestOf, GROUPS_MAX, HEADINGS, plain, utcOf, type ShownApproval } from './shown-approval.ts';
import type { Step } from './step.ts';

/**
 * A run of text. INVARIANT (values stay values): Markdown works in `TextBlock` and `FactSet` and not in `TextRun`, and
 * a mention takes an entry in `msteams.entities`, which no card here has. Two braces would begin a function for dates.
 */
const run = (text: string, more: object = {}): object => ({
  type: 'TextRun',
  text: plain(text).replaceAll('{{', '{ {').replaceAll('{{', '{ {'),
  ...more,
});
const line = (...inlines: readonly object[]): object => ({ type: 'RichTextBlock', inlines });
const fact = (name: string, value: string): object => line(run(`${name}: `, { isSubtle: true }), run(value));

/** The message of a workflow: one Adaptive Card whose one action opens the console. */
export function teamsMessageOf(approval: ShownApproval, step: Step['kind'], link: string): object {
  const heading = step === 'escalate' ? 'Escalated: a call still waits for a person' : HEADINGS[approval.state];
  const title = step === 'end' ? 'Open in the console' : 'Review in the console';
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    ...{ type: 'AdaptiveCard', version: '1.4', fallbackText: heading },
    body: [line(run(heading, { weight: 'Bolder', size: 'Medium' })), ...factsOf(approval, step)],
    actions: [{ type: 'Action.OpenUrl', title, url: link }],
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
  return { type: 'message', attachments: [attachment] };
}

function factsOf(approval: ShownApproval, step: Step['kind']): object[] {
  const { approval_id, operation_id, tool_id, agent_id, votes, escalated_to = [], expires_at } = approval;
  const { decided_at, decided_by } = approval;
  const facts = [fact('Tool', tool_id), fact('Agent', agent_id), fact('Approval', approval_id)];
  if (step === 'end') {
    if (decided_by !== null) facts.push(fact('By', decided_by));
    if (decided_at !== null) facts.push(fact('At', utcOf(decided_at)));
    return facts;
  }
  facts.push(fact('Operation', operation_id), fact('Digest', digestOf(approval)));
  if (approval.of === 'value') facts.push(fact('It waits for', 'a value that a person gives'));
  if (votes.needed > 1) facts.push(fact('Votes', `${votes.given} of ${votes.needed}`));
  for (const group of escalated_to.slice(0, GROUPS_MAX)) facts.push(fact('Escalated to', group));
  return [...facts, fact('Expires', utcOf(expires_at))];
}
