// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type ProfilePutReply, type ProfileView } from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { Profiles } from './profiles.ts';

@Controller()
export class ProfilesController {
  readonly #profiles: Profiles;

  constructor(profiles: Profiles) {
    this.#profiles = profiles;
  }

  @MessagePattern('kernel.profile.create')
  async create(@Payload() payload: unknown): Promise<ProfilePutReply> {
    return await this.#profiles.create(parseMessage(KERNEL_REQUESTS['profile.create'], payload));
  }

  @MessagePattern('kernel.profile.list')
  async list(@Payload() payload: unknown): Promise<ListPage<ProfileView>> {
    return await this.#profiles.list(parseMessage(KERNEL_REQUESTS['profile.list'], payload));
  }

  @MessagePattern('kernel.profile.read')
  async read(@Payload() payload: unknown): Promise<ProfileView> {
    return await this.#profiles.read(parseMessage(KERNEL_REQUESTS['profile.read'], payload));
  }

  @MessagePattern('kernel.profile.remove')
  async remove(@Payload() payload: unknown): Promise<{ removed: string }> {
    return await this.#profiles.remove(parseMessage(KERNEL_REQUESTS['profile.remove'], payload));
  }
}
