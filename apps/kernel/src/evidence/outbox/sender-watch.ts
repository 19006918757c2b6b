// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import type { Logger, Meter } from '@writ/telemetry';
import type { SenderWatch } from './index.ts';

/** Counts what becomes of records that are sent to the ledger, and logs what operators must see. */
export function watchSender(meter: Meter, logger: Pick<Logger, 'warn' | 'error'>): SenderWatch {
  const sent = meter.counter('writ.outbox.sent');
  return {
    logged: (records) => {
      sent.add(records, { result: 'logged' });
    },
    refused: (recordId, fault) => {
      sent.add(1, { result: 'refused' });
      logger.error(
        { record_id: recordId, fault },
        'the ledger refuses a record: its tenant is held back until an operator resolves it',
      );
    },
    failed: (error, records) => {
      sent.add(records, { result: error instanceof Fault && !error.retryable ? 'refused' : 'unanswered' });
      logger.warn({ err: error }, 'records were not logged and are sent again');
    },
  };
}
