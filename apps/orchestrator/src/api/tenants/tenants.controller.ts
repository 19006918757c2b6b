// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { TenantLimitsView } from '@writ/contract';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { TENANTS } from './routes.ts';
import type { NewTenant } from './views.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { CreateTenant } from './create-tenant.ts';

@Controller()
export class TenantsController {
  constructor(
    private readonly createTenant: CreateTenant,
    private readonly kernel: KernelClient,
  ) {}

  @Route(TENANTS.create)
  create(@RequestInput() { body }: RequestInputOf<typeof TENANTS.create>): Promise<NewTenant> {
    return this.createTenant.run(body.name);
  }

  @Route(TENANTS.readLimits)
  readLimits(@RequestInput() { params }: RequestInputOf<typeof TENANTS.readLimits>): Promise<TenantLimitsView> {
    return this.kernel.ask('tenant.limits.read', null, params);
  }

  @Route(TENANTS.setLimits)
  setLimits(@RequestInput() { params, body }: RequestInputOf<typeof TENANTS.setLimits>): Promise<TenantLimitsView> {
    return this.kernel.ask('tenant.limits.set', null, { ...params, change: body });
  }
}
