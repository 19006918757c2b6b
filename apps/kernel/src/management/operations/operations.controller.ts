// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  KERNEL_REQUESTS,
  parseMessage,
  type EgressRequestPage,
  type KeptOutput,
  type OperationView,
  type StoredResult,
} from '@writ/contract';
import type { Listed } from '@writ/paging';
import { ListOperations } from './list-operations.ts';
import { ReadOperation } from './read-operation.ts';
import { ReadOutput } from './read-output.ts';
import { ReadRequests } from './read-requests.ts';
import { ReadResult } from './read-result.ts';

/** Reads at once by one replica: each call that ends is read by whoever waited for it. */
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
  async list(@Payload() payload: unknown): Promise<Listed<OperationView>> {
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
  async output(@Payload() payload: unknown): Promise<KeptOutput> {
    return await this.#output.run(parseMessage(KERNEL_REQUESTS['operation.output'], payload));
  }
}
