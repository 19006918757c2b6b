// SPDX-License-Identifier: Apache-2.0
import { idSchema, PersonName } from '@writ/contract';
import { Type } from 'typebox';
import { closed, Name, paging } from '../../edge/requests/fields.ts';
import { KEY_ROLES, route } from '../../edge/requests/route.ts';
import { ApiKeyList, NewApiKey, RevokedApiKey, WorkerTools } from './views.ts';

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
        tools: Type.Optional(WorkerTools),
      },
      closed,
    ),
    answers: { 201: { description: 'The key', schema: NewApiKey } },
    faults: ['not_found'],
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
