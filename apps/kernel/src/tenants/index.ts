// SPDX-License-Identifier: Apache-2.0
export { CreateTenant } from './create-tenant.ts';
export { Limits, limitsSince } from './tenant-limits.ts';
export { TenantsController } from './tenants.controller.ts';
