// SPDX-License-Identifier: Apache-2.0
import type { Static, TObject } from 'typebox';
import { Type } from 'typebox';
import { RULE_ID, type HistoryRule } from '../document/history-rule.ts';
import type { PolicySetSource } from '../document/policy-document.ts';

/** Rules to be added to a set. */
export interface PolicyFragment {
  readonly cedar: string;
  readonly history: readonly HistoryRule[];
}

/** A common case as data: its purpose, its parameters, and the resulting rules. */
export interface PolicyTemplate<P extends TObject = TObject> {
  readonly id: string;
  readonly description: string;
  /** JSON schema of the parameters, with defaults for all that can be guessed */
  readonly parameters: P;
  /** Called only with valid parameters, including the defaults. */
  readonly make: (parameters: Static<P>) => PolicyFragment;
}

/** Adds fragments to a set. The result is checked as a whole by `compilePolicySet`. */
export function withFragments(source: PolicySetSource, ...fragments: readonly PolicyFragment[]): PolicySetSource {
  return {
    ...source,
    cedar: [source.cedar.trimEnd(), ...fragments.map(({ cedar }) => cedar.trimEnd())]
      .filter((text) => text !== '')
      .join('\n\n')
      .concat('\n'),
    history: [...(source.history ?? []), ...fragments.flatMap(({ history }) => history)],
  };
}

export const closed = { additionalProperties: false } as const;
export const ruleId = (id: string) => Type.String({ pattern: RULE_ID, default: id, description: 'the id of the rule' });
export const Outcome = Type.Enum(['soft_gate', 'escalated', 'refuse'], {
  default: 'soft_gate',
  description: 'what becomes of such a call at least',
});
export type Outcome = Static<typeof Outcome>;

/** The condition that forbids less supervision than required; empty if everything is forbidden. */
export function supervisionClause(then: Outcome): string[] {
  if (then === 'refuse') return [];
  return [then === 'soft_gate' ? 'context.supervision == "autopilot"' : 'context.supervision != "escalated"'];
}

/**
 * A text as a Cedar literal. Only characters that end or escape a literal are escaped; parameters have no line ends.
 */
export const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

export interface Forbid {
  readonly id: string;
  readonly reason: string;
  readonly would_pass: string;
  readonly quorum?: number;
  readonly principal?: string;
  readonly action?: string;
  readonly resource?: string;
  readonly when: readonly string[];
}

/** Formats a forbid. */
export function forbid({
  id,
  reason,
  would_pass,
  quorum,
  principal = 'principal',
  action = 'action',
  resource = 'resource',
  when,
}: Forbid): PolicyFragment {
  const annotations = [
    `@id("${id}")`,
    `@reason(${quoted(reason)})`,
    `@would_pass(${quoted(would_pass)})`,
    ...(quorum === undefined ? [] : [`@quorum("${quorum}")`]),
  ];
  const condition = when.length === 0 ? '' : `\nwhen {\n  ${when.join(' &&\n  ')}\n}`;
  return {
    cedar: `${annotations.join('\n')}\nforbid (${principal}, ${action}, ${resource})${condition};\n`,
    history: [],
  };
}
