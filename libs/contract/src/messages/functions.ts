// SPDX-License-Identifier: Apache-2.0
//
// Calls that a process of the tenant runs under a permit (ADR 0136).
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema, Sha256Hex } from '../ids.ts';
import { Envelope } from '../permit.ts';
import { Caller } from './operations.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const asked = { v: Type.Literal(1), caller: Caller } as const;
const Instant = Type.Integer({ minimum: 0, description: 'milliseconds since the epoch' });

/** Limits on what an executor of the tenant reports. Messages go into the result, so they are short. */
export const FUNCTION_REPORT = { resultBytes: 64 * 1024, messageChars: 2048 } as const;

/** A permit that was taken; null where no call waits. */
export const TakenPermit = Type.Object({ permit: orNull(Envelope) }, closed);
export type TakenPermit = Static<typeof TakenPermit>;

/** Whether the call waits again; false where the permit was redeemed, or is over. */
export const PermitReleased = Type.Object({ released: Type.Boolean() }, closed);
export type PermitReleased = Static<typeof PermitReleased>;

/** The permit, and the nonce that its holder made for it. Together they are the proof of every later request. */
export const PermitProof = {
  permit: Envelope,
  nonce: Type.String({
    pattern: '^[0-9a-f]{32}$',
    description: 'random, made once per permit; the same one may redeem again, since a reply can be lost',
  }),
} as const;

/** What an executor of the tenant gets for a permit: exactly the arguments that were decided on. */
export const FunctionRedemption = Type.Object(
  {
    operation_id: idSchema('operation'),
    attempt: Type.Integer({ minimum: 1 }),
    tool_id: Type.String(),
    tool_definition_digest: Sha256Hex,
    args: Type.Record(Type.String(), Type.Unknown()),
    idempotent: Type.Boolean({
      description: 'whether another attempt with the same `operation_id` may follow if this one is lost',
    }),
    timeout_ms: Type.Integer({ minimum: 1 }),
    lease_until: Instant,
    lease_ms: Type.Integer({ minimum: 1, description: 'renew within a third of it' }),
  },
  closed,
);
export type FunctionRedemption = Static<typeof FunctionRedemption>;

/** How long the attempt is the executor's. `stop`: the call was stopped, and the executor must end it. */
export const FunctionRenewal = Type.Object({ lease_until: Instant, stop: Type.Boolean() }, closed);
export type FunctionRenewal = Static<typeof FunctionRenewal>;

/** What the executor claims about the call. */
export const FunctionOutcome = Type.Union([
  Type.Object({ outcome: Type.Literal('succeeded'), result: Type.Unknown() }, closed),
  Type.Object(
    {
      outcome: Type.Enum(['failed', 'unknown'], {
        description: '`failed`: nothing took effect, as the executor states; `unknown`: something may have',
      }),
      message: Type.String({ minLength: 1, maxLength: FUNCTION_REPORT.messageChars }),
    },
    closed,
  ),
]);
export type FunctionOutcome = Static<typeof FunctionOutcome>;

/** The state of the operation after the report. */
export const FunctionReported = Type.Object({ state: Type.String(), tx_outcome: orNull(Type.String()) }, closed);
export type FunctionReported = Static<typeof FunctionReported>;

/** orchestrator → kernel, of calls that a process of the tenant runs. */
export const FUNCTION_REQUESTS = {
  /**
   * → TakenPermit. For a key of the role `worker`: of the oldest waiting call of its tools. For a key of the role
   * `agent`, with `operation_id`: of its own call. A repeated request for a call whose permit isn't redeemed is a new
   * attempt once that permit has expired.
   */
  'function.take': Type.Object(
    { ...asked, operation_id: orNull(Type.String({ minLength: 1, maxLength: 64 })) },
    closed,
  ),
  /** → PermitReleased, for a permit that its holder never received: the call is offered again at once */
  'function.release': Type.Object({ ...asked, permit: Envelope }, closed),
  /** → FunctionRedemption; from then on the function may have taken effect */
  'function.redeem': Type.Object({ ...asked, ...PermitProof }, closed),
  /** → FunctionRenewal */
  'function.renew': Type.Object({ ...asked, ...PermitProof }, closed),
  /** → FunctionReported */
  'function.report': Type.Object({ ...asked, ...PermitProof, outcome: FunctionOutcome }, closed),
} as const;
