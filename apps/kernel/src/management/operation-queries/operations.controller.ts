// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  KERNEL_REQUESTS,
  parseMessage,
  type EgressRequestPage,
  type FullOutputRef,
  type OperationView,
  type StoredResult,
} from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { ListOperations } from './list-operations.ts';
import { ReadOperation } from './read-operation.ts';
import { ReadOutput } from './read-output.ts';
import { ReadRequests } from './read-requests.ts';
import { ReadResult } from './read-result.ts';

/** Maximum number of concurrent reads by one replica. Each ended call is read by the caller that waited for it. */
const CONCURRENCY_MAX = 256;

@Controller()
export class OperationsController {
  readonly #read: ReadOperation;
  readonly #list: ListOperations;
  readonly #requests: ReadRequests;
  readonly #output: ReadOutput;
  readonly #result: ReadResult;

  constructor(
    read: ReadOperation,
    list: ListOperations,
    requests: ReadRequests,
    output: ReadOutput,
    result: ReadResult,
  ) {
    this.#read = read;
    this.#list = list;
    this.#requests = requests;
    this.#output = output;
    this.#result = result;
  }

  @MessagePattern('kernel.operation.read', { concurrencyMax: CONCURRENCY_MAX })
  async read(@Payload() payload: unknown): Promise<OperationView> {
    return await this.#read.run(parseMessage(KERNEL_REQUESTS['operation.read'], payload));
  }

  @MessagePattern('kernel.operation.list')
  async list(@Payload() payload: unknown): Promise<ListPage<OperationView>> {
    return await this.#list.run(parseMessage(KERNEL_REQUESTS['operation.list'], payload));
  }

  @MessagePattern('kernel.operation.requests')
  async requests(@Payload() payload: unknown): Promise<EgressRequestPage> {
    return await this.#requests.run(parseMessage(KERNEL_REQUESTS['operation.requests'], payload));
  }

  @MessagePattern('kernel.operation.result', { concurrencyMax: CONCURRENCY_MAX })
  async result(@Payload() payload: unknown): Promise<StoredResult> {
    return await this.#result.run(parseMessage(KERNEL_REQUESTS['operation.result'], payload));
  }

  @MessagePattern('kernel.operation.output')
  async output(@Payload() payload: unknown): Promise<FullOutputRef> {
    return await this.#output.run(parseMessage(KERNEL_REQUESTS['operation.output'], payload));
  }
}
