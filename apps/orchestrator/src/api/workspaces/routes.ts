// SPDX-License-Identifier: Apache-2.0
import { DiffView, SnapshotId, TextDiff, WorkspaceLimits, WorkspaceLimitsChange, WorkspaceView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, Name, paging, StateRef } from '../../edge/requests/fields.ts';
import { ROLES, route } from '../../edge/requests/route.ts';
import { SnapshotList, TreeView, WorkspaceList } from './views.ts';

const shared = { tag: 'workspaces' } as const;
// What an agent may read of a workspace its token says, call by call; these routes would go past it.
const eyes = { ...shared, allowed: ['admin', 'operator', 'auditor'], params: { workspace_id: 'workspace' } } as const;

const twoStates = {
  from: StateRef,
  to: Type.Optional(StateRef),
  path: Type.Optional(Type.String({ maxLength: 4096, description: 'only what is at this path and below it' })),
};

export const WORKSPACES = {
  create: route({
    ...shared,
    id: 'createWorkspace',
    method: 'POST',
    path: '/v1/workspaces',
    allowed: ['admin', 'operator'],
    summary: 'Makes an empty workspace',
    body: Type.Object({ name: Name }, closed),
    answers: { 201: { says: 'The workspace', schema: WorkspaceView } },
  }),
  list: route({
    ...shared,
    id: 'listWorkspaces',
    method: 'GET',
    path: '/v1/workspaces',
    allowed: ROLES,
    summary: 'Lists the workspaces',
    query: Type.Object(paging, closed),
    answers: { 200: { says: 'A page of workspaces', schema: WorkspaceList } },
  }),
  read: route({
    ...shared,
    id: 'readWorkspace',
    method: 'GET',
    path: '/v1/workspaces/{workspace_id}',
    allowed: ROLES,
    params: { workspace_id: 'workspace' },
    summary: 'Shows a workspace and its head',
    answers: { 200: { says: 'The workspace', schema: WorkspaceView } },
    faults: ['not_found'],
  }),
  readLimits: route({
    ...shared,
    id: 'readWorkspaceLimits',
    method: 'GET',
    path: '/v1/workspaces/{workspace_id}/limits',
    allowed: ROLES,
    params: { workspace_id: 'workspace' },
    summary: 'Shows what a workspace may hold, and holds',
    answers: { 200: { says: 'The limits', schema: WorkspaceLimits } },
    faults: ['not_found'],
  }),
  setLimits: route({
    ...shared,
    id: 'setWorkspaceLimits',
    method: 'PATCH',
    path: '/v1/workspaces/{workspace_id}/limits',
    allowed: ['admin'],
    params: { workspace_id: 'workspace' },
    summary: "Sets what a workspace may hold; what isn't named stays, and null is without bound",
    body: WorkspaceLimitsChange,
    answers: { 200: { says: 'The limits as they are then', schema: WorkspaceLimits } },
    faults: ['not_found'],
  }),
  tree: route({
    ...eyes,
    id: 'readTree',
    method: 'GET',
    path: '/v1/workspaces/{workspace_id}/tree',
    summary: 'Lists what is below a directory, each directory before what it holds',
    query: Type.Object(
      {
        path: Type.Optional(Type.String({ maxLength: 4096, description: 'a directory; the workspace unless said' })),
        at: Type.Optional(StateRef),
        depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 64, description: 'levels; all unless said' })),
        cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'entries; 10000 unless said' })),
      },
      closed,
    ),
    answers: { 200: { says: 'The entries', schema: TreeView } },
    faults: ['not_found', 'file.not_found', 'file.kind', 'path.invalid', 'path.escape'],
  }),
  history: route({
    ...eyes,
    id: 'readHistory',
    method: 'GET',
    path: '/v1/workspaces/{workspace_id}/history',
    summary: 'Lists the states that were its head, newest first',
    query: Type.Object(paging, closed),
    answers: { 200: { says: 'A page of snapshots', schema: SnapshotList } },
    faults: ['not_found'],
  }),
  diff: route({
    ...eyes,
    id: 'readDiff',
    method: 'GET',
    path: '/v1/workspaces/{workspace_id}/diff',
    summary: 'Tells what differs between a state and another, or the head',
    query: Type.Object(twoStates, closed),
    answers: { 200: { says: 'The delta that leads from one to the other', schema: DiffView } },
    faults: ['not_found', 'limit.exceeded', 'path.invalid', 'path.escape'],
  }),
  textDiff: route({
    ...eyes,
    id: 'readTextDiff',
    method: 'GET',
    path: '/v1/workspaces/{workspace_id}/diff/text',
    summary: 'Tells the same as unified diffs, file by file',
    query: Type.Object(twoStates, closed),
    answers: { 200: { says: 'The files, those that are long or no text without it', schema: TextDiff } },
    faults: ['not_found', 'limit.exceeded', 'path.invalid', 'path.escape'],
  }),
  restore: route({
    ...shared,
    id: 'restoreWorkspace',
    method: 'POST',
    path: '/v1/workspaces/{workspace_id}/restore',
    allowed: ['admin', 'operator'],
    params: { workspace_id: 'workspace' },
    summary: 'Makes the workspace, or a path of it, what it was in an earlier state',
    body: Type.Object(
      {
        at: StateRef,
        path: Type.Optional(
          Type.String({
            maxLength: 4096,
            description: 'what is to be as it was, with all below it; everything unless said',
          }),
        ),
        if_head: Type.Optional({ ...SnapshotId, description: 'only if this is the head still' }),
      },
      closed,
    ),
    answers: { 200: { says: 'The workspace with its new head', schema: WorkspaceView } },
    faults: [
      'not_found',
      'file.not_found',
      'path.invalid',
      'path.escape',
      'conflict',
      'workspace.conflict',
      'workspace.quota',
      'limit.exceeded',
    ],
  }),
};
