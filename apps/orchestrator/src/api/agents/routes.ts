// SPDX-License-Identifier: Apache-2.0
import { AgentView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, Name, paging } from '../../edge/requests/fields.ts';
import { ROLES, route } from '../../edge/requests/route.ts';
import { AgentList } from './views.ts';

const shared = { tag: 'agents' } as const;

export const AGENTS = {
  list: route({
    ...shared,
    id: 'listAgents',
    method: 'GET',
    path: '/v1/agents',
    allowed: ROLES,
    summary: 'Lists the agents',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of agents', schema: AgentList } },
  }),
  create: route({
    ...shared,
    id: 'createAgent',
    method: 'POST',
    path: '/v1/agents',
    allowed: ['admin'],
    summary: 'Creates an agent',
    body: Type.Object({ name: Name }, closed),
    answers: { 201: { description: 'The agent', schema: AgentView } },
  }),
  read: route({
    ...shared,
    id: 'readAgent',
    method: 'GET',
    path: '/v1/agents/{agent_id}',
    params: { agent_id: 'agent' },
    allowed: ROLES,
    summary: 'Shows an agent',
    answers: { 200: { description: 'The agent', schema: AgentView } },
    faults: ['not_found'],
  }),
};
