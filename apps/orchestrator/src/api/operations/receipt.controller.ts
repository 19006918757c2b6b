// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault, isFinal, type Caller, type OperationView, type ReceiptRequest } from '@writ/contract';
import { RECEIPT_MEDIA_TYPE } from '@writ/receipt';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { OPERATIONS } from './routes.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { LedgerClient } from '../../delivery/ledger-client.ts';

type Phase = ReceiptRequest['phase'];

@Controller()
export class ReceiptController {
  constructor(
    private readonly kernel: KernelClient,
    private readonly ledger: LedgerClient,
  ) {}

  @Route(OPERATIONS.receipt)
  async read(
    @RequestInput() { caller, params, query }: RequestInputOf<typeof OPERATIONS.receipt>,
    @InExchange() exchange: Exchange,
  ): Promise<Buffer> {
    const file = await this.#fileOf(caller, params.operation_id, query.phase ?? null);
    exchange.setHeader('content-type', RECEIPT_MEDIA_TYPE);
    exchange.setHeader('content-disposition', `attachment; filename="${params.operation_id}.receipt.json"`);
    // Sent as bytes, because the file's serialization is fixed and no layer may change it.
    return Buffer.from(file, 'utf8');
  }

  /**
   * The kernel decides whether the caller may see the operation, and which records it has. The ledger only checks the
   * tenant.
   */
  async #fileOf(caller: Caller, operationId: string, phase: Phase): Promise<string> {
    const view = await this.kernel.ask('operation.read', caller, { operation_id: operationId });
    // For a recorded outcome that is not logged yet, the answer is `receipt.pending` instead of the decision's receipt.
    const wanted = phase ?? (view.outcome_record_id === null ? 'decision' : 'outcome');
    try {
      return await this.ledger.receipt(caller.tenant_id, operationId, wanted);
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
