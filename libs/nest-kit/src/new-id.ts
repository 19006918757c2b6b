// SPDX-License-Identifier: Apache-2.0
import { formatId, type Id, type IdKind } from '@writ/contract';
import { v7 } from 'uuid';

/**
 * Creates an identifier of the kind: `<kind>_` and 26 characters that encode a UUIDv7, so that later ones sort later.
 */
export function newId<K extends IdKind>(kind: K): Id<K> {
  return formatId(kind, v7(undefined, new Uint8Array(16)));
}
