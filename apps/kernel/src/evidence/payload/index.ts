// SPDX-License-Identifier: Apache-2.0
export { CallVault, CallKeyStore, type CallKey, type Holder, type KeyedCall, type PayloadField } from './call-vault.ts';
export {
  argumentsKey,
  openArguments,
  openKept,
  opensKept,
  plainRef,
  type ArgumentsRef,
  type ContentRef,
  type NamedCall,
  type SealedBy,
} from './kept-contents.ts';
export { TenantBox, type ValueKind } from './tenant-box.ts';
export { TenantVault, WrappedKeyStore } from './tenant-vault.ts';
export {
  newTenantKeys,
  unwrapTenantKeys,
  wrapTenantKeys,
  type KeyPurpose,
  type TenantKeys,
  type WrappedKeys,
} from './wrapped-keys.ts';
