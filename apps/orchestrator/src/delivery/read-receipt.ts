// SPDX-License-Identifier: Apache-2.0
import { Fault, isFinal, type Caller, type OperationId, type OperationView, type ReceiptRequest } from '@writ/contract';
import type { KernelClient } from '../calls/kernel/kernel-client.ts';
import type { LedgerClient } from './ledger-client.ts';

type Phase = ReceiptRequest['phase'];

/** Reads the receipt of an operation. */
export class ReadReceipt {
  readonly #kernel: KernelClient;
  readonly #ledger: LedgerClient;

  constructor(kernel: KernelClient, ledger: LedgerClient) {
    this.#kernel = kernel;
    this.#ledger = ledger;
  }

  /**
   * The receipt's file; of the outcome where `phase` is null and there is one, else of the decision. The kernel decides
   * whether the caller may see the operation, and which records it has. The ledger only checks the tenant. Faults:
   * `not_found`, `receipt.pending`, `ledger.unavailable`.
   */
  async run(caller: Caller, operationId: OperationId, phase: Phase): Promise<string> {
    const view = await this.#kernel.ask('operation.read', caller, { operation_id: operationId });
    // For a recorded outcome that is not logged yet, the answer is `receipt.pending` instead of the decision's receipt.
    const wanted = phase ?? (view.outcome_record_id === null ? 'decision' : 'outcome');
    try {
      return await this.#ledger.receipt(caller.tenant_id, operationId, wanted);
    } catch (error) {
      if (error instanceof Fault && error.code === 'not_found') throw missingReceipt(view, wanted, error);
      throw error;
    }
  }
}

function missingReceipt(view: OperationView, phase: NonNullable<Phase>, cause: Fault): Fault {
  const recordId = {
    decision: view.decision_record_id,
    outcome: view.outcome_record_id,
    resolution: view.resolution?.record_id ?? null,
  }[phase];
  if (recordId !== null)
    return new Fault('receipt.pending', `the record of the ${phase} is durable and not in the log yet`, { cause });
  if (phase === 'resolution') return new Fault('not_found', undefined, { cause });
  // A refusal is final: no outcome will follow.
  return isFinal(view.state)
    ? new Fault('not_found', undefined, { cause })
    : new Fault('receipt.pending', 'the operation has no outcome yet', { cause });
}
