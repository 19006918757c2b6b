// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  KERNEL_REQUESTS,
  parseMessage,
  TextOrdersTake,
  TextsGone,
  TextsTold,
  type ErasurePlan,
  type ErasureView,
  type RetentionView,
  type TextOrders,
} from '@writ/contract';
import type { Listed } from '@writ/paging';
import { BeginErasure } from './begin-erasure.ts';
import { Erasures } from './erasures.ts';
import { RetentionRules } from './retention.ts';
import { ErasedTexts } from './text-orders.ts';

@Controller()
export class ErasuresController {
  readonly #begin: BeginErasure;
  readonly #erasures: Erasures;
  readonly #retention: RetentionRules;
  readonly #texts: ErasedTexts;

  constructor(begin: BeginErasure, erasures: Erasures, retention: RetentionRules, texts: ErasedTexts) {
    this.#begin = begin;
    this.#erasures = erasures;
    this.#retention = retention;
    this.#texts = texts;
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
  async list(@Payload() payload: unknown): Promise<Listed<ErasureView>> {
    return await this.#erasures.list(parseMessage(KERNEL_REQUESTS['erasure.list'], payload));
  }

  @MessagePattern('kernel.erasure.orders')
  async orders(@Payload() payload: unknown): Promise<TextOrders> {
    return await this.#texts.orders(parseMessage(TextOrdersTake, payload));
  }

  @MessagePattern('kernel.erasure.tell')
  async tell(@Payload() payload: unknown): Promise<Record<string, never>> {
    return await this.#texts.tell(parseMessage(TextsTold, payload));
  }

  @MessagePattern('kernel.erasure.gone')
  async gone(@Payload() payload: unknown): Promise<ErasureView> {
    return await this.#texts.gone(parseMessage(TextsGone, payload));
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
