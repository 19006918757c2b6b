// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  KERNEL_REQUESTS,
  parseMessage,
  type PolicyActivation,
  type PolicyDiff,
  type PolicyPage,
  type PolicyPutReply,
  type PolicySchemaView,
  type PolicySetDetails,
  type PolicyTemplateList,
  type PolicyTimes,
} from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { ActivatePolicy } from './activate-policy.ts';
import { PutPolicy } from './put-policy.ts';
import { ShowPolicies } from './show-policies.ts';

@Controller()
export class PoliciesController {
  readonly #show: ShowPolicies;
  readonly #put: PutPolicy;
  readonly #activate: ActivatePolicy;

  constructor(show: ShowPolicies, put: PutPolicy, activate: ActivatePolicy) {
    this.#show = show;
    this.#put = put;
    this.#activate = activate;
  }

  @MessagePattern('kernel.policy.put')
  async put(@Payload() payload: unknown): Promise<PolicyPutReply> {
    return await this.#put.run(parseMessage(KERNEL_REQUESTS['policy.put'], payload));
  }

  @MessagePattern('kernel.policy.list')
  async list(@Payload() payload: unknown): Promise<PolicyPage> {
    return await this.#show.list(parseMessage(KERNEL_REQUESTS['policy.list'], payload));
  }

  @MessagePattern('kernel.policy.read')
  async read(@Payload() payload: unknown): Promise<PolicySetDetails> {
    return await this.#show.read(parseMessage(KERNEL_REQUESTS['policy.read'], payload));
  }

  @MessagePattern('kernel.policy.diff')
  async diff(@Payload() payload: unknown): Promise<PolicyDiff> {
    return await this.#show.diff(parseMessage(KERNEL_REQUESTS['policy.diff'], payload));
  }

  @MessagePattern('kernel.policy.activate')
  async activate(@Payload() payload: unknown): Promise<PolicyActivation> {
    return await this.#activate.run(parseMessage(KERNEL_REQUESTS['policy.activate'], payload));
  }

  @MessagePattern('kernel.policy.rollback')
  async rollBack(@Payload() payload: unknown): Promise<PolicyActivation> {
    return await this.#activate.rollBack(parseMessage(KERNEL_REQUESTS['policy.rollback'], payload));
  }

  @MessagePattern('kernel.policy.activations')
  async activations(@Payload() payload: unknown): Promise<ListPage<PolicyActivation>> {
    return await this.#show.activations(parseMessage(KERNEL_REQUESTS['policy.activations'], payload));
  }

  @MessagePattern('kernel.policy.schema')
  async schema(@Payload() payload: unknown): Promise<PolicySchemaView> {
    return await this.#show.schema(parseMessage(KERNEL_REQUESTS['policy.schema'], payload));
  }

  @MessagePattern('kernel.policy.times')
  async times(@Payload() payload: unknown): Promise<PolicyTimes> {
    return await this.#show.times(parseMessage(KERNEL_REQUESTS['policy.times'], payload));
  }

  @MessagePattern('kernel.policy.templates')
  templates(@Payload() payload: unknown): PolicyTemplateList {
    return this.#show.templates(parseMessage(KERNEL_REQUESTS['policy.templates'], payload));
  }
}
