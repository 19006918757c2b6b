// SPDX-License-Identifier: Apache-2.0
import { Type, type Static, type TSchema } from 'typebox';
import { FileState } from '../delta.ts';

const orNull = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const closed = { additionalProperties: false } as const;

const FileText = orNull(Type.String({ description: 'a unified diff; null where `why_no_text` says why' }));

/** One file of a staged effect. */
export const FileDiff = Type.Object(
  {
    path: Type.String(),
    change: Type.Enum(['added', 'deleted', 'modified']),
    before: orNull(FileState),
    after: orNull(FileState),
    added_lines: orNull(Type.Integer({ minimum: 0 })),
    removed_lines: orNull(Type.Integer({ minimum: 0 })),
    text: FileText,
    why_no_text: orNull(Type.Enum(['binary', 'too_long', 'not_a_file'])),
  },
  closed,
);
export type FileDiff = Static<typeof FileDiff>;

/** A staged effect for approvers. It names every path; texts are shown as far as they fit. */
export const ApprovalDiff = Type.Object(
  {
    effect_digest: Type.String({ description: 'what an approval binds to' }),
    base_snapshot_id: Type.String(),
    files: Type.Array(FileDiff),
    files_total: Type.Integer({ minimum: 0 }),
  },
  closed,
);
export type ApprovalDiff = Static<typeof ApprovalDiff>;

/** The differences between two states of a workspace, as text. */
export const TextDiff = Type.Object(
  {
    from: Type.String({ description: 'a snapshot' }),
    to: Type.String({ description: 'a snapshot' }),
    files: Type.Array(FileDiff),
    files_total: Type.Integer({ minimum: 0, description: 'more than `files` where they are too many for one answer' }),
  },
  closed,
);
export type TextDiff = Static<typeof TextDiff>;
