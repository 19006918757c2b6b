// SPDX-License-Identifier: Apache-2.0
import type { KeySet } from '@writ/receipt';

/** What a kernel says of itself in what it signs. */
export interface Signing {
  readonly kernel_key_id: string;
  /** milliseconds since the epoch */
  readonly made_at: number;
}

/**
 * What speaks against the key that signed, in words; null where it stands. Whoever stole a key that was revoked may name another in what it signs, and any time:
 * so the key that signed is the one that has to be good, and a revoked one signs nothing here, where no checkpoint says how old a thing is.
 */
export function faultOfKey(what: string, { kernel_key_id, made_at }: Signing, signedBy: string | undefined, recordKeys: KeySet['recordKeys']): string | null {
  if (kernel_key_id !== signedBy) return `the ${what} names another key than the one that signed it`;
  const key = recordKeys.get(kernel_key_id);
  if (key === undefined || key.revokedAt !== null) return `the key that signed the ${what} was revoked`;
  if (made_at < (key.notBefore ?? -Infinity) || made_at > (key.notAfter ?? Infinity)) return `the key that signed the ${what} wasn't good when it was made`;
  return null;
}
