// SPDX-License-Identifier: Apache-2.0
import { LIMITS, RECORD_PAYLOAD_TYPE, type AppendRequest } from '@writ/contract';
import type { SealedRecord } from '../records/index.ts';

/** A record that waits for the ledger, as kernel.outbox stores it. */
export type SentRecord = Pick<SealedRecord, 'record_id' | 'tenant_id' | 'payload' | 'keyid' | 'sig'>;

/** The bytes that a record's names and JSON take in a message, apart from its payload and signature. */
const ENTRY_OVERHEAD_BYTES = 512;

/**
 * Removes one request's records from the front of the queue: at most 200 records and 512 KiB as they are sent. It
 * removes at least one record of a queue that isn't empty.
 */
export function takeBatch(queue: SentRecord[]): SentRecord[] {
  let bytes = 0;
  let count = 0;
  for (const record of queue) {
    bytes += sizeOf(record);
    if (count > 0 && (count === LIMITS.appendRecords.max || bytes > LIMITS.appendBytes.max)) break;
    count += 1;
  }
  return queue.splice(0, count);
}

/** The same records, grouped by tenant. */
export function byTenant(records: readonly SentRecord[]): SentRecord[][] {
  const tenants = new Map<string, SentRecord[]>();
  for (const record of records) tenants.set(record.tenant_id, [...(tenants.get(record.tenant_id) ?? []), record]);
  return [...tenants.values()];
}

/** The request that appends these. */
export function appendRequest(records: readonly SentRecord[]): AppendRequest {
  return {
    v: 1,
    records: records.map(({ record_id, tenant_id, payload, keyid, sig }) => ({
      record_id,
      tenant_id,
      envelope: {
        payloadType: RECORD_PAYLOAD_TYPE,
        payload: payload.toString('base64'),
        signatures: [{ keyid, sig: sig.toString('base64') }],
      },
    })),
  };
}

/** Base64 takes four bytes for three. */
const sizeOf = ({ payload }: SentRecord): number => Math.ceil(payload.byteLength / 3) * 4 + ENTRY_OVERHEAD_BYTES;
