// SPDX-License-Identifier: Apache-2.0
import { LIMITS, RECORD_ORDERS, RecordFilter, RecordPage, Receipt } from '@writ/contract';
import { Type } from 'typebox';
import { closed } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { RecordView } from './views.ts';

const { agent_id, tool_id, session_id, operation_id, type, verdict, outcome, risk_min, risk_max, resource, text } =
  RecordFilter.properties;

/** A time in the same format as for states of workspaces. */
const Moment = (description: string) =>
  Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,3})?)?Z$', description });

/** The same roles as for bundles of the log, which contain the same records. */
const read = { tag: 'records', method: 'GET', allowed: ['admin', 'operator', 'auditor'] } as const;
const one = {
  ...read,
  params: { leaf_index: 'leaf' },
  faults: ['not_found', 'ledger.unavailable', 'ledger.diverged'],
} as const;

/** Searches records of the tenant's log through an index, which lags behind the log and proves nothing. */
export const RECORDS = {
  list: route({
    ...read,
    id: 'listRecords',
    path: '/v1/records',
    summary: 'Searches records; all pages show the index as it was when the first page was read',
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
              'an id in the record: workspace, token, policy set, image, approval, created snapshot or delta, changed subject; a `*` at its end matches a prefix',
          }),
        ),
        text: Type.Optional(
          Type.String({
            ...text,
            description:
              'words of rule ids, fault code, risk basis and change; all must match, and joined words such as `policy.denied` must be adjacent',
          }),
        ),
        order: Type.Optional(Type.Enum(RECORD_ORDERS, { description: 'by the time of the record; default: `newest`' })),
        limit: Type.Optional(
          Type.Integer({ minimum: 1, maximum: LIMITS.listRows.max, description: 'rows of a page; default: 50' }),
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
    answers: { 200: { description: 'A page of records, and the state of the index', schema: RecordPage } },
    faults: ['ledger.unavailable', 'ledger.diverged'],
  }),
  read: route({
    ...one,
    id: 'readRecord',
    path: '/v1/records/{leaf_index}',
    summary: 'Shows a signed record by its leaf index in the log',
    answers: { 200: { description: 'The record', schema: RecordView } },
  }),
  receipt: route({
    ...one,
    id: 'readRecordReceipt',
    path: '/v1/records/{leaf_index}/receipt',
    summary: 'Returns the receipt of a record of any kind',
    answers: {
      200: {
        description: 'The receipt file in its canonical form',
        schema: Receipt,
        media: 'application/vnd.writ.receipt.v1+json',
      },
    },
  }),
};
