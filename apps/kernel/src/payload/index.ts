// SPDX-License-Identifier: Apache-2.0
export { TenantBox, TenantVault, WrappedKeyStore, type PayloadField, type ValueKind } from './tenant-vault.ts';
export { newTenantKeys, unwrapTenantKeys, wrapTenantKeys, type KeyPurpose, type TenantKeys, type WrappedKeys } from './wrapped-keys.ts';
