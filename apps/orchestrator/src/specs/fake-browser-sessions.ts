// SPDX-License-Identifier: Apache-2.0
import type { TenantId } from '@writ/contract';
import { BrowserSessions, type BrowserSessionRow } from '../store/identities/browser-sessions.ts';

/** An in-memory store of browser sessions, which end by their time alone. */
export class FakeBrowserSessions extends BrowserSessions {
  readonly #rows = new Map<string, { readonly row: BrowserSessionRow; readonly until: number }>();

  override async create(tenantId: TenantId, row: BrowserSessionRow, lifetimeMs: number): Promise<void> {
    this.#rows.set(keyOf(tenantId, row.session_hash), { row, until: Date.now() + lifetimeMs });
  }

  override async find(tenantId: TenantId, sessionHash: Uint8Array): Promise<BrowserSessionRow | null> {
    const found = this.#rows.get(keyOf(tenantId, sessionHash));
    return found === undefined || found.until <= Date.now() ? null : found.row;
  }

  override async end(tenantId: TenantId, sessionHash: Uint8Array): Promise<void> {
    this.#rows.delete(keyOf(tenantId, sessionHash));
  }
}

const keyOf = (tenantId: TenantId, hash: Uint8Array): string => `${tenantId} ${Buffer.from(hash).toString('hex')}`;
