// SPDX-License-Identifier: Apache-2.0
import type { Bus } from '@writ/bus';
import { Fault, parseMessage, Receipt, type OperationId, type ReceiptRequest, type Subjects, type TenantId } from '@writ/contract';
import { encodeReceipt } from '@writ/receipt';

/** A receipt is a few reads of the database. */
const ASK_MS = 5_000;

/** The ledger, as this process asks it. */
export class LedgerClient {
  readonly #bus: Bus;
  readonly #subjects: Subjects;
  readonly #now: () => number;

  constructor(bus: Bus, subjects: Subjects, now: () => number) {
    this.#bus = bus;
    this.#subjects = subjects;
    this.#now = now;
  }

  /** The receipt's file. Faults: `not_found` while it isn't logged, `ledger.unavailable`. */
  async receipt(tenant_id: TenantId, operation_id: OperationId, phase: ReceiptRequest['phase']): Promise<string> {
    const reply = await this.#ask('ledger.receipt', { v: 1, tenant_id, operation_id, phase });
    try {
      return encodeReceipt(parseMessage(Receipt, reply));
    } catch (cause) {
      throw new Fault('internal', undefined, { cause: new Error('the answer of `ledger.receipt` is not as agreed', { cause }) });
    }
  }

  /** The signed note of the tenant's log. Faults: `not_found` for a log without records, `ledger.unavailable`. */
  async checkpoint(tenant_id: TenantId): Promise<string> {
    const { checkpoint } = (await this.#ask('ledger.checkpoint', { v: 1, tenant_id })) as { checkpoint?: unknown };
    if (typeof checkpoint !== 'string') throw new Fault('internal', undefined, { cause: new Error('the answer of `ledger.checkpoint` is not as agreed') });
    return checkpoint;
  }

  async #ask(name: 'ledger.receipt' | 'ledger.checkpoint', request: unknown): Promise<unknown> {
    try {
      return await this.#bus.request(this.#subjects.request(name), request, { deadline: this.#now() + ASK_MS });
    } catch (error) {
      if (error instanceof Fault && (error.code === 'bus.unreachable' || error.code === 'deadline')) throw new Fault('ledger.unavailable', undefined, { cause: error });
      throw error;
    }
  }
}
