// SPDX-License-Identifier: Apache-2.0
import { DiffView, SnapshotId, WorkspaceView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, Name, paging } from '../fields.ts';
import { ROLES, route } from '../route.ts';
import { SnapshotList, TreeView, WorkspaceList } from '../views.ts';

const shared = { tag: 'workspaces' } as const;
// What an agent may read of a workspace its token says, call by call; these routes would go past it.
const eyes = { ...shared, allowed: ['admin', 'operator', 'auditor'], params: { workspace_id: 'workspace' } } as const;

export const WORKSPACES = {
  create: route({
    ...shared, id: 'createWorkspace', method: 'POST', path: '/v1/workspaces', allowed: ['admin', 'operator'], summary: 'Makes an empty workspace',
    body: Type.Object({ name: Name }, closed),
    answers: { 201: { says: 'The workspace', schema: WorkspaceView } },
  }),
  list: route({
    ...shared, id: 'listWorkspaces', method: 'GET', path: '/v1/workspaces', allowed: ROLES, summary: 'Lists the workspaces',
    query: Type.Object(paging, closed),
    answers: { 200: { says: 'A page of workspaces', schema: WorkspaceList } },
  }),
  read: route({
    ...shared, id: 'readWorkspace', method: 'GET', path: '/v1/workspaces/{workspace_id}', allowed: ROLES, params: { workspace_id: 'workspace' },
    summary: 'Shows a workspace and its head',
    answers: { 200: { says: 'The workspace', schema: WorkspaceView } },
    faults: ['not_found'],
  }),
  tree: route({
    ...eyes, id: 'readTree', method: 'GET', path: '/v1/workspaces/{workspace_id}/tree', summary: 'Lists what is below a directory, each directory before what it holds',
    query: Type.Object({
      path: Type.Optional(Type.String({ maxLength: 4096, description: 'a directory; the workspace unless said' })),
      snapshot_id: Type.Optional(SnapshotId),
      depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 64, description: 'levels; all unless said' })),
      cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'entries; 10000 unless said' })),
    }, closed),
    answers: { 200: { says: 'The entries', schema: TreeView } },
    faults: ['not_found', 'file.not_found', 'file.kind', 'path.invalid', 'path.escape'],
  }),
  snapshots: route({
    ...eyes, id: 'listSnapshots', method: 'GET', path: '/v1/workspaces/{workspace_id}/snapshots', summary: 'Lists the history, newest first',
    query: Type.Object(paging, closed),
    answers: { 200: { says: 'A page of snapshots', schema: SnapshotList } },
    faults: ['not_found'],
  }),
  diff: route({
    ...eyes, id: 'readDiff', method: 'GET', path: '/v1/workspaces/{workspace_id}/diff', summary: 'Tells what differs between a snapshot and another, or the head',
    query: Type.Object({
      from: SnapshotId,
      to: Type.Optional(SnapshotId),
    }, closed),
    answers: { 200: { says: 'The delta that leads from one to the other', schema: DiffView } },
    faults: ['not_found', 'limit.exceeded'],
  }),
};
