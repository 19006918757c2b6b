// SPDX-License-Identifier: Apache-2.0
export { compareBytes, concatBytes, toHex, utf8Bytes } from './bytes.ts';
export { ARGS_SALT_BYTES, actionDigest, argsHash, effectDigest } from './call-digests.ts';
export type { Action, Effect, EffectChange } from './call-digests.ts';
export { canonicalBytes, canonicalJson } from './canonical.ts';
export { entityTag } from './entity-tag.ts';
export { resourceDigest, type ResourceMeaning } from './resource-digest.ts';
export { sha256, sha256Hex } from './sha256/sha256.ts';
export { DEPTH_CEILING } from './i-json.ts';
export type { JsonValue } from './i-json.ts';
export { JsonError } from './json-error.ts';
export type { JsonReason } from './json-error.ts';
export { parseIJson, parseJson } from './parse.ts';
export type { ParseLimits } from './parse.ts';
