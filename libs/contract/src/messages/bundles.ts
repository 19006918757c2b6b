// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { idSchema, Sha256Hex } from '../ids.ts';
import { Envelope } from '../permit.ts';
import { Caller } from './operations.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;
const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** The payload type for signing a bundle's manifest with the record key: it can't be read as a record. */
export const BUNDLE_PAYLOAD_TYPE = 'application/vnd.writ.bundle.v1+json';

/** The names of the files in a bundle, which contains no others. */
export const BUNDLE_PATH =
  '^(checkpoint\\.txt|keys\\.json|key-history\\.ndjson|receipts/[0-9]{6}\\.ndjson|(policies|tools)/[0-9a-f]{64}\\.json)$';
/** Limit on the files of a manifest, so that it still fits into a message. */
const FILES_MAX = 4_000;

/** The description of a bundle by its creator. */
export const BundleContent = Type.Object(
  {
    /** the session of its operations; null for a range of time */
    session_id: orNull(Type.String({ maxLength: 128 })),
    /** milliseconds since the epoch; `until` is exclusive. Null for no limit */
    since: orNull(Count),
    until: orNull(Count),
    /** the size of the log by the checkpoint that all proofs refer to */
    tree_size: Type.Integer({ minimum: 1 }),
    records: Count,
    /** for a range of time: the first and last of its records, which are all included */
    first_leaf: orNull(Count),
    last_leaf: orNull(Count),
    files: Type.Array(
      Type.Object({ path: Type.String({ pattern: BUNDLE_PATH }), bytes: Count, sha256: Sha256Hex }, closed),
      { maxItems: FILES_MAX },
    ),
    /** contents that records name and that are no longer stored */
    missing: Type.Array(Type.Object({ kind: Type.Enum(['policy', 'tool']), sha256: Sha256Hex }, closed), {
      maxItems: FILES_MAX,
    }),
  },
  closed,
);
export type BundleContent = Static<typeof BundleContent>;

/** The manifest that the kernel signs. */
export const BundleManifest = Type.Object(
  {
    v: Type.Literal(1),
    tenant_id: idSchema('tenant'),
    log_id: idSchema('log'),
    kernel_key_id: Type.String(),
    made_at: Type.Integer({ minimum: 0, description: "milliseconds since the epoch by the database's clock" }),
    ...BundleContent.properties,
  },
  closed,
);
export type BundleManifest = Static<typeof BundleManifest>;

export const BundleSealed = Type.Object({ envelope: Envelope }, closed);
export type BundleSealed = Static<typeof BundleSealed>;

/** orchestrator → kernel, of bundles. */
export const BUNDLE_REQUESTS = {
  /** → BundleSealed: the manifest of the caller's tenant, signed as one */
  'bundle.seal': Type.Object({ v: Type.Literal(1), caller: Caller, content: BundleContent }, closed),
} as const;
