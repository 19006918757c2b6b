// SPDX-License-Identifier: Apache-2.0
import {
  EgressRequestPage,
  OperationExplanation,
  OperationView,
  Receipt,
  Resolution,
  SchedulingClass,
  STATES,
} from '@writ/contract';
import { Type } from 'typebox';
import { closed, Key, paging, Wait } from '../../edge/requests/fields.ts';
import { Expand } from '../../edge/expansions/expansions.ts';
import { ROLES, route } from '../../edge/requests/route.ts';
import { ExpandableOperation, OperationList } from './views.ts';

/** A day. A client that follows for longer connects again. */
const FOLLOW_MAX_MS = 24 * 3_600_000;

const expands = {
  result: { route: 'readOperation', param: 'operation_id', shows: 'result' },
  approval: { route: 'readApproval', param: 'approval_id' },
  receipt: { route: 'readReceipt', param: 'operation_id' },
} as const;
const expand = Expand('result', 'approval', 'receipt');

const one = { tag: 'operations', params: { operation_id: 'operation' }, faults: ['not_found'] } as const;

export const OPERATIONS = {
  list: route({
    tag: 'operations',
    id: 'listOperations',
    method: 'GET',
    path: '/v1/operations',
    allowed: ROLES,
    summary: "Lists operations, newest first; an agent's key sees its own",
    query: Type.Object(
      {
        ...paging,
        state: Type.Optional(Type.Enum(STATES)),
        tool_id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
        agent_id: Type.Optional(Key),
        workspace_id: Type.Optional(Key),
        session_id: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
        scheduling_class: Type.Optional(SchedulingClass),
        unresolved: Type.Optional(
          Type.Boolean({ description: '`true`: only unresolved ambiguous ones; the filter `state` is then ignored' }),
        ),
        expand,
      },
      closed,
    ),
    expands,
    answers: { 200: { description: 'A page of operations', schema: OperationList } },
    faults: ['ledger.unavailable'],
  }),
  read: route({
    ...one,
    id: 'readOperation',
    method: 'GET',
    path: '/v1/operations/{operation_id}',
    allowed: ROLES,
    summary: 'Shows an operation; with `wait`, returns as soon as it has ended or is held',
    query: Type.Object({ wait: Wait, expand }, closed),
    expands,
    answers: { 200: { description: 'The operation with its current state', schema: ExpandableOperation } },
    faults: ['not_found', 'ledger.unavailable'],
  }),
  cancel: route({
    ...one,
    id: 'cancelOperation',
    method: 'POST',
    path: '/v1/operations/{operation_id}/cancel',
    allowed: ['admin', 'operator', 'agent'],
    summary: 'Cancels an operation that has not ended',
    body: Type.Object({}, closed),
    answers: { 200: { description: 'The operation with its current state', schema: OperationView } },
    faults: ['not_found', 'conflict'],
  }),
  resolve: route({
    ...one,
    id: 'resolveOperation',
    method: 'POST',
    path: '/v1/operations/{operation_id}/resolve',
    allowed: ['admin', 'operator'],
    summary: 'Resolves an ambiguous operation; nobody resolves their own call',
    body: Type.Object({ outcome: Resolution.properties.outcome, note: Resolution.properties.note }, closed),
    answers: { 200: { description: 'The operation with its resolution', schema: OperationView } },
    faults: ['not_found', 'conflict', 'resolution.own_call'],
  }),
  requests: route({
    ...one,
    id: 'listRequests',
    method: 'GET',
    path: '/v1/operations/{operation_id}/requests',
    allowed: ROLES,
    summary: 'Lists the outgoing requests of a call, in order: target, verdict and bytes',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of requests', schema: EgressRequestPage } },
    faults: ['not_found'],
  }),
  output: route({
    ...one,
    id: 'readOutput',
    method: 'GET',
    path: '/v1/operations/{operation_id}/output',
    allowed: ROLES,
    summary:
      'Returns the full output of a command while it is stored, byte for byte except for secrets; `Writ-Output-Cut` tells whether it is truncated',
    query: Type.Object(
      {
        stream: Type.Optional(Type.Enum(['stdout', 'stderr'], { description: 'default: `stdout`' })),
        follow: Type.Optional(
          // `?follow` alone is an empty text.
          Type.Enum(['', 'true', 'false'], {
            description:
              'the output of both streams while the command runs, as Server-Sent Events; `Last-Event-ID` resumes',
          }),
        ),
        for_ms: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: FOLLOW_MAX_MS,
            description: 'with `follow`: milliseconds after which the stream ends; default: with the operation',
          }),
        ),
      },
      closed,
    ),
    answers: {
      200: {
        description:
          'The output of the command on the stream; with `follow`, the events `ready`, `attempt`, `output`, `skipped`, `withheld`, `alive`, and `end` as the last',
        media: 'text/plain',
        streamed: 'text/event-stream',
      },
    },
    faults: ['not_found', 'output.not_kept'],
  }),
  explain: route({
    ...one,
    id: 'explainOperation',
    method: 'GET',
    path: '/v1/operations/{operation_id}/explain',
    allowed: ['admin', 'operator', 'auditor'],
    summary: 'Explains the decision: its policy set, its rules, and whether the set in force decides the same',
    answers: { 200: { description: 'The decision, evaluated again under both sets', schema: OperationExplanation } },
    faults: ['not_found', 'policy.unreadable'],
  }),
  receipt: route({
    ...one,
    id: 'readReceipt',
    method: 'GET',
    path: '/v1/operations/{operation_id}/receipt',
    allowed: ROLES,
    summary: 'Returns the receipt of the outcome, else of the last decision',
    query: Type.Object({ phase: Type.Optional(Type.Enum(['decision', 'outcome', 'resolution'])) }, closed),
    answers: {
      200: {
        description: 'The receipt file in its canonical form',
        schema: Receipt,
        media: 'application/vnd.writ.receipt.v1+json',
      },
    },
    faults: ['not_found', 'receipt.pending', 'ledger.unavailable'],
  }),
};
