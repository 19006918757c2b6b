// SPDX-License-Identifier: Apache-2.0
import { CloseReason, Receipt, RecordPage, TenantLimitsChange, TenantLimitsView, TenantView } from '@writ/contract';
import { Type } from 'typebox';
import { closed, Name, paging } from '../../edge/requests/fields.ts';
import { route } from '../../edge/requests/route.ts';
import { NewTenant, TenantList } from './views.ts';

/** Of one tenant, for the platform key. */
const one = { tag: 'tenants', allowed: 'platform', params: { tenant_id: 'tenant' } } as const;

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
  list: route({
    id: 'listTenants',
    method: 'GET',
    path: '/v1/tenants',
    tag: 'tenants',
    allowed: 'platform',
    summary: 'Lists tenants, newest first',
    query: Type.Object(
      { ...paging, open: Type.Optional(Type.Boolean({ description: '`true`: only tenants that are not closed' })) },
      closed,
    ),
    answers: { 200: { description: 'A page of tenants', schema: TenantList } },
  }),
  read: route({
    ...one,
    id: 'readTenant',
    method: 'GET',
    path: '/v1/tenants/{tenant_id}',
    summary: 'Shows a tenant',
    answers: { 200: { description: 'The tenant', schema: TenantView } },
    faults: ['not_found'],
  }),
  close: route({
    ...one,
    id: 'closeTenant',
    method: 'POST',
    path: '/v1/tenants/{tenant_id}/close',
    summary: 'Closes a tenant for ever: nothing is admitted, open calls end, its keys are revoked, its records stay',
    body: Type.Object({ reason: CloseReason }, closed),
    answers: { 200: { description: 'The tenant, closed', schema: TenantView } },
    faults: ['not_found'],
  }),
  records: route({
    ...one,
    id: 'listRecordsOfClosedTenant',
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/records',
    summary: 'Lists the records of a closed tenant, newest first',
    query: Type.Object({ ...paging }, closed),
    answers: { 200: { description: 'A page of records, and the state of the index', schema: RecordPage } },
    faults: ['not_found', 'conflict', 'ledger.unavailable', 'ledger.diverged'],
  }),
  receipt: route({
    ...one,
    id: 'readReceiptOfClosedTenant',
    method: 'GET',
    path: '/v1/tenants/{tenant_id}/records/{leaf_index}/receipt',
    params: { tenant_id: 'tenant', leaf_index: 'leaf' },
    summary: 'Returns the receipt of a record of a closed tenant',
    answers: {
      200: {
        description: 'The receipt file in its canonical form',
        schema: Receipt,
        media: 'application/vnd.writ.receipt.v1+json',
      },
    },
    faults: ['not_found', 'conflict', 'ledger.unavailable', 'ledger.diverged'],
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
