// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Fault, isFinal, type Caller, type OperationView, type ReceiptRequest } from '@writ/contract';
import { RECEIPT_MEDIA_TYPE } from '@writ/receipt';
import { Asked } from '../../edge/requests/asked.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { Route, type AskedOf } from '../../edge/requests/route.ts';
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
    @Asked() { caller, params, query }: AskedOf<typeof OPERATIONS.receipt>,
    @InExchange() exchange: Exchange,
  ): Promise<Buffer> {
    const file = await this.#fileOf(caller, params.operation_id, query.phase ?? null);
    exchange.setHeader('content-type', RECEIPT_MEDIA_TYPE);
    exchange.setHeader('content-disposition', `attachment; filename="${params.operation_id}.receipt.json"`);
    // Bytes: the file has one spelling, and nothing on the way may choose another.
    return Buffer.from(file, 'utf8');
  }

  /**
   * The kernel says whether the operation is there for the caller, and which records it has; the ledger knows tenants
   * alone.
   */
  async #fileOf(caller: Caller, operationId: string, phase: Phase): Promise<string> {
    const view = await this.kernel.ask('operation.read', caller, { operation_id: operationId });
    // An outcome that is recorded and not logged yet is waited for rather than answered with the decision.
    const wanted = phase ?? (view.outcome_record_id === null ? 'decision' : 'outcome');
    try {
      return await this.ledger.receipt(caller.tenant_id, operationId, wanted);
    } catch (error) {
      if (error instanceof Fault && error.code === 'not_found') throw notThere(view, wanted, error);
      throw error;
    }
  }
}

function notThere(view: OperationView, phase: NonNullable<Phase>, cause: Fault): Fault {
  const recordId = {
    decision: view.decision_record_id,
    outcome: view.outcome_record_id,
    resolution: view.resolution?.record_id ?? null,
  }[phase];
  if (recordId !== null)
    return new Fault('receipt.pending', `the record of the ${phase} is durable and not in the log yet`, { cause });
  if (phase === 'resolution') return new Fault('not_found', undefined, { cause });
  // A refusal is the end: no outcome will follow.
  return isFinal(view.state)
    ? new Fault('not_found', undefined, { cause })
    : new Fault('receipt.pending', 'the operation has no outcome yet', { cause });
}
