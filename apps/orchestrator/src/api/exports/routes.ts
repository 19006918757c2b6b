// SPDX-License-Identifier: Apache-2.0
import { Type } from 'typebox';
import { EXPORT_FORMATS } from '../../delivery/exports/export-format.ts';
import { closed } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';

const index = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description }));

/** Records on their way to systems that keep or watch them. */
export const EXPORTS = {
  records: route({
    id: 'exportRecords',
    method: 'GET',
    path: '/v1/exports/records',
    tag: 'exports',
    allowed: ['admin', 'operator', 'auditor'],
    summary: "Gives the records of the tenant's log, one a line, in the order of the log",
    query: Type.Object(
      {
        format: Type.Optional(
          Type.Enum([...EXPORT_FORMATS], {
            description:
              '`dsse`, unless said: `{leaf_index, envelope}`, the envelope as it was signed; `receipt`: the receipt, as `writ verify` takes it; `cloudevents`: CloudEvents 1.0; `ocsf`: OCSF 1.4.0, API Activity',
          }),
        ),
        after: index('the leaf index of the last line that was read; from the beginning unless said'),
        limit: Type.Optional(
          Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'records at most' }),
        ),
        follow: Type.Optional(
          Type.Boolean({
            description:
              'whether to go on with records as they are logged, an empty line standing for none for a while; else it ends where the log ended when it began',
          }),
        ),
      },
      closed,
    ),
    answers: {
      200: {
        says: 'A JSON value a line. One that breaks off before its end is continued with `after`',
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
      'Gives a signed archive that verifies offline: the receipts of a session or of a range of time, with the policies and tools that they name',
    query: Type.Object(
      {
        session: Type.Optional(
          Type.String({
            pattern: '^[A-Za-z0-9._:/-]{1,128}$',
            description: 'the session whose operations are meant; in the place of a range',
          }),
        ),
        since: index('milliseconds since the epoch; from the beginning unless said'),
        until: index('milliseconds since the epoch, the first that is not meant; to the end unless said'),
      },
      closed,
    ),
    answers: { 200: { says: 'A tar archive (POSIX.1-2001), its signed manifest last', media: 'application/x-tar' } },
    faults: ['ledger.unavailable', 'ledger.diverged', 'overloaded', 'request.too_large'],
  }),
};
