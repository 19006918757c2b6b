// SPDX-License-Identifier: Apache-2.0
import { ID_KINDS, type AgentId, type Caller, type Id, type TenantId } from '@writ/contract';
import type { Role } from './roles.ts';

/** A key as it is stored, without its text. Times are milliseconds since the epoch by the database's clock. */
export interface ApiKeyRow {
  readonly api_key_id: Id<'apiKey'>;
  readonly name: string;
  readonly role: Role;
  readonly agent_id: AgentId | null;
  /** the person who is responsible for it; null: it counts as a separate person */
  readonly principal: string | null;
  /** the member whose key it is; null: of nobody who is a member */
  readonly member_id: Id<'member'> | null;
  /** of the role `worker`: the tools whose calls it may take; null for every other */
  readonly tools: string[] | null;
  /** the groups of routes that it may use, as `scopeOf` writes them; empty: all that its role may */
  readonly scopes: readonly string[];
  /** of a credential that was exchanged: the capability token that its calls are bound to */
  readonly bound_token: Id<'token'> | null;
  readonly created_at: number;
  readonly created_by: string;
  readonly revoked_at: number | null;
  /** it is refused from then on; null: it has no end */
  readonly expires_at: number | null;
  /** to the minute */
  readonly last_used_at: number | null;
  readonly rotated_at: number | null;
  /** how long a secret of before the last rotation may be good */
  readonly former_until: number | null;
}

/** The values of a new key. `hash` is the SHA-256 of its text. */
export interface NewKey {
  readonly api_key_id: Id<'apiKey'>;
  readonly name: string;
  readonly role: Role;
  readonly agent_id: AgentId | null;
  readonly principal?: string | null;
  /** the pseudonym of the principal, by which its member is found */
  readonly person_id?: Id<'person'> | null;
  /** the member, where it is known */
  readonly member_id?: Id<'member'> | null;
  readonly tools?: readonly string[] | null;
  readonly scopes?: readonly string[];
  readonly bound_token?: Id<'token'> | null;
  readonly expires_at?: number | null;
  readonly hash: Uint8Array;
  readonly created_by: string;
}

/** What a presented key is good for. */
export interface PresentedKey {
  readonly caller: Caller;
  /** empty: all that the role may */
  readonly scopes: readonly string[];
  /** the end of what was presented; null: it has none */
  readonly expires_at: number | null;
  /** a rotation replaced the secret that was presented */
  readonly is_former: boolean;
  readonly bound_token: Id<'token'> | null;
}

/** How a key's secret is exchanged. */
export interface KeyRotation {
  /** of the new secret */
  readonly hash: Uint8Array;
  /** the hash of the secret that MUST be the newest one; absent: an administrator rotates the key */
  readonly presented?: Uint8Array;
  /** how long secrets of before stay good at most */
  readonly overlap_ms: number;
  /** the new end of the key, which null takes away; absent: it stays */
  readonly expires_at?: number | null;
}

/** API keys of the tenants. Implementations MUST NOT show or change a key of a tenant other than `tenantId`. */
export abstract class ApiKeys {
  /** The key of that hash; null where no valid key has it. Only this and `recordUse` take no tenant. */
  abstract present(hash: Uint8Array): Promise<PresentedKey | null>;
  /** The caller whose key has that hash, for who made the key and knows that nothing limits it. */
  async authenticate(hash: Uint8Array): Promise<Caller | null> {
    return (await this.present(hash))?.caller ?? null;
  }
  /** Notes, to the minute, that the keys were used. */
  abstract recordUse(apiKeyIds: readonly string[]): Promise<void>;
  /**
   * Stores a key, which is its person's member's. Fault `conflict` where that member isn't active. Implementations MUST
   * decide it in one transaction, so that no key is made for a member who is suspended or offboarded meanwhile.
   */
  abstract create(tenantId: TenantId, key: NewKey): Promise<ApiKeyRow>;
  /** Null where the tenant has no such key. */
  abstract read(tenantId: TenantId, apiKeyId: string): Promise<ApiKeyRow | null>;
  /** Newest first, without credentials that were exchanged: each lives for minutes, and there are many. */
  abstract list(
    tenantId: TenantId,
    page: { readonly cursor: string | null; readonly limit: number },
  ): Promise<{ items: ApiKeyRow[]; next_cursor: string | null }>;
  /** The roles of the valid keys of the person that have no scopes, each once. */
  abstract rolesOf(tenantId: TenantId, principal: string): Promise<Role[]>;
  /**
   * Revokes it, and wakes its waiting runs so that they end. A key that was revoked before stays as it is. Null where
   * the tenant has no such key. Fault `conflict` where it is the tenant's last lasting key of an administrator: a valid
   * one without an end and without scopes. Nobody could administer the tenant then. Implementations MUST await `before`
   * after this check, while no concurrent change can make this key the last one, and MUST change nothing where it
   * rejects.
   * @param before makes durable what must precede the revocation; it also runs for a key that was revoked before
   */
  abstract revoke(tenantId: TenantId, apiKeyId: string, before?: () => Promise<void>): Promise<ApiKeyRow | null>;
  /** Revokes all keys of the tenant, the last administrator's too, and wakes its waiting runs so that they end. */
  abstract revokeAll(tenantId: TenantId): Promise<void>;
  /**
   * Exchanges the secret of a key. Secrets of before stay good for `overlap_ms` at most, and none longer than it was.
   * Null where the tenant has no such key. Fault `conflict` for a key that was revoked or has expired, for a credential
   * that has no secret of its own, where the tenant would have no lasting key of an administrator, and where
   * `presented` isn't the newest secret. Implementations MUST compare it while no other rotation of the key can commit.
   * `before` is awaited as in `revoke`.
   */
  abstract rotate(
    tenantId: TenantId,
    apiKeyId: string,
    rotation: KeyRotation,
    before: () => Promise<void>,
  ): Promise<ApiKeyRow | null>;
}

/** Why a key can't be rotated; null where it can. */
export function decideRotation(
  { revoked_at, expires_at, bound_token, created_by }: ApiKeyRow,
  now: number,
): string | null {
  if (revoked_at !== null) return 'the key was revoked; create another one';
  if (bound_token !== null || created_by.startsWith(CREDENTIAL_PREFIX))
    return 'it is no key that somebody holds, so it has no secret to exchange';
  return expires_at !== null && expires_at <= now ? 'the key has expired; create another one' : null;
}

/**
 * The shortest overlap for the last lasting key of an administrator, in milliseconds: where the answer gets lost,
 * nobody has the new secret, and that of before is the only way back.
 */
export const LAST_OVERLAP_MS_MIN = 60_000;
/** Why such a key isn't rotated with less. */
export const LAST_OVERLAP =
  'it is the last valid key of an administrator without an end and without scopes, and a lost answer would lock the ' +
  `tenant out: use an \`overlap_ms\` of ${LAST_OVERLAP_MS_MIN} or more, or make another key first`;

/** Why a key isn't rotated by a secret that a rotation replaced. */
export const REPLACED_SECRET = 'this secret was exchanged before: present the new one, or ask an administrator';

/** Of `created_by` of credentials of identity providers: whether one is good, the issuer decides. */
export const CREDENTIAL_PREFIX = `${ID_KINDS.identityProvider}_`;

/** Why a change is refused that would leave a tenant without an administrator. */
export const LAST_ADMINISTRATOR =
  'it is the last valid key of an administrator without an end and without scopes; make another one first';
