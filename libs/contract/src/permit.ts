// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { idSchema, Sha256Hex } from './ids.ts';

export const PERMIT_PAYLOAD_TYPE = 'application/vnd.writ.permit.v1+json';

/** The queues for each class of tools. */
export const LANES = ['inline', 'sandboxed', 'broker'] as const;

/**
 * The queues of calls: those of Writ's executors; `function`, from which workers of the tenant take calls; and
 * `caller`, where a call waits for its own proposer to run it.
 */
export const CALL_LANES = [...LANES, 'function', 'caller'] as const;
export type CallLane = (typeof CALL_LANES)[number];

/** Answers whether Writ's executors serve the lane. */
export const isExecutorLane = (lane: CallLane): lane is Lane => (LANES as readonly string[]).includes(lane);

/**
 * `run` may commit; `preview` never does: a held call runs once to show its effect to the approver, with no egress and
 * no secrets.
 */
export const PermitMode = Type.Union([Type.Literal('run'), Type.Literal('preview')]);
export type PermitMode = Static<typeof PermitMode>;

/** The kernel's order for one (operation, attempt, mode); redeemed once. It has no arguments. */
export const Permit = Type.Object(
  {
    v: Type.Literal(1),
    permit_id: idSchema('permit'),
    tenant_id: idSchema('tenant'),
    operation_id: idSchema('operation'),
    attempt: Type.Integer({ minimum: 1 }),
    mode: PermitMode,
    lane: Type.Enum(LANES),
    tool_id: Type.String({ maxLength: 128 }),
    action_digest: Sha256Hex,
    image_digest: Type.Union([Type.String({ maxLength: 128 }), Type.Null()]),
    registered_image: Type.Optional(
      Type.Literal(true, { description: 'the image is none of the deployment: the redemption says how to get it' }),
    ),
    issued_at: Type.Integer(),
    expires_at: Type.Integer({ description: 'redeem before this, milliseconds since the epoch' }),
  },
  { additionalProperties: false },
);
export type Permit = Static<typeof Permit>;
export type Lane = Permit['lane'];

export const FUNCTION_PERMIT_PAYLOAD_TYPE = 'application/vnd.writ.function-permit.v1+json';

/**
 * The kernel's order to a tenant's own process for one (operation, attempt). The credential that it names redeems it
 * over the API, once. It has no arguments: the redemption returns those that its action digest covers.
 */
export const FunctionPermit = Type.Object(
  {
    v: Type.Literal(1),
    permit_id: idSchema('permit'),
    tenant_id: idSchema('tenant'),
    operation_id: idSchema('operation'),
    attempt: Type.Integer({ minimum: 1 }),
    api_key_id: idSchema('apiKey'),
    tool_id: Type.String({ maxLength: 128 }),
    action_digest: Sha256Hex,
    issued_at: Type.Integer(),
    expires_at: Type.Integer({ description: 'redeem before this, milliseconds since the epoch' }),
  },
  { additionalProperties: false },
);
export type FunctionPermit = Static<typeof FunctionPermit>;

/** DSSE v1 envelope; `payload` and `sig` are base64. */
export const Envelope = Type.Object(
  {
    payloadType: Type.String(),
    payload: Type.String(),
    signatures: Type.Array(Type.Object({ keyid: Type.String(), sig: Type.String() }, { additionalProperties: false }), {
      minItems: 1,
      maxItems: 8,
    }),
  },
  { additionalProperties: false },
);
export type Envelope = Static<typeof Envelope>;
