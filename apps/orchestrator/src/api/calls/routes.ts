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
    // Accepts any object, because `parseCall` checks it: members that only the kernel may set get a specific error.
    body: Type.Record(Type.String(), Type.Unknown()),
    documentedBody: CallBody,
    answers: {
      200: {
        description: 'The call has ended: done, refused or failed, as `tx_outcome` and `status` tell',
        schema: ToolResult,
      },
      202: {
        description: 'The call is in progress, or held for a person; `Location` has the path of its operation',
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
