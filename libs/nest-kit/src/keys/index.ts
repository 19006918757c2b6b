// SPDX-License-Identifier: Apache-2.0
export { FollowedFile, firstRing, KeyFile, newKey, readRing, replaceFile, type NewKey } from './key-file.ts';
export { PublicKeyFile } from './public-key-file.ts';
export { PublicRingFile } from './public-ring-file.ts';
export { publishRings, type PublicFiles } from './publish.ts';
