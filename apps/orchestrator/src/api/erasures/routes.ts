// SPDX-License-Identifier: Apache-2.0
import {
  DataSubject,
  ErasedSession,
  ErasurePlan,
  ErasureReason,
  ErasureView,
  Retention,
  RetentionView,
} from '@writ/contract';
import { Type } from 'typebox';
import { closed, Key, Moment, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { ErasureList } from './views.ts';

const readRoute = { tag: 'erasures', allowed: ['admin', 'operator', 'auditor'] } as const;
const writeRoute = { tag: 'erasures', allowed: ['admin'] } as const;

export const ERASURES = {
  begin: route({
    ...writeRoute,
    id: 'erase',
    method: 'POST',
    path: '/v1/erasures',
    summary:
      "Erases the contents of calls and the texts of their sessions: of one call, a session, a data subject, or all before a time. It can't be undone; records and receipts stay valid",
    body: Type.Object(
      {
        operation_id: Type.Optional(Key),
        session_id: Type.Optional(ErasedSession),
        subject: Type.Optional({
          ...DataSubject,
          description:
            "calls and sessions with this `data_subject`; for an agent's id: those of the agent without a data subject",
        }),
        before: Type.Optional({
          ...Moment,
          description:
            'everything created before this time, such as `2026-01-31T09:30:00Z`; unfinished calls are skipped',
        }),
        reason_code: ErasureReason,
        dry_run: Type.Optional(
          Type.Boolean({ description: '`true`: reports what would be erased, and erases nothing' }),
        ),
      },
      { ...closed, description: 'exactly one of `operation_id`, `session_id`, `subject` and `before`' },
    ),
    answers: {
      200: {
        description: 'The completed erasure. If the same was erased before, the earlier one; for a dry run, its plan',
        schema: Type.Union([ErasureView, ErasurePlan]),
      },
      202: { description: 'The erasure in progress. `Location` has its path', schema: ErasureView },
    },
    faults: ['not_found', 'conflict'],
  }),
  list: route({
    ...readRoute,
    id: 'listErasures',
    method: 'GET',
    path: '/v1/erasures',
    summary: 'Lists erasures, newest first, including those of retention',
    query: Type.Object(paging, closed),
    answers: { 200: { description: 'A page of erasures', schema: ErasureList } },
  }),
  read: route({
    ...readRoute,
    id: 'readErasure',
    method: 'GET',
    path: '/v1/erasures/{erasure_id}',
    params: { erasure_id: 'erasure' },
    summary: 'Shows an erasure',
    answers: { 200: { description: 'The erasure with its current state', schema: ErasureView } },
    faults: ['not_found'],
  }),
  readRetention: route({
    ...readRoute,
    id: 'readRetention',
    method: 'GET',
    path: '/v1/retention',
    summary: 'Shows the retention periods and modes of the tenant',
    tagged: 'view',
    answers: { 200: { description: 'The periods and modes', schema: RetentionView } },
  }),
  setRetention: route({
    ...writeRoute,
    id: 'setRetention',
    method: 'PUT',
    path: '/v1/retention',
    summary: 'Sets the retention periods and modes of the tenant; contents older than that are erased within the hour',
    body: Retention,
    tagged: 'view',
    answers: { 200: { description: 'The new periods and modes', schema: RetentionView } },
  }),
};
