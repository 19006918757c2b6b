// SPDX-License-Identifier: Apache-2.0
import type { Id, TenantId } from '@writ/contract';

/** A session of a browser, or of a program that a person approved in a browser. */
export type SignInKind = 'browser' | 'device';

/** A session that begins. Hashes have 32 bytes. */
export interface NewSignIn {
  readonly sign_in_id: Id<'signIn'>;
  readonly kind: SignInKind;
  /** how the program of a device calls itself; null for a browser */
  readonly client: string | null;
  /** the session of the browser that approved a device; null for a browser */
  readonly approved_by: string | null;
  readonly provider_id: Id<'identityProvider'>;
  readonly subject_hash: Buffer;
  /** the pseudonym */
  readonly person_id: Id<'person'>;
  /** the credential that acts in records of the session */
  readonly credential_id: Id<'apiKey'>;
  /** scopes that the issuer gave, of those that the registration maps to roles */
  readonly scopes: readonly string[];
  /** groups that the issuer named at the sign-in, of those that the registration maps to roles */
  readonly groups: readonly string[];
  /** who it is at the issuer, encrypted under a key that the holder of the session alone has */
  readonly sealed: string;
  readonly secret_hash: Buffer;
  /** milliseconds since the person proved to the issuer who they are; null: it doesn't say, or a program's session */
  readonly authenticated_ms: number | null;
}

/** A session in force. Durations are in milliseconds, by the database's clock. */
export interface SignInRow extends Omit<NewSignIn, 'secret_hash'> {
  readonly secret_hash: Buffer;
  readonly next_hash: Buffer | null;
  readonly before_hash: Buffer | null;
  /** how long the secret before is good; not at all where it is 0 or less */
  readonly before_ms: number;
  /** for how long the secret in use has been in use */
  readonly secret_ms: number;
  /** since the last request, more or less */
  readonly idle_ms: number;
  readonly signed_in_at: number;
  readonly expires_at: number;
}

/** A session as lists have it. Times are milliseconds since the epoch. */
export interface ListedSignIn {
  readonly sign_in_id: Id<'signIn'>;
  readonly kind: SignInKind;
  readonly client: string | null;
  readonly person_id: Id<'person'>;
  /** the name of the registration */
  readonly provider: string;
  readonly created_at: number;
  readonly signed_in_at: number;
  readonly seen_at: number;
  readonly expires_at: number;
  readonly ended_at: number | null;
  readonly ended_by: string | null;
}

/** When sessions end by themselves, in milliseconds. */
export interface SignInLifetimes {
  /** without a request */
  readonly idleMs: number;
  /** in any case, since the person was at the identity provider */
  readonly maxMs: number;
}

/** Whose sessions: of one subject, or of the tenant. */
export type SignInsOf = { readonly subject_hash: Uint8Array } | 'tenant';

/**
 * Sign-in sessions, and devices that ask for one. Implementations MUST NOT show or change anything of a tenant other
 * than `tenantId`.
 */
export abstract class SignIns {
  /** Stores the session of a person who was at the identity provider just now, and forgets sessions that are over. */
  abstract create(tenantId: TenantId, session: NewSignIn, maxMs: number): Promise<void>;
  /**
   * The session of that id. Null where it ended, is over or was idle for too long, where its provider was removed or
   * has no sign-in any more, and where its subject was denied.
   */
  abstract find(tenantId: TenantId, signInId: string, idleMs: number): Promise<SignInRow | null>;
  /** Notes the secret that is handed out for `secret_hash`, unless one is noted or that one was replaced. */
  abstract offer(tenantId: TenantId, signInId: string, secret_hash: Buffer, next_hash: Buffer): Promise<void>;
  /** Puts the secret that was handed out in use. The one before is good for `graceMs` more. */
  abstract rotate(tenantId: TenantId, signInId: string, next_hash: Buffer, graceMs: number): Promise<void>;
  /** Notes that the session was used. */
  abstract touch(tenantId: TenantId, signInId: string): Promise<void>;
  /** Ends the session, and no other one. Null where there is none of `of`. */
  abstract end(
    tenantId: TenantId,
    signInId: string,
    how: { readonly by: string; readonly of: SignInsOf },
  ): Promise<ListedSignIn | null>;
  /**
   * Ends the session and all that it approved, where `recorded` names all of these that go on; else ends nothing, and
   * resolves to those that it doesn't name. So none ends without a record of its own.
   */
  abstract endWithApproved(
    tenantId: TenantId,
    signInId: string,
    how: { readonly by: string; readonly recorded: ReadonlySet<string> },
  ): Promise<readonly Id<'signIn'>[]>;
  /** The session of that id, whether it goes on or ended. Null where there is none of `of`. */
  abstract read(tenantId: TenantId, signInId: string, of: SignInsOf): Promise<ListedSignIn | null>;
  /**
   * Deletes sessions, and devices that ask for one, of all tenants, once they are over: so many at most. How many it
   * deleted. The only method without a tenant.
   */
  abstract prune(): Promise<number>;
  /** Newest first. Sessions that are over are missing, and those that ended are there until they would be. */
  abstract list(
    tenantId: TenantId,
    of: SignInsOf,
    page: { readonly cursor: string | null; readonly limit: number },
  ): Promise<{ items: ListedSignIn[]; next_cursor: string | null }>;
}
