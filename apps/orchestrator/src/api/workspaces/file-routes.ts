// SPDX-License-Identifier: Apache-2.0
import { LIMITS, WorkspaceView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, StateRef } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';

const Mode = Type.Enum(['644', '755']);
const writeRoute = { tag: 'workspaces', allowed: ['admin', 'operator'] } as const;
const TAR = 'application/x-tar';
const Directory = Type.String({ maxLength: 4096, description: 'a directory; default: the whole workspace' });
const file = {
  path: '/v1/workspaces/{workspace_id}/files/{path}',
  params: { workspace_id: 'workspace', path: 'path' },
} as const;
const faults = [
  'not_found',
  'path.invalid',
  'path.escape',
  'file.kind',
  'workspace.conflict',
  'workspace.quota',
] as const;

export const FILES = {
  upload: route({
    ...writeRoute,
    id: 'uploadFiles',
    method: 'POST',
    path: '/v1/workspaces/{workspace_id}/files',
    params: { workspace_id: 'workspace' },
    summary: 'Uploads many files in one change',
    bodyBytesMax: LIMITS.filesBodyBytes.max,
    body: Type.Object(
      {
        files: Type.Array(
          Type.Object(
            {
              path: Type.String({ minLength: 1, maxLength: 4096 }),
              content: Type.String(),
              encoding: Type.Optional(Type.Enum(['utf8', 'base64'], { description: 'of `content`; default: utf8' })),
              mode: Type.Optional(Mode),
            },
            closed,
          ),
          { minItems: 1, maxItems: 5000 },
        ),
      },
      closed,
    ),
    answers: { 200: { description: 'The workspace with its new head', schema: WorkspaceView } },
    faults,
  }),
  download: route({
    ...file,
    id: 'downloadFile',
    tagged: 'file',
    tag: 'workspaces',
    method: 'GET',
    allowed: ['admin', 'operator', 'auditor'],
    summary: "Returns a file's content; `ETag` is its SHA-256",
    query: Type.Object({ at: Type.Optional(StateRef) }, closed),
    answers: { 200: { description: 'The content', media: 'application/octet-stream' } },
    faults: [...faults, 'file.not_found'],
  }),
  put: route({
    ...writeRoute,
    ...file,
    id: 'uploadFile',
    tagged: 'file',
    makes: true,
    method: 'PUT',
    summary: 'Uploads one file, and creates its directories',
    bytes: true,
    query: Type.Object({ mode: Type.Optional(Mode) }, closed),
    answers: { 200: { description: 'The workspace with its new head', schema: WorkspaceView } },
    faults,
  }),
  remove: route({
    ...writeRoute,
    ...file,
    id: 'deleteFile',
    tagged: 'file',
    method: 'DELETE',
    summary: 'Deletes a file, or a directory with its content',
    answers: { 200: { description: 'The workspace with its new head', schema: WorkspaceView } },
    faults: [...faults, 'file.not_found'],
  }),
  export: route({
    id: 'exportWorkspace',
    tag: 'workspaces',
    method: 'GET',
    path: '/v1/workspaces/{workspace_id}/export',
    allowed: ['admin', 'operator', 'auditor'],
    params: { workspace_id: 'workspace' },
    summary: 'Exports a state of a workspace, or one of its directories, as a tar archive',
    query: Type.Object({ at: Type.Optional(StateRef), path: Type.Optional(Directory) }, closed),
    answers: { 200: { description: 'The archive, POSIX.1-2001', media: TAR } },
    faults: ['not_found', 'file.not_found', 'file.kind', 'path.invalid', 'path.escape'],
  }),
  import: route({
    ...writeRoute,
    id: 'importWorkspace',
    method: 'POST',
    path: '/v1/workspaces/{workspace_id}/import',
    params: { workspace_id: 'workspace' },
    summary: 'Unpacks a tar archive into a workspace, in one change',
    bytes: true,
    bytesOf: { media: TAR, bytesMax: LIMITS.importBytes.max },
    query: Type.Object(
      {
        path: Type.Optional(Directory),
        replace: Type.Optional(
          Type.Boolean({
            description: 'whether files that the archive does not contain are deleted; default: they stay',
          }),
        ),
      },
      closed,
    ),
    answers: { 200: { description: 'The workspace with its new head', schema: WorkspaceView } },
    faults: [...faults, 'limit.exceeded'],
  }),
};
