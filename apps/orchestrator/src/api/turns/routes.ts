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
    summary: 'Takes what a model wrote, runs the calls in it, and answers in the words of its dialect',
    query: Type.Object({ wait: Wait }, closed),
    queued: true,
    body: TurnBody,
    answers: {
      200: { says: 'Every call has ended: done, refused or failed', schema: TurnView },
      202: { says: 'A call is held for a person or under way; send the turn again to go on', schema: TurnView },
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
    summary: 'Tells what a model is told of its tools: those that a token grants, in the words of a dialect',
    query: Type.Object({ dialect: Dialect, capability_token_id: Key }, closed),
    answers: { 200: { says: 'The prompt', schema: PromptView } },
    faults: ['not_found', 'token.revoked', 'token.expired', 'token.not_yet_valid'],
  }),
};
