// SPDX-License-Identifier: Apache-2.0
export {
  consentCodeContext,
  givenValueContext,
  HpkeBox,
  listingContext,
  redeemedContext,
  reportedTokensContext,
  secretContext,
  sealTo,
  tokenWorkContext,
} from './hpke-box.ts';
export { allKeys, masterKeyId, type MasterKeys } from './master-keys.ts';
export { KEY_BYTES, openBytes, sealBytes, UnopenableError } from './sealed-bytes.ts';
export {
  ARGUMENTS_ATTEMPT,
  openContent,
  openedParts,
  SEAL_BYTES,
  sealContent,
  sealedParts,
  sealedRef,
  type ContentKind,
  type ContentSeal,
} from './sealed-content.ts';
