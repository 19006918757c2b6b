// SPDX-License-Identifier: Apache-2.0
import { OperationView, ToolResult } from '@writ/contract';
import { Type } from 'typebox';
import { CallBody } from '../../calls/call-body.ts';
import { closed, Wait } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';

export const CALLS = {
  propose: route({
    id: 'proposeToolCall',
    method: 'POST',
    path: '/v1/tool-calls',
    tag: 'tool-calls',
    allowed: ['admin', 'agent'],
    summary: 'Proposes a tool call and waits for its end',
    query: Type.Object({ wait: Wait }, closed),
    queued: true,
    // Whatever is in the body, it is read by the rules of the call itself: what only the kernel may fill gets an answer
    // of its own.
    body: Type.Record(Type.String(), Type.Unknown()),
    documentedBody: CallBody,
    answers: {
      200: {
        says: 'The call has ended: done, refused or failed. `tx_outcome` and `status` say how',
        schema: ToolResult,
      },
      202: {
        says: 'The call is under way, or held for a person; `Location` says where to look',
        schema: OperationView,
      },
    },
    faults: [
      'args.too_large',
      'conflict',
      'deadline',
      'overloaded',
      'queue.full',
      'record.backlog',
      'bus.unreachable',
      'database.unavailable',
      'not_found',
    ],
  }),
};
