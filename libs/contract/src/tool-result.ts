// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { BlobRef } from './delta.ts';
import { DeltaId, idSchema, Sha256Hex, SnapshotId } from './ids.ts';
import { AutonomyMode, Reason, TxOutcome } from './states.ts';
import { Provenance } from './tool-call.ts';

const closed = { additionalProperties: false } as const;
const orNull = <T extends import('typebox').TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

/** The state of an operation's receipt. `pending` means that the record is durable and not yet in the log. */
export const ReceiptState = Type.Object(
  {
    state: Type.Union([Type.Literal('logged'), Type.Literal('pending')]),
    record_id: idSchema('record'),
    href: Type.String({ description: 'path of the receipt under the API' }),
    leaf_index: orNull(Type.Integer({ minimum: 0 })),
    tree_size: orNull(Type.Integer({ minimum: 0 })),
  },
  closed,
);
export type ReceiptState = Static<typeof ReceiptState>;

export const ResultError = Type.Object(
  { code: Type.String(), message: Type.String(), hint: orNull(Type.String()) },
  closed,
);
export type ResultError = Static<typeof ResultError>;

const KeptStream = Type.Object(
  {
    bytes: Type.Integer({ minimum: 0 }),
    cut: Type.Boolean({
      description: 'the command wrote more than is read of one command: the end of its output is missing',
    }),
  },
  closed,
);

/** The address of a command's full output, of which the result shows the beginning. */
export const FullOutputView = Type.Object(
  {
    href: Type.String({ description: 'path under the API; `?stream=stderr` gives the other stream' }),
    stdout: KeptStream,
    stderr: KeptStream,
    expires_at: orNull(
      Type.Integer({
        minimum: 0,
        description:
          "when it is deleted, in milliseconds since the epoch; null: it was not stored, since the tenant's outputs were at their limit (`outputs_bytes_max`)",
      }),
    ),
  },
  closed,
);
export type FullOutputView = Static<typeof FullOutputView>;

/** The result of a decided call (TOOL-01 §2). */
export const ToolResult = Type.Object(
  {
    v: Type.Literal(1),
    operation_id: idSchema('operation'),
    tool_id: Type.String(),
    agent_id: idSchema('agent'),
    workspace_id: orNull(Type.String()),
    status: Type.Union([Type.Literal('ok'), Type.Literal('error')]),
    state_snapshot_id: orNull(SnapshotId),
    new_snapshot_id: orNull(SnapshotId),
    result: Type.Unknown({ description: "the tool's result; with an error too, such as a failed command's output" }),
    result_ref: orNull(BlobRef),
    whole_output: Type.Optional({
      ...FullOutputView,
      description: 'of a command whose output the result cuts; absent for all others',
    }),
    result_hash: orNull(Sha256Hex),
    error: orNull(ResultError),
    reasons: Type.Array(Reason),
    provenance: Provenance,
    task_class: Type.String(),
    autonomy_mode: AutonomyMode,
    risk_score: Type.Number({ minimum: 0, maximum: 1 }),
    tx_outcome: TxOutcome,
    commit_delta_id: orNull(DeltaId),
    receipt: orNull(ReceiptState),
  },
  closed,
);
export type ToolResult = Static<typeof ToolResult>;
