// SPDX-License-Identifier: Apache-2.0
export { newPassword, newPlatformKey, newSealingKey, platformKeyHash } from './first-secrets.ts';
export {
  FollowedFile,
  firstRing,
  KeyFile,
  newKey,
  parseRingText,
  readRing,
  replaceFile,
  writeRing,
  type NewKey,
} from './key-file.ts';
export { KeyWrap } from './key-wrap.ts';
export { readKeyWrap } from './key-wrap-file.ts';
export { PublicKeyFile } from './public-key-file.ts';
export { PublicRingFile } from './public-ring-file.ts';
export {
  publishedOf,
  publishedTexts,
  publishRings,
  textsOf,
  type Announced,
  type Published,
  type PublicFiles,
  type Rings,
} from './publish.ts';
export { whileRingsAreLocked } from './ring-lock.ts';
