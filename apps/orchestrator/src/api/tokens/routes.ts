// SPDX-License-Identifier: Apache-2.0
import { Grant, idSchema } from '@writ/contract';
import { Type } from 'typebox';
import { closed, Key, paging } from '../../edge/requests/fields.ts';
import { Expand } from '../../edge/expansions/expansions.ts';
import { ROLES, route } from '../../edge/requests/route.ts';
import { ExpandableToken, TokenList } from './views.ts';
import { TokenView } from '../../calls/kernel/token-view.ts';

const shared = { tag: 'capability-tokens' } as const;
const agent = { route: 'readAgent', param: 'agent_id' } as const;
const children = { route: 'listTokens', param: 'parent_id', member: 'capability_token_id' } as const;
const one = { ...shared, params: { capability_token_id: 'token' } } as const;

export const TOKENS = {
  issue: route({
    ...shared,
    id: 'issueToken',
    method: 'POST',
    path: '/v1/capability-tokens',
    allowed: ['admin'],
    summary: 'Issues a token to an agent',
    body: Type.Object(
      {
        agent_id: idSchema('agent'),
        workspace_id: Type.Optional(Type.Union([idSchema('workspace'), Type.Null()])),
        grant: Grant,
      },
      closed,
    ),
    answers: { 201: { description: 'The token', schema: TokenView } },
    faults: ['not_found', 'path.invalid', 'path.escape'],
  }),
  attenuate: route({
    ...one,
    id: 'attenuateToken',
    method: 'POST',
    path: '/v1/capability-tokens/{capability_token_id}/attenuate',
    allowed: ['admin', 'agent'],
    summary: 'Creates a child token that grants less, for the same agent or another',
    body: Type.Object(
      { agent_id: Type.Optional(idSchema('agent')), workspace_id: Type.Optional(idSchema('workspace')), grant: Grant },
      closed,
    ),
    answers: { 201: { description: 'The child', schema: TokenView } },
    faults: [
      'not_found',
      'token.not_narrower',
      'token.depth',
      'token.revoked',
      'token.expired',
      'token.not_yet_valid',
      'path.invalid',
      'path.escape',
    ],
  }),
  list: route({
    ...shared,
    id: 'listTokens',
    method: 'GET',
    path: '/v1/capability-tokens',
    allowed: ROLES,
    summary: "Lists tokens; an agent's key sees its own and their descendants",
    query: Type.Object(
      { ...paging, agent_id: Type.Optional(Key), parent_id: Type.Optional(Key), expand: Expand('agent') },
      closed,
    ),
    expands: { agent },
    answers: { 200: { description: 'A page of tokens', schema: TokenList } },
    faults: ['not_found'],
  }),
  read: route({
    ...one,
    id: 'readToken',
    method: 'GET',
    path: '/v1/capability-tokens/{capability_token_id}',
    allowed: ROLES,
    tagged: 'view',
    summary: 'Shows a token and its used budgets',
    query: Type.Object({ expand: Expand('agent', 'children') }, closed),
    expands: { agent, children },
    answers: { 200: { description: 'The token', schema: ExpandableToken } },
    faults: ['not_found'],
  }),
  revoke: route({
    ...one,
    id: 'revokeToken',
    tagged: 'view',
    method: 'POST',
    path: '/v1/capability-tokens/{capability_token_id}/revoke',
    allowed: ['admin', 'operator', 'agent'],
    summary: "Revokes a token and its descendants; an agent's key may revoke only descendants of its tokens",
    body: Type.Object({}, closed),
    answers: { 200: { description: 'The revoked token', schema: TokenView } },
    faults: ['not_found'],
  }),
};
