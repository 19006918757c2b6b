// SPDX-License-Identifier: Apache-2.0
import { LIMITS, WorkspaceView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, StateRef } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';

const Mode = Type.Enum(['644', '755']);
const hands = { tag: 'workspaces', allowed: ['admin', 'operator'] } as const;
const TAR = 'application/x-tar';
const Directory = Type.String({ maxLength: 4096, description: 'a directory; the workspace unless said' });
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
    ...hands,
    id: 'uploadFiles',
    method: 'POST',
    path: '/v1/workspaces/{workspace_id}/files',
    params: { workspace_id: 'workspace' },
    summary: 'Puts many files in one change',
    bodyBytesMax: LIMITS.filesBodyBytes.max,
    body: Type.Object(
      {
        files: Type.Array(
          Type.Object(
            {
              path: Type.String({ minLength: 1, maxLength: 4096 }),
              content: Type.String(),
              encoding: Type.Optional(Type.Enum(['utf8', 'base64'], { description: 'of `content`; utf8 unless said' })),
              mode: Type.Optional(Mode),
            },
            closed,
          ),
          { minItems: 1, maxItems: 5000 },
        ),
      },
      closed,
    ),
    answers: { 200: { says: 'The workspace with its new head', schema: WorkspaceView } },
    faults,
  }),
  download: route({
    ...file,
    id: 'downloadFile',
    tag: 'workspaces',
    method: 'GET',
    allowed: ['admin', 'operator', 'auditor'],
    summary: "Gives a file's content; `ETag` is its SHA-256",
    query: Type.Object({ at: Type.Optional(StateRef) }, closed),
    answers: {
      200: { says: 'The content', media: 'application/octet-stream' },
      304: { says: 'It is what `If-None-Match` names' },
    },
    faults: [...faults, 'file.not_found'],
  }),
  put: route({
    ...hands,
    ...file,
    id: 'uploadFile',
    method: 'PUT',
    summary: 'Puts one file, making its directories',
    bytes: true,
    query: Type.Object({ mode: Type.Optional(Mode) }, closed),
    answers: { 200: { says: 'The workspace with its new head', schema: WorkspaceView } },
    faults,
  }),
  remove: route({
    ...hands,
    ...file,
    id: 'deleteFile',
    method: 'DELETE',
    summary: 'Takes a file away, or a directory with all it holds',
    answers: { 200: { says: 'The workspace with its new head', schema: WorkspaceView } },
    faults: [...faults, 'file.not_found'],
  }),
  export: route({
    id: 'exportWorkspace',
    tag: 'workspaces',
    method: 'GET',
    path: '/v1/workspaces/{workspace_id}/export',
    allowed: ['admin', 'operator', 'auditor'],
    params: { workspace_id: 'workspace' },
    summary: 'Gives a state of it, or a directory of that, as a tar archive',
    query: Type.Object({ at: Type.Optional(StateRef), path: Type.Optional(Directory) }, closed),
    answers: { 200: { says: 'The archive, POSIX.1-2001, as it is packed', media: TAR } },
    faults: ['not_found', 'file.not_found', 'file.kind', 'path.invalid', 'path.escape'],
  }),
  import: route({
    ...hands,
    id: 'importWorkspace',
    method: 'POST',
    path: '/v1/workspaces/{workspace_id}/import',
    params: { workspace_id: 'workspace' },
    summary: 'Unpacks a tar archive into it, in one change',
    bytes: true,
    bytesOf: { media: TAR, bytesMax: LIMITS.importBytes.max },
    query: Type.Object(
      {
        path: Type.Optional(Directory),
        replace: Type.Optional(
          Type.Boolean({ description: 'whether what the archive does not name is taken away; it stays unless said' }),
        ),
      },
      closed,
    ),
    answers: { 200: { says: 'The workspace with its new head', schema: WorkspaceView } },
    faults: [...faults, 'limit.exceeded'],
  }),
};
