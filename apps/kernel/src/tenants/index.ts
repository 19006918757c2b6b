// SPDX-License-Identifier: Apache-2.0
export { CreateTenant } from './create-tenant.ts';
export { TenantsController } from './tenants.controller.ts';
