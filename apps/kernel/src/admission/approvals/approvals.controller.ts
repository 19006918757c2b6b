// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  KERNEL_REQUESTS,
  parseMessage,
  type ApprovalEffect,
  type ApprovalView,
  type OperationView,
  type PastDecisions,
} from '@writ/contract';
import { Approvals } from './approvals.ts';
import { DecideApproval } from './decide-approval.ts';
import { SupplyValue } from './supply-value.ts';
import { EditCall } from './edit-call.ts';
import { YourDecisions } from './your-decisions.ts';

@Controller()
export class ApprovalsController {
  readonly #decide: DecideApproval;
  readonly #approvals: Approvals;
  readonly #edit: EditCall;
  readonly #supplyValue: SupplyValue;
  readonly #yours: YourDecisions;

  constructor(
    decide: DecideApproval,
    approvals: Approvals,
    edit: EditCall,
    supplyValue: SupplyValue,
    yours: YourDecisions,
  ) {
    this.#decide = decide;
    this.#approvals = approvals;
    this.#edit = edit;
    this.#supplyValue = supplyValue;
    this.#yours = yours;
  }

  @MessagePattern('kernel.approval.decide')
  async decide(@Payload() payload: unknown): Promise<OperationView> {
    return await this.#decide.run(parseMessage(KERNEL_REQUESTS['approval.decide'], payload));
  }

  @MessagePattern('kernel.approval.read')
  async read(@Payload() payload: unknown): Promise<ApprovalView> {
    const request = parseMessage(KERNEL_REQUESTS['approval.read'], payload);
    const approval = await this.#approvals.read(request);
    const shown = { effectDigest: approval.binding.effect_digest, isReadable: approval.unreadable !== true };
    return { ...approval, you: await this.#yours.of(request, shown) };
  }

  @MessagePattern('kernel.approval.alike')
  async alike(@Payload() payload: unknown): Promise<PastDecisions> {
    return await this.#approvals.alike(parseMessage(KERNEL_REQUESTS['approval.alike'], payload));
  }

  @MessagePattern('kernel.approval.edit')
  async edit(@Payload() payload: unknown): Promise<OperationView> {
    return await this.#edit.run(parseMessage(KERNEL_REQUESTS['approval.edit'], payload));
  }

  @MessagePattern('kernel.approval.give')
  async supplyValue(@Payload() payload: unknown): Promise<OperationView> {
    return await this.#supplyValue.run(parseMessage(KERNEL_REQUESTS['approval.give'], payload));
  }

  @MessagePattern('kernel.value.key')
  async valueKey(@Payload() payload: unknown): Promise<{ public_key: string }> {
    parseMessage(KERNEL_REQUESTS['value.key'], payload);
    return await this.#supplyValue.publicKey();
  }

  @MessagePattern('kernel.approval.effect')
  async effect(@Payload() payload: unknown): Promise<ApprovalEffect> {
    return await this.#approvals.effect(parseMessage(KERNEL_REQUESTS['approval.effect'], payload));
  }

  @MessagePattern('kernel.approval.list')
  async list(@Payload() payload: unknown): Promise<{ items: ApprovalView[]; next_cursor: string | null }> {
    return await this.#approvals.list(parseMessage(KERNEL_REQUESTS['approval.list'], payload));
  }
}
