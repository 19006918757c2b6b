// SPDX-License-Identifier: Apache-2.0
import { Envelope, RegistrarKeyView, SandboxName, SandboxPutReply, SandboxDetails } from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { RegistrarKeyList, SandboxList } from './views.ts';

const READER_ROLES = ['admin', 'operator', 'auditor'] as const;
const shared = { tag: 'sandboxes', path: '/v1/sandboxes' } as const;
const one = { tag: 'sandboxes', path: '/v1/sandboxes/{sandbox}', params: { sandbox: 'sandbox' } } as const;
const keys = { tag: 'sandboxes', path: '/v1/registrar-keys' } as const;
const key = { tag: 'sandboxes', params: { keyid: 'keyid' } } as const;
const Empty = Type.Object({}, closed);
const workspace_id = Type.String({ minLength: 1, maxLength: 64, description: 'the workspace that its scripts run in' });

/** Sandboxes of mk8.shell, and the public keys of those who sign them. */
export const SANDBOXES = {
  list: route({
    ...shared,
    id: 'listSandboxes',
    method: 'GET',
    allowed: READER_ROLES,
    summary: 'Lists the sandboxes of mk8.shell, by name',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of sandboxes', schema: SandboxList } },
  }),
  put: route({
    ...shared,
    id: 'putSandbox',
    tagged: 'reply',
    makes: true,
    method: 'PUT',
    allowed: ['admin'],
    summary: 'Registers or changes a sandbox of mk8.shell; a changed sandbox has to be signed again',
    // Accepts any shape here, so that the answer lists all errors at once.
    body: Type.Object(
      {
        name: SandboxName,
        workspace_id,
        rules: Type.Optional(Type.Unknown()),
        enabled_templates: Type.Optional(Type.Unknown()),
        fragments: Type.Optional(Type.Unknown()),
      },
      closed,
    ),
    documentedBody: Type.Object(
      {
        name: SandboxName,
        workspace_id,
        rules: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), {
            description: 'what it adds to the shipped rules: `mk8-rules.v1.json`, every member optional',
          }),
        ),
        enabled_templates: Type.Optional(
          Type.Union([Type.Array(Type.String()), Type.Null()], {
            description: 'the only templates that ProcRun may use; null: all',
          }),
        ),
        fragments: Type.Optional(
          Type.Record(Type.String(), Type.Array(Type.Unknown()), {
            description: 'operations by the name that Include uses',
          }),
        ),
      },
      closed,
    ),
    answers: {
      200: {
        description:
          'The sandbox; or, where `valid` is false, everything that is wrong with it, and nothing has changed',
        schema: SandboxPutReply,
      },
    },
    faults: ['workspace.unknown', 'limit.exceeded'],
  }),
  read: route({
    ...one,
    id: 'readSandbox',
    method: 'GET',
    allowed: READER_ROLES,
    tagged: 'view',
    summary: 'Shows one sandbox of mk8.shell, its signed environment, and whether scripts run in it',
    answers: { 200: { description: 'The sandbox', schema: SandboxDetails } },
  }),
  sign: route({
    ...one,
    id: 'signSandbox',
    tagged: 'view',
    path: '/v1/sandboxes/{sandbox}/signature',
    method: 'PUT',
    allowed: ['admin'],
    summary: "Stores a registrar's signature of the current sandbox and its environment",
    body: Type.Object({ envelope: Envelope }, closed),
    answers: { 200: { description: 'The sandbox', schema: SandboxDetails } },
    faults: ['sandbox.unverified', 'conflict'],
  }),
  remove: route({
    ...one,
    id: 'removeSandbox',
    tagged: 'view',
    method: 'DELETE',
    allowed: ['admin'],
    summary: 'Removes a sandbox of mk8.shell: no script runs in it from then on',
    answers: {
      200: { description: 'The name of the removed sandbox', schema: Type.Object({ removed: Type.String() }, closed) },
    },
  }),
  listKeys: route({
    ...keys,
    id: 'listRegistrarKeys',
    method: 'GET',
    allowed: READER_ROLES,
    summary: 'Lists the public keys of registrars, who sign sandboxes, newest first',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of keys', schema: RegistrarKeyList } },
  }),
  addKey: route({
    ...keys,
    id: 'addRegistrarKey',
    method: 'POST',
    allowed: ['admin'],
    summary: "Adds a registrar's public key: signatures by its private key are accepted from then on",
    body: Type.Object(
      {
        public_key: RegistrarKeyView.properties.public_key,
        note: Type.Optional(Type.String({ maxLength: 1000, description: 'for people' })),
      },
      closed,
    ),
    answers: { 200: { description: 'The key', schema: RegistrarKeyView } },
    faults: ['conflict', 'limit.exceeded'],
  }),
  retireKey: route({
    ...key,
    id: 'retireRegistrarKey',
    method: 'POST',
    path: '/v1/registrar-keys/{keyid}/retire',
    allowed: ['admin'],
    summary: "Retires a registrar's key: its signatures stay valid, and new ones are refused",
    body: Empty,
    answers: { 200: { description: 'The key', schema: RegistrarKeyView } },
  }),
  revokeKey: route({
    ...key,
    id: 'revokeRegistrarKey',
    method: 'POST',
    path: '/v1/registrar-keys/{keyid}/revoke',
    allowed: ['admin'],
    summary: "Revokes a registrar's key: nothing runs in a sandbox that it signed until another key signs it",
    body: Empty,
    answers: { 200: { description: 'The key', schema: RegistrarKeyView } },
  }),
};
