// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema } from '../ids.ts';
import { Envelope } from '../permit.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;

/** kernel → ledger: `ledger.append`. At most 200 records and 512 KiB; the ledger verifies every signature. */
export const AppendRequest = Type.Object(
  {
    v: Type.Literal(1),
    records: Type.Array(
      Type.Object({ record_id: idSchema('record'), tenant_id: idSchema('tenant'), envelope: Envelope }, closed),
      { minItems: 1, maxItems: 200 },
    ),
  },
  closed,
);
export type AppendRequest = Static<typeof AppendRequest>;

/** The position of a record in its tenant's log: an RFC 6962 inclusion proof for a signed checkpoint. */
export const Inclusion = Type.Object(
  {
    leaf_index: Type.Integer({ minimum: 0 }),
    tree_size: Type.Integer({ minimum: 1 }),
    hashes: Type.Array(Type.String({ description: 'base64' })),
    checkpoint: Type.String({ description: 'C2SP signed note' }),
  },
  closed,
);
export type Inclusion = Static<typeof Inclusion>;

/**
 * One entry per record of the request, in its order; a record that is present already gets its old index. A record with
 * a fault isn't appended and doesn't block the others.
 */
export const AppendReply = Type.Object(
  {
    v: Type.Literal(1),
    appended: Type.Array(
      Type.Object(
        {
          record_id: idSchema('record'),
          leaf_index: orNull(Type.Integer()),
          tree_size: orNull(Type.Integer()),
          fault: orNull(Type.String()),
        },
        closed,
      ),
    ),
  },
  closed,
);
export type AppendReply = Static<typeof AppendReply>;

/** orchestrator → ledger: `ledger.receipt`. */
export const ReceiptRequest = Type.Object(
  {
    v: Type.Literal(1),
    tenant_id: idSchema('tenant'),
    operation_id: idSchema('operation'),
    phase: orNull(
      Type.Union([Type.Literal('decision'), Type.Literal('outcome'), Type.Literal('resolution')], {
        description: 'null: the outcome, else the last decision',
      }),
    ),
  },
  closed,
);
export type ReceiptRequest = Static<typeof ReceiptRequest>;

/** The receipt file, in the format that other verifiers read. */
export const Receipt = Type.Object(
  { media_type: Type.Literal('application/vnd.writ.receipt.v1+json'), envelope: Envelope, inclusion: Inclusion },
  closed,
);
export type Receipt = Static<typeof Receipt>;

/**
 * orchestrator → ledger: `ledger.checkpoint`; answers `{checkpoint: string}` (signed note), Fault `not_found` for a log
 * without records.
 */
export const CheckpointRequest = Type.Object({ v: Type.Literal(1), tenant_id: idSchema('tenant') }, closed);
export type CheckpointRequest = Static<typeof CheckpointRequest>;

const index = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
const width = Type.Integer({ minimum: 1, maximum: 256 });

/**
 * orchestrator → ledger: `ledger.tile`, a tile of hashes as in C2SP tlog-tiles; Fault `not_found` beyond the newest
 * checkpoint.
 */
export const TileRequest = Type.Object(
  { v: Type.Literal(1), tenant_id: idSchema('tenant'), level: Type.Integer({ minimum: 0, maximum: 63 }), index, width },
  closed,
);
export type TileRequest = Static<typeof TileRequest>;

/** The concatenated hashes. */
export const TileReply = Type.Object({ hashes: Type.String({ description: 'base64' }) }, closed);
export type TileReply = Static<typeof TileReply>;

/**
 * orchestrator → ledger: `ledger.entries`, the leaves of a tile of level 0 from its `from`-th on; Fault `not_found`
 * beyond the newest checkpoint.
 */
export const EntriesRequest = Type.Object(
  { v: Type.Literal(1), tenant_id: idSchema('tenant'), index, width, from: Type.Integer({ minimum: 0, maximum: 255 }) },
  closed,
);
export type EntriesRequest = Static<typeof EntriesRequest>;

/** As many as fit into one message, at least one; the next request starts after them. */
export const EntriesReply = Type.Object(
  { entries: Type.Array(Type.String({ description: 'base64' }), { minItems: 1, maxItems: 256 }) },
  closed,
);
export type EntriesReply = Static<typeof EntriesReply>;

/**
 * orchestrator → ledger: `ledger.signatures`, the kernel's signatures of the leaves of a tile of level 0; Fault
 * `not_found` beyond the newest checkpoint.
 */
export const SignaturesRequest = Type.Object(
  { v: Type.Literal(1), tenant_id: idSchema('tenant'), index, width },
  closed,
);
export type SignaturesRequest = Static<typeof SignaturesRequest>;

/** One for each leaf, in their order: with the leaf's bytes as payload it forms the envelope that the kernel sealed. */
export const Signatures = Type.Object(
  {
    signatures: Type.Array(
      Type.Object(
        {
          keyid: Type.String({ description: 'RFC 7638 thumbprint of the record key' }),
          sig: Type.String({ description: 'base64' }),
        },
        closed,
      ),
      { minItems: 1, maxItems: 256 },
    ),
  },
  closed,
);
export type Signatures = Static<typeof Signatures>;

/**
 * orchestrator → ledger: `ledger.inclusion`, a leaf's proof for the newest checkpoint; Fault `not_found` for a leaf
 * beyond it. Replies with an `Inclusion`.
 */
export const InclusionRequest = Type.Object(
  { v: Type.Literal(1), tenant_id: idSchema('tenant'), leaf_index: index },
  closed,
);
export type InclusionRequest = Static<typeof InclusionRequest>;

/**
 * orchestrator → ledger: `ledger.consistency`, that the log of `to` records begins with the one of `from`; Fault
 * `not_found` beyond the newest checkpoint.
 */
export const ConsistencyRequest = Type.Object(
  { v: Type.Literal(1), tenant_id: idSchema('tenant'), from: index, to: index },
  closed,
);
export type ConsistencyRequest = Static<typeof ConsistencyRequest>;

/** An RFC 6962 consistency proof; empty if there is nothing to prove: from the empty log, or from a size to itself. */
export const Consistency = Type.Object(
  {
    from: Type.Integer({ minimum: 0 }),
    to: Type.Integer({ minimum: 0 }),
    hashes: Type.Array(Type.String({ description: 'base64' })),
  },
  closed,
);
export type Consistency = Static<typeof Consistency>;

/**
 * orchestrator → ledger: `ledger.export`, records from one index on, each with its proof. `tree_size`: for the
 * checkpoint of that size, Fault `not_found` if none was signed; null: for the newest that covers the first of them,
 * preferably a witnessed one. Fault `not_found` for a log without records.
 */
export const ExportRequest = Type.Object(
  {
    v: Type.Literal(1),
    tenant_id: idSchema('tenant'),
    from: index,
    limit: Type.Integer({ minimum: 1, maximum: 256 }),
    tree_size: orNull(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
  },
  closed,
);
export type ExportRequest = Static<typeof ExportRequest>;

/**
 * As many as fit into one message, none at the end of the log. All proofs are for `checkpoint`, which has `tree_size`;
 * `newest_size` is the signed size of the log.
 */
export const ExportReply = Type.Object(
  {
    newest_size: Type.Integer({ minimum: 0 }),
    tree_size: Type.Integer({ minimum: 1 }),
    checkpoint: Type.String({ description: 'C2SP signed note' }),
    records: Type.Array(
      Type.Object(
        {
          leaf_index: Type.Integer({ minimum: 0 }),
          envelope: Envelope,
          hashes: Type.Array(Type.String({ description: 'base64' })),
        },
        closed,
      ),
      { maxItems: 256 },
    ),
  },
  closed,
);
export type ExportReply = Static<typeof ExportReply>;

/**
 * Event `logged`: a newer checkpoint of the tenant's log is stored. Processes that wait for records then read them; a
 * lost event costs a poll.
 */
export const LoggedEvent = Type.Object({ v: Type.Literal(1), tenant_id: idSchema('tenant') }, closed);
export type LoggedEvent = Static<typeof LoggedEvent>;
