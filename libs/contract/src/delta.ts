// SPDX-License-Identifier: Apache-2.0
import { Type, type Static } from 'typebox';
import { Sha256Hex, SnapshotId } from './ids.ts';

/** The state of a path. A directory has no content: `sha256` null, `size` 0. A symlink's content is its target text. */
export const FileState = Type.Object(
  {
    kind: Type.Union([Type.Literal('file'), Type.Literal('dir'), Type.Literal('symlink')]),
    mode: Type.Union([Type.Literal('644'), Type.Literal('755'), Type.Null()], { description: 'files only, else null' }),
    sha256: Type.Union([Sha256Hex, Type.Null()]),
    size: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  },
  { additionalProperties: false },
);
export type FileState = Static<typeof FileState>;

export const Change = Type.Object(
  {
    path: Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'relative to the workspace, `/` between segments',
    }),
    before: Type.Union([FileState, Type.Null()]),
    after: Type.Union([FileState, Type.Null()]),
  },
  { additionalProperties: false },
);
export type Change = Static<typeof Change>;

/**
 * A change between two snapshots: sorted by the bytes of the path, each path once, `before` and `after` never equal.
 */
export const Delta = Type.Object(
  { v: Type.Literal(1), base: SnapshotId, changes: Type.Array(Change) },
  { additionalProperties: false },
);
export type Delta = Static<typeof Delta>;

/** A content in the tenant's blob store. */
export const BlobRef = Type.Object(
  { sha256: Sha256Hex, size: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }) },
  { additionalProperties: false },
);
export type BlobRef = Static<typeof BlobRef>;
