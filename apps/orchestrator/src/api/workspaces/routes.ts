// SPDX-License-Identifier: Apache-2.0
import { DiffView, SnapshotId, TextDiff, WorkspaceLimits, WorkspaceLimitsChange, WorkspaceView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, Name, paging, StateRef } from '../../edge/requests/fields.ts';
import { ROLES, route } from '../../edge/requests/route.ts';
import { SnapshotList, TreeView, WorkspaceList } from './views.ts';

const shared = { tag: 'workspaces' } as const;
// An agent's token limits what it may read, call by call; these routes would bypass it.
const readRoute = {
  ...shared,
  allowed: ['admin', 'operator', 'auditor'],
  params: { workspace_id: 'workspace' },
} as const;

const twoStates = {
  from: StateRef,
  to: Type.Optional(StateRef),
  path: Type.Optional(Type.String({ maxLength: 4096, description: 'only this path and everything below it' })),
};

export const WORKSPACES = {
  create: route({
    ...shared,
    id: 'createWorkspace',
    method: 'POST',
    path: '/v1/workspaces',
    allowed: ['admin', 'operator'],
    summary: 'Creates an empty workspace',
    body: Type.Object({ name: Name }, closed),
    answers: { 201: { description: 'The workspace', schema: WorkspaceView } },
  }),
  list: route({
    ...shared,
    id: 'listWorkspaces',
    method: 'GET',
    path: '/v1/workspaces',
    allowed: ROLES,
    summary: 'Lists the workspaces',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of workspaces', schema: WorkspaceList } },
  }),
  read: route({
    ...shared,
    id: 'readWorkspace',
    method: 'GET',
    path: '/v1/workspaces/{workspace_id}',
    allowed: ROLES,
    params: { workspace_id: 'workspace' },
    summary: 'Shows a workspace and its head',
    answers: { 200: { description: 'The workspace', schema: WorkspaceView } },
    faults: ['not_found'],
  }),
  readLimits: route({
    ...shared,
    id: 'readWorkspaceLimits',
    method: 'GET',
    path: '/v1/workspaces/{workspace_id}/limits',
    allowed: ROLES,
    params: { workspace_id: 'workspace' },
    summary: 'Shows the limits of a workspace, and its usage',
    answers: { 200: { description: 'The limits', schema: WorkspaceLimits } },
    faults: ['not_found'],
  }),
  setLimits: route({
    ...shared,
    id: 'setWorkspaceLimits',
    method: 'PATCH',
    path: '/v1/workspaces/{workspace_id}/limits',
    allowed: ['admin'],
    params: { workspace_id: 'workspace' },
    summary: 'Sets the limits of a workspace; omitted ones stay, and null means no limit',
    body: WorkspaceLimitsChange,
    answers: { 200: { description: 'The new limits', schema: WorkspaceLimits } },
    faults: ['not_found'],
  }),
  tree: route({
    ...readRoute,
    id: 'readTree',
    method: 'GET',
    path: '/v1/workspaces/{workspace_id}/tree',
    summary: 'Lists the entries below a directory, each directory before its content',
    query: Type.Object(
      {
        path: Type.Optional(Type.String({ maxLength: 4096, description: 'a directory; default: the whole workspace' })),
        at: Type.Optional(StateRef),
        depth: Type.Optional(Type.Integer({ minimum: 1, maximum: 64, description: 'levels; default: all' })),
        cursor: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
        limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: 'entries; default: 10000' })),
      },
      closed,
    ),
    answers: { 200: { description: 'The entries', schema: TreeView } },
    faults: ['not_found', 'file.not_found', 'file.kind', 'path.invalid', 'path.escape'],
  }),
  history: route({
    ...readRoute,
    id: 'readHistory',
    method: 'GET',
    path: '/v1/workspaces/{workspace_id}/history',
    summary: 'Lists earlier heads of a workspace, newest first',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of snapshots', schema: SnapshotList } },
    faults: ['not_found'],
  }),
  diff: route({
    ...readRoute,
    id: 'readDiff',
    method: 'GET',
    path: '/v1/workspaces/{workspace_id}/diff',
    summary: 'Compares a state with another one, or with the head',
    query: Type.Object(twoStates, closed),
    answers: { 200: { description: 'The delta between the two', schema: DiffView } },
    faults: ['not_found', 'limit.exceeded', 'path.invalid', 'path.escape'],
  }),
  textDiff: route({
    ...readRoute,
    id: 'readTextDiff',
    method: 'GET',
    path: '/v1/workspaces/{workspace_id}/diff/text',
    summary: 'Returns the same comparison as unified diffs, file by file',
    query: Type.Object(twoStates, closed),
    answers: { 200: { description: 'The files; long and binary ones without text', schema: TextDiff } },
    faults: ['not_found', 'limit.exceeded', 'path.invalid', 'path.escape'],
  }),
  restore: route({
    ...shared,
    id: 'restoreWorkspace',
    method: 'POST',
    path: '/v1/workspaces/{workspace_id}/restore',
    allowed: ['admin', 'operator'],
    params: { workspace_id: 'workspace' },
    summary: 'Restores a workspace, or a path of it, to an earlier state',
    body: Type.Object(
      {
        at: StateRef,
        path: Type.Optional(
          Type.String({
            maxLength: 4096,
            description: 'the path to restore, with everything below it; default: the whole workspace',
          }),
        ),
        if_head: Type.Optional({ ...SnapshotId, description: 'only if this is still the head' }),
      },
      closed,
    ),
    answers: { 200: { description: 'The workspace with its new head', schema: WorkspaceView } },
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
