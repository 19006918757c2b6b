// SPDX-License-Identifier: Apache-2.0
import { canonicalBytes } from './canonical.ts';
import { sha256Hex } from './sha256/sha256.ts';

/**
 * The strong validator of what the API shows of a thing: hex SHA-256 of its RFC 8785 bytes. The service that shows the
 * thing and the one that changes it compute the same tag, so none is stored.
 */
export function entityTag(view: unknown): string {
  return sha256Hex(canonicalBytes(view));
}
