// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { parseMessage, TenantCreate } from '@writ/contract';
import { CreateTenant } from './create-tenant.ts';

@Controller()
export class TenantsController {
  readonly #create: CreateTenant;

  constructor(create: CreateTenant) {
    this.#create = create;
  }

  @MessagePattern('kernel.tenant.create')
  async create(@Payload() payload: unknown): Promise<{ tenant_id: string }> {
    return await this.#create.run(parseMessage(TenantCreate, payload));
  }
}
