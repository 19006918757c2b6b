// SPDX-License-Identifier: Apache-2.0
import { Fault, type Receipt, type RecordPage, type TenantId } from '@writ/contract';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { LedgerClient } from '../../delivery/ledger-client.ts';

/** Which records are read: all of them, a page at a time. */
export interface RecordsAsked {
  readonly limit: number;
  readonly cursor: string | null;
}

/**
 * The records of closed tenants, for the platform key, since no key of theirs is left. INVARIANT (closed alone): the
 * platform key reads nothing of a tenant that is open.
 */
export class ClosedRecords {
  readonly #kernel: KernelClient;
  readonly #ledger: LedgerClient;

  constructor(kernel: KernelClient, ledger: LedgerClient) {
    this.#kernel = kernel;
    this.#ledger = ledger;
  }

  /** Newest first. Faults: `not_found`, `conflict` for an open tenant, `ledger.unavailable`, `ledger.diverged`. */
  async list(tenantId: TenantId, { limit, cursor }: RecordsAsked): Promise<RecordPage> {
    await this.#requireClosed(tenantId);
    return await this.#ledger.records({ tenant_id: tenantId, filter: {}, order: 'newest', limit, cursor });
  }

  /** Faults: as for `list`. */
  async receipt(tenantId: TenantId, leafIndex: number): Promise<Receipt> {
    await this.#requireClosed(tenantId);
    return await this.#ledger.record(tenantId, leafIndex);
  }

  async #requireClosed(tenant_id: TenantId): Promise<void> {
    const { state } = await this.#kernel.ask('tenant.read', null, { tenant_id });
    if (state !== 'closed') throw new Fault('conflict', 'the tenant is open: keys of its own read its records');
  }
}
