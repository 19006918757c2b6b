// SPDX-License-Identifier: Apache-2.0
export { CallSettingsController } from './call-settings.controller.ts';
export { TenantCallSettings } from './tenant-call-settings.ts';
