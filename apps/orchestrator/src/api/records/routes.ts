// SPDX-License-Identifier: Apache-2.0
import { LIMITS, RECORD_ORDERS, RecordFilter, RecordPage, Receipt } from '@writ/contract';
import { Type } from 'typebox';
import { closed } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { RecordView } from './views.ts';

const { agent_id, tool_id, session_id, operation_id, type, verdict, outcome, risk_min, risk_max, resource, text } =
  RecordFilter.properties;

/** As a state of a workspace is named by its moment. */
const Moment = (description: string) =>
  Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,3})?)?Z$', description });

/** For whoever may read the bundles of the log: they hold the same records. */
const read = { tag: 'records', method: 'GET', allowed: ['admin', 'operator', 'auditor'] } as const;
const one = {
  ...read,
  params: { leaf_index: 'leaf' },
  faults: ['not_found', 'ledger.unavailable', 'ledger.diverged'],
} as const;

/**
 * The records of the tenant's log as people look for them: by an index, which is drawn behind the log and proves
 * nothing.
 */
export const RECORDS = {
  list: route({
    ...read,
    id: 'listRecords',
    path: '/v1/records',
    summary: 'Finds records; the pages together show those that were indexed when the first was read',
    query: Type.Object(
      {
        agent: Type.Optional(agent_id),
        tool: Type.Optional(tool_id),
        session: Type.Optional(session_id),
        operation: Type.Optional(operation_id),
        type: Type.Optional(type),
        verdict: Type.Optional(verdict),
        outcome: Type.Optional(outcome),
        risk_min: Type.Optional(risk_min),
        risk_max: Type.Optional(risk_max),
        since: Type.Optional(Moment('recorded then or later')),
        until: Type.Optional(Moment('recorded before')),
        resource: Type.Optional(
          Type.String({
            ...resource,
            description:
              'an id of what the record is about: workspace, token, policy set, image, approval, snapshot or delta that it made, subject that it changed; with `*` at its end all that begin so',
          }),
        ),
        text: Type.Optional(
          Type.String({
            ...text,
            description:
              'words of rule ids, fault code, risk basis and change; all must be found, those that are joined as `policy.denied` next to each other',
          }),
        ),
        order: Type.Optional(
          Type.Enum(RECORD_ORDERS, { description: 'by the time of the record; `newest` unless said' }),
        ),
        limit: Type.Optional(
          Type.Integer({ minimum: 1, maximum: LIMITS.listRows.max, description: 'rows of a page; 50 unless said' }),
        ),
        cursor: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 256,
            description: '`next_cursor` of the page before, with the same filters',
          }),
        ),
      },
      closed,
    ),
    answers: { 200: { says: 'A page of records, and how far the index is', schema: RecordPage } },
    faults: ['ledger.unavailable', 'ledger.diverged'],
  }),
  read: route({
    ...one,
    id: 'readRecord',
    path: '/v1/records/{leaf_index}',
    summary: 'Shows a record by its place in the log, as it was signed',
    answers: { 200: { says: 'The record', schema: RecordView } },
  }),
  receipt: route({
    ...one,
    id: 'readRecordReceipt',
    path: '/v1/records/{leaf_index}/receipt',
    summary: 'Gives the receipt of a record of any kind',
    answers: {
      200: {
        says: 'The receipt file, in its one spelling',
        schema: Receipt,
        media: 'application/vnd.writ.receipt.v1+json',
      },
    },
  }),
};
