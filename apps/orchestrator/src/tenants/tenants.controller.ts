// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import { Asked } from '../http/asked.ts';
import { Route, type AskedOf } from '../http/route.ts';
import { TENANTS } from '../http/routes/index.ts';
import type { NewTenant } from '../http/views.ts';
import { CreateTenant } from './create-tenant.ts';

@Controller()
export class TenantsController {
  constructor(private readonly createTenant: CreateTenant) {}

  @Route(TENANTS.create)
  create(@Asked() { body }: AskedOf<typeof TENANTS.create>): Promise<NewTenant> {
    return this.createTenant.run(body.name);
  }
}
