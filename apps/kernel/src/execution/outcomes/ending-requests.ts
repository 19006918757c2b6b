// SPDX-License-Identifier: Apache-2.0
import type { EgressRequest } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';

/** What asked to leave, as it stands in the call's payload, with what its record says of it. */
export interface EndingRequests {
  readonly list: readonly EgressRequest[];
  /** their RFC 8785 JSON */
  readonly bytes: Uint8Array;
  /** hex SHA-256 of it */
  readonly hash: string;
}

/** The list as an ending has it. */
export function requestsOf(list: readonly EgressRequest[]): EndingRequests {
  const bytes = canonicalBytes(list);
  return { list, bytes, hash: sha256Hex(bytes) };
}
