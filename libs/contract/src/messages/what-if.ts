// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema, Sha256Hex } from '../ids.ts';
import { AppliedRedaction, AppliedRedactions } from '../redaction/redactable.ts';
import { Envelope } from '../permit.ts';
import { ApproverDemand } from './approver-demands.ts';
import { PolicyProblem } from './policies.ts';
import { AutonomyMode, Reason, VerdictName } from '../states.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const Policy = Type.Object(
  { policy_hash: Sha256Hex, name: Type.String(), enforcement: Type.Enum(['enforce', 'observe']) },
  closed,
);

/** Why a set decides a call as it does, and which changes would alter the decision. */
export const PolicyExplanation = Type.Object(
  {
    policy: Policy,
    mode: AutonomyMode,
    decided: AutonomyMode,
    rule_ids: Type.Array(Type.String()),
    reasons: Type.Array(Reason),
    would_pass: Type.Array(Type.String(), { description: 'what would have let it pass with less supervision' }),
    better_with: Type.Array(Type.Object({ with: Type.String(), mode: AutonomyMode }, closed), {
      description: 'single changes of the call, each decided anew',
    }),
    rules: Type.Array(
      Type.Object({ id: Type.String(), effect: Type.Enum(['permit', 'forbid']), text: Type.String() }, closed),
    ),
    errors: Type.Array(Type.String()),
  },
  closed,
);
export type PolicyExplanation = Static<typeof PolicyExplanation>;

/**
 * The expected decision on a call. Nothing was decided: there is no operation, no record, no reservation and no permit.
 */
export const Simulation = Type.Object(
  {
    simulated: Type.Literal(true),
    would_be: VerdictName,
    error: orNull(Type.Object({ code: Type.String(), message: Type.String(), hint: orNull(Type.String()) }, closed)),
    autonomy_mode: AutonomyMode,
    risk_score: Type.Number(),
    risk_basis: Type.Array(Type.String()),
    reasons: Type.Array(Reason),
    approvers: orNull(
      Type.Object(
        {
          count: Type.Integer(),
          role: Type.Enum(['operator', 'admin']),
          groups: Type.Optional(Type.Array(ApproverDemand, { description: 'absent: the policy reserves it for none' })),
        },
        closed,
      ),
    ),
    labels: Type.Array(Type.String(), { description: 'of its session and workspace' }),
    explanation: orNull(PolicyExplanation),
    warnings: Type.Optional(
      Type.Array(PolicyProblem, {
        description:
          'what is odd about the set, such as rules that can never apply; absent where an older kernel answers',
      }),
    ),
  },
  closed,
);
export type Simulation = Static<typeof Simulation>;

/** The decision on an operation, repeated under the set that decided and under the set in force. */
export const OperationExplanation = Type.Object(
  {
    operation_id: idSchema('operation'),
    policy_hash: Sha256Hex,
    asked: Type.Boolean({ description: 'whether policy was evaluated at all' }),
    why_not: orNull(Type.String()),
    then: orNull(PolicyExplanation),
    now: orNull(PolicyExplanation),
    alike: orNull(Type.Boolean({ description: 'whether both sets decide alike' })),
  },
  closed,
);
export type OperationExplanation = Static<typeof OperationExplanation>;

export const BACKTEST_PAYLOAD_TYPE = 'application/vnd.writ.backtest.v1+json';

/** Why the effect of a committed call can't be judged again. */
export const EffectSkip = Type.Enum(['arguments_erased', 'contents_gone', 'set_unknown', 'beyond_bounds']);
export type EffectSkip = Static<typeof EffectSkip>;

const Count = Type.Integer({ minimum: 0 });
const EffectIds = Type.Array(Type.String(), { maxItems: 16 });

/** The decisions of two sets on the effects of a page: the one in force when each committed, and the candidate. */
export const BacktestEffects = Type.Object(
  {
    judged: { ...Count, description: 'committed calls with changes about whose effects both sets were asked' },
    skipped: { ...Count, description: 'those about whose effects they were not' },
    skipped_for: Type.Array(Type.Object({ why: EffectSkip, count: Type.Integer({ minimum: 1 }) }, closed)),
    without_series: {
      ...Count,
      description: 'effects judged alone, since the calls before them could not all be read',
    },
    changed: Count,
    changes: Type.Array(
      Type.Object(
        { from: AutonomyMode, to: AutonomyMode, tool_id: Type.String(), count: Type.Integer({ minimum: 1 }) },
        closed,
      ),
      { description: '`autopilot`: the effect commits without anybody more than the call had' },
    ),
    examples: Type.Array(
      Type.Object(
        {
          operation_id: idSchema('operation'),
          tool_id: Type.String(),
          from: AutonomyMode,
          to: AutonomyMode,
          rule_ids: { ...EffectIds, description: 'what the candidate decides by' },
          findings: { ...EffectIds, description: 'rules on effects by which the candidate finds something' },
          findings_then: { ...EffectIds, description: 'the same of the set that was in force' },
          headline: Type.String({
            maxLength: 512,
            description: 'what the effect does, as the stricter of both says it first',
          }),
        },
        closed,
      ),
      { maxItems: 20 },
    ),
  },
  closed,
);
export type BacktestEffects = Static<typeof BacktestEffects>;

/** One page of a backtest, which the kernel signs. */
export const BacktestPage = Type.Object(
  {
    v: Type.Literal(1),
    tenant_id: idSchema('tenant'),
    kernel_key_id: Type.String(),
    candidate: Policy,
    since: Type.Integer({ minimum: 0 }),
    /** where it begins and where the next one begins: pages of one backtest join without a gap */
    cursor: orNull(Type.String()),
    next_cursor: orNull(Type.String()),
    made_at: Type.Integer({ minimum: 0 }),
    examined: Type.Integer({ minimum: 0 }),
    skipped: Type.Integer({
      minimum: 0,
      description: 'operations that no policy was asked about, or whose arguments or set are gone',
    }),
    changed: Type.Integer({ minimum: 0 }),
    changes: Type.Array(
      Type.Object(
        { from: AutonomyMode, to: AutonomyMode, tool_id: Type.String(), count: Type.Integer({ minimum: 1 }) },
        closed,
      ),
    ),
    examples: Type.Array(
      Type.Object(
        {
          operation_id: idSchema('operation'),
          tool_id: Type.String(),
          from: AutonomyMode,
          to: AutonomyMode,
          rule_ids: Type.Array(Type.String()),
        },
        closed,
      ),
      { maxItems: 20 },
    ),
    /** calls of whose results the sets redact something else; absent where there are none, and from an older kernel */
    redactions: Type.Optional(
      Type.Object(
        {
          changed: Type.Integer({ minimum: 1 }),
          examples: Type.Array(
            Type.Object(
              {
                operation_id: idSchema('operation'),
                tool_id: Type.String(),
                from: Type.Array(AppliedRedaction),
                to: Type.Array(AppliedRedaction),
              },
              closed,
            ),
            { maxItems: 5 },
          ),
        },
        closed,
      ),
    ),
    /** absent if it was not requested, and from an older kernel */
    effects: Type.Optional(BacktestEffects),
  },
  closed,
);
export type BacktestPage = Static<typeof BacktestPage>;

export const Backtest = Type.Object({ page: BacktestPage, envelope: Envelope }, closed);
export type Backtest = Static<typeof Backtest>;

/**
 * A set's decision on a recorded call: `verdict` is the result by policy alone. A set that observes enforces
 * `autopilot`, whatever it `decided`.
 */
const PolicyAnswer = Type.Object(
  {
    verdict: VerdictName,
    mode: AutonomyMode,
    decided: AutonomyMode,
    rule_ids: Type.Array(Type.String(), { maxItems: 16 }),
    reasons: Type.Array(Reason, { maxItems: 4, description: 'those of its rules first' }),
    redactions: Type.Optional({ ...AppliedRedactions, description: 'what it redacts of the result; absent: nothing' }),
  },
  closed,
);

/**
 * A recorded call, evaluated under two sets. Nothing was decided: there is no operation, no record and no reservation.
 */
export const ReplayedCall = Type.Object(
  {
    operation_id: idSchema('operation'),
    tool_id: Type.String(),
    was: orNull(PolicyAnswer),
    would_be: orNull(PolicyAnswer),
    why_not: orNull(Type.String({ description: "why the sets can't be asked about it; null where they were" })),
  },
  closed,
);
export type ReplayedCall = Static<typeof ReplayedCall>;

/** Recorded calls under another set, in the requested order; null for an unknown one. */
export const PolicyReplay = Type.Object({ candidate: Policy, items: Type.Array(orNull(ReplayedCall)) }, closed);
export type PolicyReplay = Static<typeof PolicyReplay>;
