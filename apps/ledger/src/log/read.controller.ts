// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  ConsistencyRequest,
  EntriesRequest,
  ExportRequest,
  InclusionRequest,
  parseMessage,
  SignaturesRequest,
  TileRequest,
  type Consistency,
  type EntriesReply,
  type ExportReply,
  type Inclusion,
  type Signatures,
  type TileReply,
} from '@writ/contract';
import { ExportPages } from './export-pages.ts';
import { LogReader } from './log-reader.ts';

/** Concurrent reads of export pages: they share the database with appends, and a reader of many pages retries. */
const EXPORTS_MAX = 16;

/** The log for its verifiers. */
@Controller()
export class ReadController {
  constructor(
    private readonly reader: LogReader,
    private readonly pages: ExportPages,
  ) {}

  @MessagePattern('ledger.tile')
  tile(@Payload() message: unknown): Promise<TileReply> {
    return this.reader.tile(parseMessage(TileRequest, message));
  }

  @MessagePattern('ledger.entries')
  entries(@Payload() message: unknown): Promise<EntriesReply> {
    return this.reader.entries(parseMessage(EntriesRequest, message));
  }

  @MessagePattern('ledger.signatures')
  signatures(@Payload() message: unknown): Promise<Signatures> {
    return this.reader.signatures(parseMessage(SignaturesRequest, message));
  }

  @MessagePattern('ledger.inclusion')
  inclusion(@Payload() message: unknown): Promise<Inclusion> {
    return this.reader.inclusion(parseMessage(InclusionRequest, message));
  }

  @MessagePattern('ledger.consistency')
  consistency(@Payload() message: unknown): Promise<Consistency> {
    return this.reader.consistency(parseMessage(ConsistencyRequest, message));
  }

  @MessagePattern('ledger.export', { concurrencyMax: EXPORTS_MAX })
  export(@Payload() message: unknown): Promise<ExportReply> {
    return this.pages.read(parseMessage(ExportRequest, message));
  }
}
