// SPDX-License-Identifier: Apache-2.0
import { canonicalBytes } from './canonical.ts';
import { sha256Hex } from './sha256/sha256.ts';

/** The meaning of a registered resource: what decides where a call on it goes. */
export interface ResourceMeaning {
  readonly kind: string;
  readonly name: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Hex SHA-256 over the RFC 8785 bytes of a resource's kind, name and settings. */
export const resourceDigest = ({ kind, name, settings }: ResourceMeaning): string =>
  sha256Hex(canonicalBytes({ kind, name, settings }));
