// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { sqlTypes } from '@writ/database';
import { kernelFunction } from './kernel-function.ts';

/** A record that waits for the ledger, as kernel.outbox stores it. */
export interface ClaimedRecord {
  readonly record_id: string;
  readonly tenant_id: TenantId;
  readonly payload: Buffer;
  readonly keyid: string;
  readonly sig: Buffer;
}

/** The functions of `sql/functions/records` that the kernel calls. */
export const recordsFunctions = {
  claimRecords: kernelFunction<ClaimedRecord>()(
    'kernel.claim_records',
    { older_ms: sqlTypes.bigint, claim_ms: sqlTypes.bigint, rows: sqlTypes.integer },
    { returns: 'rows' },
  ),
  dropRecords: kernelFunction()('kernel.drop_records', { records: sqlTypes.textArray }, { returns: 'nothing' }),
} as const;
