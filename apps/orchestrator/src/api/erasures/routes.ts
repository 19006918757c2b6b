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

const eyes = { tag: 'erasures', allowed: ['admin', 'operator', 'auditor'] } as const;
const hands = { tag: 'erasures', allowed: ['admin'] } as const;

export const ERASURES = {
  begin: route({
    ...hands,
    id: 'erase',
    method: 'POST',
    path: '/v1/erasures',
    summary:
      "Erases the content of calls, and what was said in their sessions: of one call, of a session, of a person, or of all before a moment. It can't be undone; records and receipts stay valid",
    body: Type.Object(
      {
        operation_id: Type.Optional(Key),
        session_id: Type.Optional(ErasedSession),
        subject: Type.Optional({
          ...DataSubject,
          description:
            "calls and sessions that named it as their `data_subject`; an agent's id: those of its that named none",
        }),
        before: Type.Optional({
          ...Moment,
          description: 'what was made before it, such as `2026-01-31T09:30:00Z`; what has not ended is passed over',
        }),
        reason_code: ErasureReason,
        dry_run: Type.Optional(Type.Boolean({ description: '`true`: says what would be erased, and erases nothing' })),
      },
      { ...closed, description: 'exactly one of `operation_id`, `session_id`, `subject` and `before`' },
    ),
    answers: {
      200: {
        says: 'The erasure, done. Of what was erased before, that one; of a dry run, what it would do',
        schema: Type.Union([ErasureView, ErasurePlan]),
      },
      202: { says: 'The erasure, under way: more is to go. `Location` says where to look', schema: ErasureView },
    },
    faults: ['not_found', 'conflict'],
  }),
  list: route({
    ...eyes,
    id: 'listErasures',
    method: 'GET',
    path: '/v1/erasures',
    summary: 'Lists erasures, newest first, those of retention among them',
    query: Type.Object(paging, closed),
    answers: { 200: { says: 'A page of erasures', schema: ErasureList } },
  }),
  read: route({
    ...eyes,
    id: 'readErasure',
    method: 'GET',
    path: '/v1/erasures/{erasure_id}',
    params: { erasure_id: 'erasure' },
    summary: 'Shows an erasure',
    answers: { 200: { says: 'The erasure as it stands', schema: ErasureView } },
    faults: ['not_found'],
  }),
  readRetention: route({
    ...eyes,
    id: 'readRetention',
    method: 'GET',
    path: '/v1/retention',
    summary: 'Shows how long the tenant keeps contents',
    answers: { 200: { says: 'The periods', schema: RetentionView } },
  }),
  setRetention: route({
    ...hands,
    id: 'setRetention',
    method: 'PUT',
    path: '/v1/retention',
    summary: 'Sets how long the tenant keeps contents; what is over age by then is erased within the hour',
    body: Retention,
    answers: { 200: { says: 'The periods as they are then', schema: RetentionView } },
  }),
};
