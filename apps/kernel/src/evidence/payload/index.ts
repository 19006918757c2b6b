// SPDX-License-Identifier: Apache-2.0
export { CallVault, CallKeyStore, type CallKey, type Holder, type KeyedCall } from './call-vault.ts';
export {
  argumentsKey,
  openArguments,
  openStoredContent,
  contentOpener,
  plainRef,
  type NamedCall,
} from './stored-contents.ts';
export { isUnreadable } from './unreadable.ts';
export { type PayloadField } from './payload-field.ts';
export { TenantCipher, type ValueKind } from './tenant-cipher.ts';
export { TenantVault, WrappedKeyStore } from './tenant-vault.ts';
export {
  newTenantKeys,
  unwrapTenantKeys,
  wrapTenantKeys,
  type KeyPurpose,
  type TenantKeys,
  type WrappedKeys,
} from './wrapped-keys.ts';
