// SPDX-License-Identifier: Apache-2.0
import { CALL_USAGE_BY, UsageDay } from '@writ/contract';
import { Type } from 'typebox';
import { closed, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { CallUsageView } from './views.ts';

const DIMENSION = `(${CALL_USAGE_BY.join('|')})`;

export const CALL_USAGE = {
  read: route({
    id: 'readCallUsage',
    method: 'GET',
    path: '/v1/usage/calls',
    tag: 'budgets',
    allowed: ['admin', 'operator', 'auditor'],
    summary: 'Counts calls by day, agent, person, API key, tool and outcome',
    query: Type.Object(
      {
        from: Type.Optional({ ...UsageDay, description: 'the first day in UTC; default: 30 days before `to`' }),
        to: Type.Optional({ ...UsageDay, description: 'the day after the last one; default: tomorrow' }),
        by: Type.Optional(
          Type.String({
            pattern: `^${DIMENSION}(,${DIMENSION}){0,${CALL_USAGE_BY.length - 1}}$`,
            description: `dimensions of the counts, separated by commas: ${CALL_USAGE_BY.join(', ')}; default: day`,
          }),
        ),
        cursor: Type.Optional(
          Type.String({ minLength: 1, maxLength: 2_048, description: '`next_cursor` of the page before' }),
        ),
        limit: paging.limit,
      },
      closed,
    ),
    answers: { 200: { description: 'A page of counts', schema: CallUsageView } },
  }),
};
