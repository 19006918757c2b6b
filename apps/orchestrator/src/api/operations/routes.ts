// SPDX-License-Identifier: Apache-2.0
import { EgressRequestPage, OperationExplanation, OperationView, Receipt, Resolution, STATES } from '@writ/contract';
import { Type } from 'typebox';
import { closed, Key, paging, Wait } from '../../edge/requests/fields.ts';
import { ROLES, route } from '../../edge/requests/route.ts';
import { OperationList } from './views.ts';

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
        unresolved: Type.Optional(
          Type.Boolean({
            description: '`true`: ambiguous ones that nobody has resolved; the filter `state` says nothing then',
          }),
        ),
      },
      closed,
    ),
    answers: { 200: { says: 'A page of operations', schema: OperationList } },
  }),
  read: route({
    ...one,
    id: 'readOperation',
    method: 'GET',
    path: '/v1/operations/{operation_id}',
    allowed: ROLES,
    summary: 'Shows an operation; with `wait`, as soon as it has ended or is held',
    query: Type.Object({ wait: Wait }, closed),
    answers: { 200: { says: 'The operation as it stands', schema: OperationView } },
  }),
  cancel: route({
    ...one,
    id: 'cancelOperation',
    method: 'POST',
    path: '/v1/operations/{operation_id}/cancel',
    allowed: ['admin', 'operator', 'agent'],
    summary: 'Cancels an operation that has not ended',
    body: Type.Object({}, closed),
    answers: { 200: { says: 'The operation as it stands now', schema: OperationView } },
    faults: ['not_found', 'conflict'],
  }),
  resolve: route({
    ...one,
    id: 'resolveOperation',
    method: 'POST',
    path: '/v1/operations/{operation_id}/resolve',
    allowed: ['admin', 'operator'],
    summary: 'Says what became of an ambiguous operation; nobody resolves their own call',
    body: Type.Object({ outcome: Resolution.properties.outcome, note: Resolution.properties.note }, closed),
    answers: { 200: { says: 'The operation with its resolution', schema: OperationView } },
    faults: ['not_found', 'conflict', 'resolution.own_call'],
  }),
  requests: route({
    ...one,
    id: 'listRequests',
    method: 'GET',
    path: '/v1/operations/{operation_id}/requests',
    allowed: ROLES,
    summary: 'Lists what asked to leave in a call, in order: where to, what became of it, how many bytes',
    query: Type.Object(paging, closed),
    answers: { 200: { says: 'A page of requests', schema: EgressRequestPage } },
    faults: ['not_found'],
  }),
  output: route({
    ...one,
    id: 'readOutput',
    method: 'GET',
    path: '/v1/operations/{operation_id}/output',
    allowed: ROLES,
    summary:
      'Gives the whole output of a command, byte for byte but for secrets, while it is kept; `Writ-Output-Cut` says whether it lacks its end',
    query: Type.Object(
      { stream: Type.Optional(Type.Enum(['stdout', 'stderr'], { description: '`stdout` unless said' })) },
      closed,
    ),
    answers: { 200: { says: 'What the command wrote to the stream', media: 'text/plain' } },
    faults: ['not_found', 'output.not_kept'],
  }),
  explain: route({
    ...one,
    id: 'explainOperation',
    method: 'GET',
    path: '/v1/operations/{operation_id}/explain',
    allowed: ['admin', 'operator', 'auditor'],
    summary: 'Explains the decision: under which set, by which rules, and whether the set in force decides alike',
    answers: { 200: { says: 'The decision asked for once more, under both sets', schema: OperationExplanation } },
    faults: ['not_found', 'policy.unreadable'],
  }),
  receipt: route({
    ...one,
    id: 'readReceipt',
    method: 'GET',
    path: '/v1/operations/{operation_id}/receipt',
    allowed: ROLES,
    summary: 'Gives the receipt: of the outcome, else of the last decision',
    query: Type.Object({ phase: Type.Optional(Type.Enum(['decision', 'outcome', 'resolution'])) }, closed),
    answers: {
      200: {
        says: 'The receipt file, in its one spelling',
        schema: Receipt,
        media: 'application/vnd.writ.receipt.v1+json',
      },
    },
    faults: ['not_found', 'receipt.pending', 'ledger.unavailable'],
  }),
};
