// SPDX-License-Identifier: Apache-2.0
import { TenantLimitsChange, TenantLimitsView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, Name } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { NewTenant } from './views.ts';

export const TENANTS = {
  create: route({
    id: 'createTenant',
    method: 'POST',
    path: '/v1/tenants',
    tag: 'tenants',
    allowed: 'platform',
    summary: "Creates a tenant and its first administrator's key",
    body: Type.Object({ name: Name }, closed),
    answers: { 201: { description: 'The tenant', schema: NewTenant } },
  }),
  readLimits: route({
    id: 'readTenantLimits',
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/limits',
    params: { tenant_id: 'tenant' },
    tag: 'tenants',
    allowed: 'platform',
    summary: 'Shows the limits of a tenant, and the usage of its workspaces',
    answers: { 200: { description: 'The limits', schema: TenantLimitsView } },
    faults: ['not_found'],
  }),
  setLimits: route({
    id: 'setTenantLimits',
    method: 'PATCH',
    path: '/v1/tenants/{tenant_id}/limits',
    params: { tenant_id: 'tenant' },
    tag: 'tenants',
    allowed: 'platform',
    summary:
      'Sets limits of a tenant; omitted ones stay. Rates take effect everywhere within a second, the rest at once',
    body: TenantLimitsChange,
    answers: { 200: { description: 'The new limits', schema: TenantLimitsView } },
    faults: ['not_found'],
  }),
};
