// SPDX-License-Identifier: Apache-2.0
export { CloseTenant } from './close-tenant.ts';
export { CreateTenant } from './create-tenant.ts';
export { RewrapKeys, type Rewrapped } from './rewrap-keys.ts';
export { reportRewrapped } from './report-rewrapped.ts';
export { TenantLimits } from './tenant-limits.ts';
export { Tenants } from './tenants.ts';
export { TenantsController } from './tenants.controller.ts';
