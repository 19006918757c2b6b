// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';

/** The states of an operation; the transitions are in `libs/lifecycle`. */
export const STATES = [
  'proposed',
  'admitted',
  'refused',
  'held',
  'dispatched',
  'performing',
  'performed',
  'committed',
  'rolled_back',
  'no_op',
  'ambiguous',
] as const;
export const State = Type.Enum(STATES);
export type State = (typeof STATES)[number];

/** How much supervision an action gets, from least to none possible. */
export const AUTONOMY_MODES = ['autopilot', 'soft_gate', 'escalated', 'no_go'] as const;
export const AutonomyMode = Type.Enum(AUTONOMY_MODES);
export type AutonomyMode = (typeof AUTONOMY_MODES)[number];

export const TX_OUTCOMES = ['committed', 'rolled_back', 'no_op', 'ambiguous'] as const;
export const TxOutcome = Type.Enum(TX_OUTCOMES);
export type TxOutcome = (typeof TX_OUTCOMES)[number];

/** Who counts what a call uses in its sandbox, the stronger evidence first. */
export const USAGE_COUNTERS = ['host', 'agent'] as const;
export const UsageCounter = Type.Enum(USAGE_COUNTERS, {
  description:
    'host: the container engine or the kernel of its host, outside of the sandbox; agent: a process inside of the sandbox, so that a job can make it say less',
});
export type UsageCounter = (typeof USAGE_COUNTERS)[number];

/** What the kernel says of an action when it decides. */
export const VERDICTS = ['admitted', 'refused', 'held'] as const;
export const VerdictName = Type.Enum(VERDICTS);
export type VerdictName = Static<typeof VerdictName>;

/** A person's or a rule's reason, in words, with the rule that speaks. */
export const Reason = Type.Object(
  {
    code: Type.String({ maxLength: 128, description: 'a fault code or a rule id' }),
    message: Type.String({ maxLength: 2048 }),
  },
  { additionalProperties: false },
);
export type Reason = Static<typeof Reason>;

/**
 * The answer of a pure decision: data, never an exception. A refusal carries the code that the caller sees,
 * the reasons in words and, where one would help, a hint of what would have made it pass.
 */
export type Verdict<Allowed = object> =
  | ({ readonly effect: 'allow' } & Allowed)
  | {
      readonly effect: 'refuse';
      readonly code: import('./faults.ts').FaultCode;
      readonly message: string;
      readonly hint?: string;
    };
