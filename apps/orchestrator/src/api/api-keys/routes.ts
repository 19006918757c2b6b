// SPDX-License-Identifier: Apache-2.0
import { idSchema, PersonName } from '@writ/contract';
import { Type } from 'typebox';
import { KeyScopes, WorkerTools } from '../../edge/access/key-schemas.ts';
import { closed, Name, paging } from '../../edge/requests/fields.ts';
import { KEY_ROLES, route } from '../../edge/requests/route.ts';
import { ApiKeyList, KeyEnd, NewApiKey, RevokedApiKey, RotateKeyBody, RotateOwnKeyBody } from './views.ts';

const shared = { tag: 'api-keys', allowed: ['admin'] } as const;

export const API_KEYS = {
  list: route({
    ...shared,
    id: 'listApiKeys',
    method: 'GET',
    path: '/v1/api-keys',
    summary: 'Lists the keys, including revoked ones',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of keys, without the keys themselves', schema: ApiKeyList } },
  }),
  create: route({
    ...shared,
    id: 'createApiKey',
    method: 'POST',
    path: '/v1/api-keys',
    summary: 'Creates a key, which is shown once',
    body: Type.Object(
      {
        name: Name,
        role: Type.Enum(KEY_ROLES),
        agent_id: Type.Optional(idSchema('agent')),
        principal: Type.Optional(PersonName),
        member_id: Type.Optional({ ...idSchema('member'), description: 'the service account whose key it is' }),
        tools: Type.Optional(WorkerTools),
        scopes: Type.Optional(KeyScopes),
        expires_at: Type.Optional(KeyEnd),
      },
      closed,
    ),
    answers: { 201: { description: 'The key', schema: NewApiKey } },
    faults: ['not_found', 'conflict'],
  }),
  rotate: route({
    ...shared,
    id: 'rotateApiKey',
    method: 'POST',
    path: '/v1/api-keys/{api_key_id}/rotate',
    params: { api_key_id: 'apiKey' },
    summary: 'Exchanges the secret of a key, which keeps its id and all that depends on it',
    body: RotateKeyBody,
    answers: { 200: { description: 'The key with its new secret, which is shown once', schema: NewApiKey } },
    faults: ['not_found', 'conflict'],
  }),
  rotateOwn: route({
    ...shared,
    id: 'rotateOwnApiKey',
    method: 'POST',
    path: '/v1/api-keys/own/rotate',
    allowed: KEY_ROLES,
    unscoped: true,
    summary: 'Exchanges the secret of the key that the request presents',
    body: RotateOwnKeyBody,
    answers: { 200: { description: 'The key with its new secret, which is shown once', schema: NewApiKey } },
    faults: ['conflict'],
  }),
  revoke: route({
    ...shared,
    id: 'revokeApiKey',
    method: 'DELETE',
    path: '/v1/api-keys/{api_key_id}',
    params: { api_key_id: 'apiKey' },
    summary: 'Revokes a key: it is rejected within a second, and its calls and runs end',
    answers: { 200: { description: 'The revoked key, and what it created that remains', schema: RevokedApiKey } },
    faults: ['not_found', 'conflict'],
  }),
};
