// SPDX-License-Identifier: Apache-2.0
import type { EgressRequest } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';

/** The egress requests of a call as its payload stores them, with their digest for its record. */
export interface OutcomeRequests {
  readonly list: readonly EgressRequest[];
  /** their RFC 8785 JSON */
  readonly bytes: Uint8Array;
  /** hex SHA-256 of it */
  readonly hash: string;
}

/** The list as an ending holds it. */
export function requestsOf(list: readonly EgressRequest[]): OutcomeRequests {
  const bytes = canonicalBytes(list);
  return { list, bytes, hash: sha256Hex(bytes) };
}
