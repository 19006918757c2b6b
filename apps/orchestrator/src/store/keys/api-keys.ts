// SPDX-License-Identifier: Apache-2.0
import type { AgentId, Caller, Id, TenantId } from '@writ/contract';
import type { Role } from './roles.ts';

/** A key as it is kept: everything but the key. Times are milliseconds since the epoch by the database's clock. */
export interface ApiKeyRow {
  readonly api_key_id: Id<'apiKey'>;
  readonly name: string;
  readonly role: Role;
  readonly agent_id: AgentId | null;
  /** the person who answers for it; null: one of its own */
  readonly principal: string | null;
  readonly created_at: number;
  readonly created_by: string;
  readonly revoked_at: number | null;
}

/** What a new key is made of. `hash` is the SHA-256 of its text. */
export interface NewKey {
  readonly api_key_id: Id<'apiKey'>;
  readonly name: string;
  readonly role: Role;
  readonly agent_id: AgentId | null;
  readonly principal?: string | null;
  readonly hash: Uint8Array;
  readonly created_by: string;
}

/**
 * API keys of the tenants. Implementations MUST NOT show or change a key of another tenant than the one that is named.
 */
export abstract class ApiKeys {
  /** Who presents the key of that hash; null for none that is valid now. The only question that no tenant asks. */
  abstract authenticate(hash: Uint8Array): Promise<Caller | null>;
  abstract create(tenantId: TenantId, key: NewKey): Promise<ApiKeyRow>;
  /** Null where the tenant has no such key. */
  abstract read(tenantId: TenantId, apiKeyId: string): Promise<ApiKeyRow | null>;
  /** Newest first. */
  abstract list(
    tenantId: TenantId,
    page: { readonly cursor: string | null; readonly limit: number },
  ): Promise<{ items: ApiKeyRow[]; next_cursor: string | null }>;
  /** The roles of the valid keys of the person, each once. */
  abstract rolesOf(tenantId: TenantId, principal: string): Promise<Role[]>;
  /**
   * Revokes it, and has the runs that it asked for looked at; one that was revoked stays as it is. Null where the
   * tenant has no such key. Fault `conflict` where it is the tenant's last valid key of an administrator: nobody could
   * get in again. Implementations MUST await `before` once that is excluded, so that no other revocation can make this
   * key the last one meanwhile, and MUST change nothing where it rejects.
   * @param before what has to be durable before the key is revoked; runs for a key that was revoked before, too
   */
  abstract revoke(tenantId: TenantId, apiKeyId: string, before?: () => Promise<void>): Promise<ApiKeyRow | null>;
}
