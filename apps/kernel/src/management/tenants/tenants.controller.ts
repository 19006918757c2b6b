// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import {
  KERNEL_REQUESTS,
  LimitsSince,
  parseMessage,
  TenantCreate,
  type LimitsChanged,
  type TenantLimitsView,
} from '@writ/contract';
import { CrossTenantPool } from '../../foundation/database/pools.ts';
import { CreateTenant } from './create-tenant.ts';
import { TenantLimits } from './tenant-limits.ts';
import { limitsSince } from '../../foundation/tenancy/limits-since.ts';

@Controller()
export class TenantsController {
  readonly #create: CreateTenant;
  readonly #limits: TenantLimits;
  readonly #workers: CrossTenantPool;

  constructor(create: CreateTenant, limits: TenantLimits, workers: CrossTenantPool) {
    this.#create = create;
    this.#limits = limits;
    this.#workers = workers;
  }

  @MessagePattern('kernel.tenant.create')
  async create(@Payload() payload: unknown): Promise<{ tenant_id: string }> {
    return await this.#create.run(parseMessage(TenantCreate, payload));
  }

  @MessagePattern('kernel.tenant.limits.read')
  async readLimits(@Payload() payload: unknown): Promise<TenantLimitsView> {
    return await this.#limits.read(parseMessage(KERNEL_REQUESTS['tenant.limits.read'], payload));
  }

  @MessagePattern('kernel.tenant.limits.set')
  async setLimits(@Payload() payload: unknown): Promise<TenantLimitsView> {
    return await this.#limits.set(parseMessage(KERNEL_REQUESTS['tenant.limits.set'], payload));
  }

  @MessagePattern('kernel.tenant.limits.changed')
  async changedLimits(@Payload() payload: unknown): Promise<LimitsChanged> {
    return await limitsSince(this.#workers, parseMessage(LimitsSince, payload));
  }
}
