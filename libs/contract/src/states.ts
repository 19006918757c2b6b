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

/** The levels of supervision of an action, from the least to `no_go`. */
export const AUTONOMY_MODES = ['autopilot', 'soft_gate', 'escalated', 'no_go'] as const;
export const AutonomyMode = Type.Enum(AUTONOMY_MODES);
export type AutonomyMode = (typeof AUTONOMY_MODES)[number];

export const TX_OUTCOMES = ['committed', 'rolled_back', 'no_op', 'ambiguous'] as const;
export const TxOutcome = Type.Enum(TX_OUTCOMES);
export type TxOutcome = (typeof TX_OUTCOMES)[number];

/** Who counts a call's resource usage in its sandbox, the stronger evidence first. */
export const USAGE_COUNTERS = ['host', 'agent'] as const;
export const UsageCounter = Type.Enum(USAGE_COUNTERS, {
  description:
    'host: the container engine or the kernel of its host, outside of the sandbox; agent: a process inside of the sandbox, so that a job can make it say less',
});
export type UsageCounter = (typeof USAGE_COUNTERS)[number];

/** The kernel's verdict on an action. */
export const VERDICTS = ['admitted', 'refused', 'held'] as const;
export const VerdictName = Type.Enum(VERDICTS);
export type VerdictName = Static<typeof VerdictName>;

/** A reason of a person or a rule, in words, with the rule's id. */
export const Reason = Type.Object(
  {
    code: Type.String({ maxLength: 128, description: 'a fault code or a rule id' }),
    message: Type.String({ maxLength: 2048 }),
  },
  { additionalProperties: false },
);
export type Reason = Static<typeof Reason>;

/**
 * The result of a pure decision: data, never an exception. A refusal has the code that the caller sees, the reasons in
 * words and, if useful, a hint what would have passed.
 */
export type Verdict<Allowed = object> =
  | ({ readonly effect: 'allow' } & Allowed)
  | {
      readonly effect: 'refuse';
      readonly code: import('./faults.ts').FaultCode;
      readonly message: string;
      readonly hint?: string;
    };
