// SPDX-License-Identifier: Apache-2.0
import { digestOf, plain, type ShownApproval } from './shown-approval.ts';
import { headingOf, stateFactsOf, type Fact } from './step-texts.ts';
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
const fact = ([name, value]: Fact): object => line(run(`${name}: `, { isSubtle: true }), run(value));

/** The message of a workflow: one Adaptive Card whose one action opens the console. */
export function teamsMessageOf(approval: ShownApproval, step: Step['kind'], link: string): object {
  const heading = headingOf(approval, step);
  const title = step === 'end' ? 'Open in the console' : 'Review in the console';
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    ...{ type: 'AdaptiveCard', version: '1.4', fallbackText: heading },
    body: [line(run(heading, { weight: 'Bolder', size: 'Medium' })), ...factsOf(approval, step).map(fact)],
    actions: [{ type: 'Action.OpenUrl', title, url: link }],
  };
  const attachment = { contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content };
  return { type: 'message', attachments: [attachment] };
}

function factsOf(approval: ShownApproval, step: Step['kind']): Fact[] {
  const { approval_id, operation_id, tool_id, agent_id } = approval;
  const asked: Fact[] = [
    ['Operation', operation_id],
    ['Digest', digestOf(approval)],
  ];
  return [
    ...([
      ['Tool', tool_id],
      ['Agent', agent_id],
      ['Approval', approval_id],
    ] as const),
    ...(step === 'end' ? [] : asked),
    ...stateFactsOf(approval, step),
  ];
}
