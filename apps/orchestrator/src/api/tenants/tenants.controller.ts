// SPDX-License-Identifier: Apache-2.0
import { Controller } from '@nestjs/common';
import type { RecordPage, TenantId, TenantLimitsView, TenantView } from '@writ/contract';
import { encodeReceipt, RECEIPT_MEDIA_TYPE } from '@writ/receipt';
import { InExchange, type Exchange } from '../../edge/requests/exchange.ts';
import { pageOf } from '../../edge/requests/fields.ts';
import { RequestInput } from '../../edge/requests/request-input.ts';
import { Route, type RequestInputOf } from '../../edge/requests/route.ts';
import { TENANTS } from './routes.ts';
import type { NewTenant } from './views.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import { ClosedRecords } from './closed-records.ts';
import { CloseTenant } from './close-tenant.ts';
import { CreateTenant } from './create-tenant.ts';

@Controller()
export class TenantsController {
  constructor(
    private readonly createTenant: CreateTenant,
    private readonly closeTenant: CloseTenant,
    private readonly closedRecords: ClosedRecords,
    private readonly kernel: KernelClient,
  ) {}

  @Route(TENANTS.create)
  create(@RequestInput() { body }: RequestInputOf<typeof TENANTS.create>): Promise<NewTenant> {
    return this.createTenant.run(body.name);
  }

  @Route(TENANTS.list)
  list(
    @RequestInput() { query }: RequestInputOf<typeof TENANTS.list>,
  ): Promise<{ items: TenantView[]; next_cursor: string | null }> {
    return this.kernel.ask('tenant.list', null, { page: pageOf(query), open: query.open ?? false });
  }

  @Route(TENANTS.read)
  read(@RequestInput() { params }: RequestInputOf<typeof TENANTS.read>): Promise<TenantView> {
    return this.kernel.ask('tenant.read', null, params);
  }

  @Route(TENANTS.close)
  close(@RequestInput() { params, body }: RequestInputOf<typeof TENANTS.close>): Promise<TenantView> {
    return this.closeTenant.run(params.tenant_id as TenantId, body.reason);
  }

  @Route(TENANTS.records)
  records(@RequestInput() { params, query }: RequestInputOf<typeof TENANTS.records>): Promise<RecordPage> {
    return this.closedRecords.list(params.tenant_id as TenantId, pageOf(query));
  }

  @Route(TENANTS.receipt)
  async receipt(
    @RequestInput() { params }: RequestInputOf<typeof TENANTS.receipt>,
    @InExchange() exchange: Exchange,
  ): Promise<Buffer> {
    const { tenant_id, leaf_index } = params;
    const file = encodeReceipt(await this.closedRecords.receipt(tenant_id as TenantId, Number(leaf_index)));
    exchange.setHeader('content-type', RECEIPT_MEDIA_TYPE);
    exchange.setHeader('content-disposition', `attachment; filename="record-${leaf_index}.receipt.json"`);
    // Sent as bytes, because the file's serialization is fixed and no layer may change it.
    return Buffer.from(file, 'utf8');
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
