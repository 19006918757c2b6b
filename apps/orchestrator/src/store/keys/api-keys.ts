// SPDX-License-Identifier: Apache-2.0
import type { AgentId, Caller, Id, TenantId } from '@writ/contract';
import type { Role } from './roles.ts';

/** A key as it is stored, without its text. Times are milliseconds since the epoch by the database's clock. */
export interface ApiKeyRow {
  readonly api_key_id: Id<'apiKey'>;
  readonly name: string;
  readonly role: Role;
  readonly agent_id: AgentId | null;
  /** the person who is responsible for it; null: it counts as a separate person */
  readonly principal: string | null;
  /** of the role `worker`: the tools whose calls it may take; null for every other */
  readonly tools: string[] | null;
  readonly created_at: number;
  readonly created_by: string;
  readonly revoked_at: number | null;
}

/** The values of a new key. `hash` is the SHA-256 of its text. */
export interface NewKey {
  readonly api_key_id: Id<'apiKey'>;
  readonly name: string;
  readonly role: Role;
  readonly agent_id: AgentId | null;
  readonly principal?: string | null;
  readonly tools?: readonly string[] | null;
  readonly hash: Uint8Array;
  readonly created_by: string;
}

/** API keys of the tenants. Implementations MUST NOT show or change a key of a tenant other than `tenantId`. */
export abstract class ApiKeys {
  /** The caller whose key has that hash; null where no valid key has it. This is the only method without a tenant. */
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
   * Revokes it, and wakes its waiting runs so that they end. A key that was revoked before stays as it is. Null where
   * the tenant has no such key. Fault `conflict` where it is the tenant's last valid administrator key, because nobody
   * could administer the tenant then. Implementations MUST await `before` after this check, while no concurrent
   * revocation can make this key the last one, and MUST change nothing where it rejects.
   * @param before makes durable what must precede the revocation; it also runs for a key that was revoked before
   */
  abstract revoke(tenantId: TenantId, apiKeyId: string, before?: () => Promise<void>): Promise<ApiKeyRow | null>;
}
