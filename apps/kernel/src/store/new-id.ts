// SPDX-License-Identifier: Apache-2.0
import { formatId, type Id, type IdKind } from '@writ/contract';
import { v7 } from 'uuid';

/** A new identifier of the kind, from a UUIDv7 (RFC 9562 §5.7): ordered by the millisecond in which it was made, else random. */
export function newId<K extends IdKind>(kind: K): Id<K> {
  return formatId(kind, v7(undefined, new Uint8Array(16)));
}
