// SPDX-License-Identifier: Apache-2.0
import { Fault } from '@writ/contract';
import { currentTrace } from '@writ/telemetry';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import type { Outbox } from '../outbox/outbox.ts';
import { composeRecord, type RecordFields, type RecordSealer, type SealedRecord } from '../records/index.ts';
import type { Rows, Tenancy } from '../../foundation/tenancy/index.ts';

/** The fields of a change's record, without those that follow from where and when it is made. */
export type ChangeRecord = Omit<RecordFields, 'tenant_id' | 'recorded_at'>;

/** The result of a change, and its records: none where nothing changed. */
export interface Changed<T> {
  readonly value: T;
  readonly records: readonly ChangeRecord[];
}

/** A change within the transaction of `rows`; `now` is the database's clock in milliseconds. */
type Change<T> = (rows: Rows, now: number) => Promise<Changed<T>>;

/**
 * Makes changes of state. INVARIANT (nothing unrecorded): a change and its signed record are one transaction; what
 * can't be recorded doesn't happen.
 */
export class Changes {
  readonly #tenancy: Tenancy;
  readonly #sealer: RecordSealer;
  readonly #outbox: Outbox;

  constructor(tenancy: Tenancy, sealer: RecordSealer, outbox: Outbox) {
    this.#tenancy = tenancy;
    this.#sealer = sealer;
    this.#outbox = outbox;
  }

  /**
   * Resolves once change and records are durable. `change` may run again after a deadlock, see `Tenancy.within`.
   * @throws Fault `tenant.closed`
   */
  async make<T>(tenantId: string, change: Change<T>): Promise<T> {
    return await this.upkeep(tenantId, async (rows, now) => {
      await requireOpen(rows, tenantId);
      return await change(rows, now);
    });
  }

  /**
   * As `make`, also in a closed tenant: keys are wrapped anew there, contents are erased, and what was begun ends.
   * Callers MUST grant nothing by it.
   */
  async upkeep<T>(tenantId: string, change: Change<T>): Promise<T> {
    const written = await this.#tenancy.within(tenantId, async (rows, now) => {
      const { value, records } = await change(rows, now);
      const sealed = records.map((record) => this.#seal(record, tenantId, now));
      if (sealed.length > 0) await rows.outbox.createMany({ data: sealed.map(columnsOf) });
      return { value, sealed };
    });
    this.#outbox.enqueue(written.sealed);
    return written.value;
  }

  #seal(record: ChangeRecord, tenantId: string, now: number): SealedRecord {
    return this.#sealer.seal(composeRecord({ ...currentTrace(), ...record, tenant_id: tenantId, recorded_at: now }), {
      actionDigest: null,
      newRoot: null,
    });
  }
}

async function requireOpen(rows: Rows, tenant_id: string): Promise<void> {
  const tenant = await rows.tenant.findUnique({ where: { tenant_id }, select: { closed_at: true } });
  if (tenant !== null && tenant.closed_at !== null) throw new Fault('tenant.closed');
}

/** The digest of the state after a change, for its record: hex SHA-256 of the RFC 8785 bytes. */
export function contentDigest(value: unknown): string {
  return sha256Hex(canonicalBytes(value));
}

function columnsOf({ record_id, tenant_id, payload, keyid, sig }: SealedRecord) {
  return { record_id, tenant_id, payload: new Uint8Array(payload), keyid, sig: new Uint8Array(sig) };
}
