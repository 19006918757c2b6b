// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { parseMessage, RecordRequest, RecordsRequest, type Receipt, type RecordPage } from '@writ/contract';
import { RecordReader } from './record-reader.ts';

/** Searches of records. */
@Controller()
export class QueryController {
  constructor(private readonly reader: RecordReader) {}

  @MessagePattern('ledger.records')
  page(@Payload() message: unknown): Promise<RecordPage> {
    return this.reader.page(parseMessage(RecordsRequest, message));
  }

  @MessagePattern('ledger.record')
  receipt(@Payload() message: unknown): Promise<Receipt> {
    return this.reader.receipt(parseMessage(RecordRequest, message));
  }
}
