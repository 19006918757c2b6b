// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';

/** A person who signed in in a browser. Hashes have 32 bytes. */
export interface BrowserSessionRow {
  readonly session_hash: Buffer;
  readonly provider_id: string;
  readonly subject_hash: Buffer;
  /** how pages call the person, encrypted under a key that the browser alone holds */
  readonly shown: string;
}

/** Sessions of browsers. Implementations MUST NOT show or end a session of a tenant other than `tenantId`. */
export abstract class BrowserSessions {
  /** Stores a session of this many milliseconds, and forgets sessions of the tenant that are over. */
  abstract create(tenantId: TenantId, session: BrowserSessionRow, lifetimeMs: number): Promise<void>;
  /**
   * The session of that hash. Null where it is over, where its provider was removed or has no sign-in any more, and
   * where its subject was denied.
   */
  abstract find(tenantId: TenantId, sessionHash: Uint8Array): Promise<BrowserSessionRow | null>;
  abstract end(tenantId: TenantId, sessionHash: Uint8Array): Promise<void>;
}
