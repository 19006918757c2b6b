// SPDX-License-Identifier: Apache-2.0
import { SnapshotView, TreeEntry, WorkspaceView, idSchema } from '@writ/contract';
import { Type, type Static } from 'typebox';
import { closed, listOf, orNull } from '../../edge/requests/fields.ts';

export const TreeView = Type.Object(
  {
    workspace_id: idSchema('workspace'),
    snapshot_id: Type.String(),
    path: Type.String(),
    entries: Type.Array(TreeEntry),
    next_cursor: orNull(Type.String({ description: 'for `cursor` of the next request; null on the last page' })),
  },
  closed,
);
export type TreeView = Static<typeof TreeView>;
export const WorkspaceList = listOf(WorkspaceView);
export const SnapshotList = listOf(SnapshotView);
