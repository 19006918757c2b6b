// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { EXPORT_FORMATS } from '../../delivery/exports/export-format.ts';
import { closed } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';

const index = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }));

/** Exports of records to systems that store or monitor them. */
export const EXPORTS = {
  records: route({
    id: 'exportRecords',
    method: 'GET',
    path: '/v1/exports/records',
    tag: 'exports',
    allowed: ['admin', 'operator', 'auditor'],
    summary: "Exports the records of the tenant's log, one per line, in the order of the log",
    query: Type.Object(
      {
        format: Type.Optional(
          Type.Enum([...EXPORT_FORMATS], {
            description:
              '`dsse`, the default: `{leaf_index, envelope}` with the signed envelope; `receipt`: the receipt for `writ verify`; `cloudevents`: CloudEvents 1.0; `ocsf`: OCSF 1.4.0, API Activity',
          }),
        ),
        after: index('the leaf index of the last line that was read; default: from the beginning'),
        limit: Type.Optional(
          Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'most records to export' }),
        ),
        follow: Type.Optional(
          Type.Boolean({
            description:
              'whether to continue with new records as they are logged, with an empty line as a heartbeat; otherwise the export ends where the log ended at its start',
          }),
        ),
      },
      closed,
    ),
    answers: {
      200: {
        description: 'One JSON value per line. An export that breaks off can be continued with `after`',
        media: 'application/x-ndjson',
      },
    },
    faults: ['ledger.unavailable', 'ledger.diverged', 'overloaded'],
  }),
  bundle: route({
    id: 'exportBundle',
    method: 'GET',
    path: '/v1/exports/bundle',
    tag: 'exports',
    allowed: ['admin', 'operator', 'auditor'],
    summary:
      'Exports a signed archive that verifies offline: the receipts of a session or a time range, with the policies and tools that they refer to',
    query: Type.Object(
      {
        session: Type.Optional(
          Type.String({
            pattern: '^[A-Za-z0-9._:/-]{1,128}$',
            description: 'the session whose operations to export; instead of a range',
          }),
        ),
        since: index('milliseconds since the epoch; default: from the beginning'),
        until: index('milliseconds since the epoch, exclusive; default: to the end'),
      },
      closed,
    ),
    answers: {
      200: { description: 'A tar archive (POSIX.1-2001), its signed manifest last', media: 'application/x-tar' },
    },
    faults: ['ledger.unavailable', 'ledger.diverged', 'overloaded', 'request.too_large'],
  }),
};
