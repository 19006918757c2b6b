// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  KERNEL_REQUESTS,
  parseMessage,
  type DelegationView,
  type PersonOffboarded,
  type PersonSuspended,
} from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { Delegations } from './delegations.ts';
import { OffboardPerson } from './offboard-person.ts';
import { SuspendPerson } from './suspend-person.ts';

@Controller()
export class DelegationsController {
  readonly #delegations: Delegations;
  readonly #offboard: OffboardPerson;
  readonly #suspend: SuspendPerson;

  constructor(delegations: Delegations, offboard: OffboardPerson, suspend: SuspendPerson) {
    this.#delegations = delegations;
    this.#offboard = offboard;
    this.#suspend = suspend;
  }

  @MessagePattern('kernel.person.offboard')
  async offboard(@Payload() payload: unknown): Promise<PersonOffboarded> {
    return await this.#offboard.run(parseMessage(KERNEL_REQUESTS['person.offboard'], payload));
  }

  @MessagePattern('kernel.person.suspend')
  async suspend(@Payload() payload: unknown): Promise<PersonSuspended> {
    return await this.#suspend.run(parseMessage(KERNEL_REQUESTS['person.suspend'], payload));
  }

  @MessagePattern('kernel.delegation.create')
  async create(@Payload() payload: unknown): Promise<DelegationView> {
    return await this.#delegations.create(parseMessage(KERNEL_REQUESTS['delegation.create'], payload));
  }

  @MessagePattern('kernel.delegation.revoke')
  async revoke(@Payload() payload: unknown): Promise<DelegationView> {
    return await this.#delegations.revoke(parseMessage(KERNEL_REQUESTS['delegation.revoke'], payload));
  }

  @MessagePattern('kernel.delegation.list')
  async list(@Payload() payload: unknown): Promise<ListPage<DelegationView>> {
    return await this.#delegations.list(parseMessage(KERNEL_REQUESTS['delegation.list'], payload));
  }
}
