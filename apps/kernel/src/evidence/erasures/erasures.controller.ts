// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  KERNEL_REQUESTS,
  parseMessage,
  TextErasureOrdersRequest,
  TextsErased,
  TextsAnnounced,
  type ErasurePlan,
  type ErasureView,
  type RetentionView,
  type TextErasureOrdersReply,
} from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { BeginErasure } from './begin-erasure.ts';
import { Erasures } from './erasures.ts';
import { RetentionRules } from './retention.ts';
import { TextErasureOrders } from './text-orders.ts';

@Controller()
export class ErasuresController {
  readonly #begin: BeginErasure;
  readonly #erasures: Erasures;
  readonly #retention: RetentionRules;
  readonly #textOrders: TextErasureOrders;

  constructor(begin: BeginErasure, erasures: Erasures, retention: RetentionRules, textOrders: TextErasureOrders) {
    this.#begin = begin;
    this.#erasures = erasures;
    this.#retention = retention;
    this.#textOrders = textOrders;
  }

  @MessagePattern('kernel.erasure.begin')
  async begin(@Payload() payload: unknown): Promise<ErasureView> {
    return await this.#begin.run(parseMessage(KERNEL_REQUESTS['erasure.begin'], payload));
  }

  @MessagePattern('kernel.erasure.plan')
  async plan(@Payload() payload: unknown): Promise<ErasurePlan> {
    return await this.#begin.plan(parseMessage(KERNEL_REQUESTS['erasure.plan'], payload));
  }

  @MessagePattern('kernel.erasure.read')
  async read(@Payload() payload: unknown): Promise<ErasureView> {
    return await this.#erasures.read(parseMessage(KERNEL_REQUESTS['erasure.read'], payload));
  }

  @MessagePattern('kernel.erasure.list')
  async list(@Payload() payload: unknown): Promise<ListPage<ErasureView>> {
    return await this.#erasures.list(parseMessage(KERNEL_REQUESTS['erasure.list'], payload));
  }

  @MessagePattern('kernel.erasure.orders')
  async orders(@Payload() payload: unknown): Promise<TextErasureOrdersReply> {
    return await this.#textOrders.orders(parseMessage(TextErasureOrdersRequest, payload));
  }

  @MessagePattern('kernel.erasure.tell')
  async recordRound(@Payload() payload: unknown): Promise<Record<string, never>> {
    return await this.#textOrders.recordRound(parseMessage(TextsAnnounced, payload));
  }

  @MessagePattern('kernel.erasure.gone')
  async markGone(@Payload() payload: unknown): Promise<ErasureView> {
    return await this.#textOrders.markGone(parseMessage(TextsErased, payload));
  }

  @MessagePattern('kernel.retention.read')
  async readRetention(@Payload() payload: unknown): Promise<RetentionView> {
    return await this.#retention.read(parseMessage(KERNEL_REQUESTS['retention.read'], payload));
  }

  @MessagePattern('kernel.retention.set')
  async setRetention(@Payload() payload: unknown): Promise<RetentionView> {
    return await this.#retention.set(parseMessage(KERNEL_REQUESTS['retention.set'], payload));
  }
}
