// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { Dialect, PromptView, TurnBody, TurnView } from '../../runs/turns/turn-schemas.ts';
import { closed, Key, Wait } from '../../edge/requests/fields.ts';
import { ROLES, route } from '../../edge/requests/route.ts';

export const TURNS = {
  run: route({
    id: 'runTurn',
    method: 'POST',
    path: '/v1/turns',
    tag: 'turns',
    allowed: ['admin', 'agent'],
    summary: 'Parses the output of a model, runs its calls, and returns their results in its dialect',
    query: Type.Object({ wait: Wait }, closed),
    queued: true,
    body: TurnBody,
    answers: {
      200: { description: 'Every call has ended: done, refused or failed', schema: TurnView },
      202: {
        description: 'A call is held for a person or in progress; send the turn again to continue',
        schema: TurnView,
      },
    },
    faults: [
      'conflict',
      'limit.exceeded',
      'overloaded',
      'queue.full',
      'record.backlog',
      'bus.unreachable',
      'database.unavailable',
      'not_found',
    ],
  }),
  prompt: route({
    id: 'readPrompt',
    method: 'GET',
    path: '/v1/prompts',
    tag: 'turns',
    allowed: ROLES,
    summary: 'Returns the system prompt that a session with a token begins with, in a dialect',
    query: Type.Object(
      {
        dialect: Dialect,
        capability_token_id: Key,
        workspace_id: Type.Optional({
          ...Key,
          description:
            "the workspace whose `CODE.md` it includes; it is read by a call of the token's agent, which is decided and recorded, so only administrators and agents name one",
        }),
      },
      closed,
    ),
    answers: { 200: { description: 'The prompt', schema: PromptView } },
    faults: [
      'not_found',
      'token.revoked',
      'token.expired',
      'token.not_yet_valid',
      'token.scope',
      'workspace.unknown',
      'auth.role',
      'queue.full',
      'overloaded',
      'record.backlog',
      'bus.unreachable',
      'database.unavailable',
    ],
  }),
};
