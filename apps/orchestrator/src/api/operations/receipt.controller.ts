// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { OperationId } from '@writ/contract';
import { RECEIPT_MEDIA_TYPE } from '@writ/receipt';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { OPERATIONS } from './routes.ts';
import { ReadReceipt } from '../../delivery/read-receipt.ts';

@Controller()
export class ReceiptController {
  constructor(private readonly receipts: ReadReceipt) {}

  @Route(OPERATIONS.receipt)
  async read(
    @RequestInput() { caller, params, query }: RequestInputOf<typeof OPERATIONS.receipt>,
    @InExchange() exchange: Exchange,
  ): Promise<Buffer> {
    const file = await this.receipts.run(caller, params.operation_id as OperationId, query.phase ?? null);
    exchange.setHeader('content-type', RECEIPT_MEDIA_TYPE);
    exchange.setHeader('content-disposition', `attachment; filename="${params.operation_id}.receipt.json"`);
    // Sent as bytes, because the file's serialization is fixed and no layer may change it.
    return Buffer.from(file, 'utf8');
  }
}
