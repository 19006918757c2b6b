// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { KERNEL_REQUESTS, parseMessage, type ResourceGrantView, type ResourceView } from '@writ/contract';
import type { ListPage } from '@writ/paging';
import { ResourceGrants } from './resource-grants.ts';
import { Resources } from './resources.ts';

@Controller()
export class ResourcesController {
  readonly #resources: Resources;
  readonly #grants: ResourceGrants;

  constructor(resources: Resources, grants: ResourceGrants) {
    this.#resources = resources;
    this.#grants = grants;
  }

  @MessagePattern('kernel.resource.create')
  async create(@Payload() payload: unknown): Promise<ResourceView> {
    return await this.#resources.create(parseMessage(KERNEL_REQUESTS['resource.create'], payload));
  }

  @MessagePattern('kernel.resource.read')
  async read(@Payload() payload: unknown): Promise<ResourceView> {
    return await this.#resources.read(parseMessage(KERNEL_REQUESTS['resource.read'], payload));
  }

  @MessagePattern('kernel.resource.list')
  async list(@Payload() payload: unknown): Promise<ListPage<ResourceView>> {
    return await this.#resources.list(parseMessage(KERNEL_REQUESTS['resource.list'], payload));
  }

  @MessagePattern('kernel.resource.update')
  async update(@Payload() payload: unknown): Promise<ResourceView> {
    return await this.#resources.update(parseMessage(KERNEL_REQUESTS['resource.update'], payload));
  }

  @MessagePattern('kernel.resource.remove')
  async remove(@Payload() payload: unknown): Promise<ResourceView> {
    return await this.#resources.remove(parseMessage(KERNEL_REQUESTS['resource.remove'], payload));
  }

  @MessagePattern('kernel.resource_grant.set')
  async setGrant(@Payload() payload: unknown): Promise<ResourceGrantView> {
    return await this.#grants.set(parseMessage(KERNEL_REQUESTS['resource_grant.set'], payload));
  }

  @MessagePattern('kernel.resource_grant.read')
  async readGrant(@Payload() payload: unknown): Promise<ResourceGrantView> {
    return await this.#grants.read(parseMessage(KERNEL_REQUESTS['resource_grant.read'], payload));
  }

  @MessagePattern('kernel.resource_grant.remove')
  async removeGrant(@Payload() payload: unknown): Promise<ResourceGrantView> {
    return await this.#grants.remove(parseMessage(KERNEL_REQUESTS['resource_grant.remove'], payload));
  }

  @MessagePattern('kernel.resource_grant.list')
  async listGrants(@Payload() payload: unknown): Promise<ListPage<ResourceGrantView>> {
    return await this.#grants.list(parseMessage(KERNEL_REQUESTS['resource_grant.list'], payload));
  }
}
