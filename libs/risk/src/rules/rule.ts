// SPDX-License-Identifier: Apache-2.0
import type { Act, ActKind } from '../act.ts';
import type { Zone } from '../zones.ts';

/** The highest supervision short of which a rule doesn't let a call through, whatever policy says. */
export type Ceiling = 'none' | 'soft_gate' | 'no_go';

/** What about a call is risky: whether it can be undone, how far it reaches, how little is known of it, how touchy the thing is. */
export type Dimension = 'reversibility' | 'blast_radius' | 'ambiguity' | 'policy_sensitivity';

/** A row of the risk table. All parts of `when` must hold; one left out holds always. */
export interface RiskRule {
  readonly id: string;
  readonly when: {
    readonly kinds: readonly ActKind[];
    readonly zones?: readonly Zone[];
    readonly recursive?: boolean;
    readonly many?: boolean;
  };
  /** thousandths that it adds: the score is 1 − Π(1 − points/1000) over the rules that speak */
  readonly points: number;
  readonly ceiling: Ceiling;
  readonly dimension: Dimension;
  /** `{form}` and `{subject}` stand for the act's */
  readonly message: string;
}

/** Answers whether the rule speaks of the act. */
export function speaksOf({ when }: RiskRule, act: Act): boolean {
  return when.kinds.includes(act.kind)
    && (when.zones === undefined || (act.zone !== undefined && when.zones.includes(act.zone)))
    && (when.recursive === undefined || when.recursive === (act.recursive ?? false))
    && (when.many === undefined || when.many === (act.many ?? false));
}

/** The rule's message about the act. */
export const messageOf = ({ message }: RiskRule, act: Act): string => message.replace('{form}', act.form).replace('{subject}', act.subject);
