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
  type TenantView,
} from '@writ/contract';
import { CrossTenantPool } from '../../foundation/database/pools.ts';
import type { ListPage } from '@writ/paging';
import { CloseTenant } from './close-tenant.ts';
import { CreateTenant } from './create-tenant.ts';
import { TenantLimits } from './tenant-limits.ts';
import { Tenants } from './tenants.ts';
import { limitsSince } from '../../foundation/tenancy/limits-since.ts';

@Controller()
export class TenantsController {
  readonly #create: CreateTenant;
  readonly #limits: TenantLimits;
  readonly #tenants: Tenants;
  readonly #close: CloseTenant;
  readonly #workers: CrossTenantPool;

  constructor(
    create: CreateTenant,
    limits: TenantLimits,
    tenants: Tenants,
    close: CloseTenant,
    workers: CrossTenantPool,
  ) {
    this.#create = create;
    this.#tenants = tenants;
    this.#close = close;
    this.#limits = limits;
    this.#workers = workers;
  }

  @MessagePattern('kernel.tenant.create')
  async create(@Payload() payload: unknown): Promise<{ tenant_id: string }> {
    return await this.#create.run(parseMessage(TenantCreate, payload));
  }

  @MessagePattern('kernel.tenant.list')
  async list(@Payload() payload: unknown): Promise<ListPage<TenantView>> {
    return await this.#tenants.list(parseMessage(KERNEL_REQUESTS['tenant.list'], payload));
  }

  @MessagePattern('kernel.tenant.read')
  async read(@Payload() payload: unknown): Promise<TenantView> {
    return await this.#tenants.read(parseMessage(KERNEL_REQUESTS['tenant.read'], payload));
  }

  @MessagePattern('kernel.tenant.close')
  async close(@Payload() payload: unknown): Promise<TenantView> {
    return await this.#close.run(parseMessage(KERNEL_REQUESTS['tenant.close'], payload));
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
