// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller } from '@writ/contract';
import { decodeJwt } from 'jose';
import { LRUCache } from 'lru-cache';
import type { ApiKeys } from '../../store/keys/api-keys.ts';
import type { SignInKind } from '../../store/sign-ins/sign-ins.ts';
import { hashApiKey, isApiKeyText, isExchangedText } from './api-key-text.ts';
import type { Presented } from './caller.ts';
import type { FailedKeys } from './failed-keys.ts';
import type { Identified } from './identified.ts';
import type { KeyUses } from './key-uses.ts';
import { isJwtText } from './oauth/access-token.ts';
import type { PersonLinks } from './oauth/person-links.ts';
import type { TokenCallers, TokenNeed } from './oauth/token-callers.ts';
import { isPlatformKey } from './platform-key.ts';
import { isKeySessionText, type KeySessions } from './sign-in/key-sessions.ts';
import { bearerSessionOf } from './sign-in/presented-sign-in.ts';
import type { SessionCallers } from './sign-in/session-callers.ts';
import { noSession, type SignInSession, type SignInSessions } from './sign-in/sign-in-sessions.ts';
import { isSessionText } from './sign-in/sign-in-texts.ts';

/** How long the result for a key is cached, in milliseconds: a revoked key is rejected after one second at most. */
const CACHED_MS = 900;
/** How long a valid key is exempt from the limit on its address: longer than a client pauses between requests. */
const RECENTLY_VALID_MS = 3_600_000;
/** Cached keys: more than are in use within a second. */
const CACHED_MAX = 10_000;

/** Longest API key and platform key, in characters. */
const KEY_CHARS_MAX = 256;

/** Why a session that is in force is refused: its person has no role for the route, or their credential was revoked. */
const UNUSABLE_SESSION: ReadonlySet<string> = new Set(['auth.invalid', 'auth.role']);
/** Why a token that may be valid is refused. */
const UNUSABLE: ReadonlySet<string> = new Set(['auth.issuer_unavailable', 'auth.insufficient_scope']);

/** What knows more than keys: the persons behind them, access tokens, and sign-in sessions. */
export interface Identification {
  readonly persons: PersonLinks;
  readonly tokens: TokenCallers;
  readonly sessions: SignInSessions;
  readonly sessionCallers: SessionCallers;
  readonly keySessions: KeySessions;
  /** counts tokens and sessions that are not usable though they may be valid: each costs look-ups too */
  readonly refused: FailedKeys;
}

/** For whoever needs no role: what a token gives is enough. */
const ANY: TokenNeed = { roles: null, path: '/' };

/** Finds the caller whose key, access token or session a request presents. */
export class Authenticator {
  readonly #keys: ApiKeys;
  readonly #platformHash: Buffer;
  readonly #cached: LRUCache<string, Identified>;
  readonly #recentlyValid: LRUCache<string, true>;
  readonly #failed: FailedKeys;
  readonly #monotonic: () => number;
  readonly #identification: Identification | null;
  readonly #uses: Pick<KeyUses, 'note'>;
  /** revocations through this replica */
  #revocations = 0;

  /**
   * @param monotonic milliseconds
   * @param identification null: only keys are accepted, and persons have no pseudonym
   * @param uses notes each use of a key
   */
  constructor(
    keys: ApiKeys,
    platformHash: Buffer,
    monotonic: () => number,
    failed: FailedKeys,
    identification: Identification | null = null,
    uses: Pick<KeyUses, 'note'> = { note: () => undefined },
  ) {
    this.#keys = keys;
    this.#platformHash = platformHash;
    this.#cached = new LRUCache({ max: CACHED_MAX, ttl: CACHED_MS, ttlResolution: 0, perf: { now: monotonic } });
    this.#recentlyValid = new LRUCache({
      max: CACHED_MAX,
      ttl: RECENTLY_VALID_MS,
      ttlResolution: 0,
      perf: { now: monotonic },
    });
    this.#failed = failed;
    this.#monotonic = monotonic;
    this.#identification = identification;
    this.#uses = uses;
  }

  /**
   * @param address where the request comes from
   * @param need what a token is to be good for; a key has one role, which the caller of this method compares
   * Faults: `auth.missing`, `auth.invalid`, `auth.insufficient_scope`; `rate.limited` for an address that presented too
   * many invalid keys; for tokens also `auth.issuer_unavailable`.
   */
  async identify(
    authorization: string | undefined,
    address: string,
    need: TokenNeed = ANY,
  ): Promise<Caller | 'platform'> {
    const identified = await this.identifyFully(authorization, address, need);
    if (identified === 'platform') return identified;
    if (identified.scopes.length > 0 && need.ofAnyScope !== true)
      throw new Fault('auth.insufficient_scope', 'an API key with scopes is of no use here');
    return identified.caller;
  }

  /** As `identify`, with what the key or token is good for: the caller of this method MUST apply the scopes. */
  async identifyFully(
    authorization: string | undefined,
    address: string,
    need: TokenNeed = ANY,
  ): Promise<Identified | 'platform'> {
    const key = parseBearer(authorization);
    const identified = await this.#identifyText(key, address, need);
    if (identified === 'platform') return identified;
    this.#uses.note(identified.caller.api_key_id);
    return identified;
  }

  async #identifyText(text: string, address: string, need: TokenNeed): Promise<Identified | 'platform'> {
    if (isJwtText(text)) return await this.#identifyToken(text, address, need);
    if (isSessionText(text)) return (await this.#identifySession(text, 'device', address, need)).identified;
    return await this.#identifyKey(text, address);
  }

  async #identifyKey(key: string, address: string): Promise<Identified | 'platform'> {
    if (key.length > KEY_CHARS_MAX) throw new Fault('auth.invalid');
    if (isPlatformKey(key, this.#platformHash)) return 'platform';
    if (!isApiKeyText(key) && !isExchangedText(key)) throw new Fault('auth.invalid');
    const hash = hashApiKey(key);
    const name = Buffer.from(hash).toString('base64');
    const cached = this.#cached.get(name);
    if (cached !== undefined) return cached;
    if (!this.#recentlyValid.has(name)) this.#failed.verifyMayRetry(address);
    const [start, revocations] = [this.#monotonic(), this.#revocations];
    const found = await this.#keys.present(hash);
    if (found === null) {
      this.#recentlyValid.delete(name);
      this.#failed.recordFailure(address);
      throw new Fault('auth.invalid');
    }
    const caller = (await this.#identification?.persons.withPerson(found.caller)) ?? found.caller;
    const kind = found.bound_token === null ? 'api_key' : 'exchanged_token';
    const identified = { ...found, caller, kind } as const;
    // The cache entry expires relative to the start of the query. A query that began before a revocation on this
    // replica may not reflect it, so its result is not cached.
    if (revocations === this.#revocations) this.#cached.set(name, identified, { start });
    this.#recentlyValid.set(name, true);
    return identified;
  }

  /** As `identifyFully`, for whoever accepts no other credential than a key. Faults: `auth.invalid`, `rate.limited`. */
  async identifyApiKey(key: string, address: string): Promise<Identified | 'platform'> {
    const identified = await this.#identifyKey(key, address);
    if (identified !== 'platform') this.#uses.note(identified.caller.api_key_id);
    return identified;
  }

  /**
   * Finds the caller of a browser, whose session is in a cookie. The session is null where an API key signed in.
   * Faults: `auth.invalid`, `auth.role`, `rate.limited`.
   */
  async identifyCookie(
    cookie: string,
    address: string,
    need: TokenNeed = ANY,
  ): Promise<{ readonly identified: Identified; readonly session: SignInSession | null }> {
    if (isKeySessionText(cookie)) {
      const identified = await this.identifyFully(this.#openedKey(cookie, address), address, need);
      // No session begins with it.
      if (identified === 'platform') throw new Fault('auth.invalid');
      return { identified, session: null };
    }
    const found = await this.#identifySession(cookie, 'browser', address, need);
    this.#uses.note(found.identified.caller.api_key_id);
    return found;
  }

  /** What a session of an API key presents (INVARIANT as its key). Faults: `auth.invalid`, `rate.limited`. */
  #openedKey(cookie: string, address: string): string {
    const { keySessions } = this.#identification ?? {};
    if (keySessions?.isOn !== true) throw new Fault('auth.invalid', 'API keys sign nobody in here');
    const session = keySessions.open(cookie);
    if (session === null) {
      this.#failed.verifyMayRetry(address);
      this.#failed.recordFailure(address);
      throw new Fault('auth.invalid');
    }
    if (keySessions.isOver(session)) throw noSession();
    return `Bearer ${session.key}`;
  }

  /**
   * Resolves while the key, token or session still stands for the caller whom it stood for when a stream began. Faults:
   * as `identify`; `auth.invalid` where it stands for another one.
   * @param path of the request that began
   */
  async verifyCaller(caller: Caller, { authorization, cookie }: Presented, address: string, path = '/'): Promise<void> {
    const need = { roles: [caller.role], path, ofAnyScope: true } as const;
    const isOfKey = cookie !== undefined && isKeySessionText(cookie);
    const session = isOfKey ? null : (cookie ?? bearerSessionOf(authorization));
    const now =
      session === null
        ? await this.identify(isOfKey ? this.#openedKey(cookie, address) : authorization, address, need)
        : await this.#follow(session, cookie === undefined ? 'device' : 'browser', need);
    if (now === 'platform' || now.api_key_id !== caller.api_key_id) throw new Fault('auth.invalid');
  }

  async #follow(text: string, kind: SignInKind, { roles }: TokenNeed): Promise<Caller> {
    if (this.#identification === null) throw new Fault('auth.invalid');
    const { sessions, sessionCallers } = this.#identification;
    const session = await sessions.follow(text, kind);
    if (session === null) throw noSession();
    return await sessionCallers.of(session, roles);
  }

  async #identifySession(
    text: string,
    kind: SignInKind,
    address: string,
    { roles }: TokenNeed,
  ): Promise<{ readonly identified: Identified; readonly session: SignInSession }> {
    if (this.#identification === null) throw new Fault('auth.invalid');
    const { sessions } = this.#identification;
    // Texts that were made up cost no look-up, and one that was handed out here is never limited for those.
    if (!sessions.isGenuine(text)) {
      this.#failed.verifyMayRetry(address);
      this.#failed.recordFailure(address);
      throw new Fault('auth.invalid');
    }
    const session = await sessions.find(text, kind);
    if (session === null) throw noSession();
    const caller = await this.#callerOf(session, address, roles, this.#identification);
    // Its scopes are those of OAuth, which gave it its roles: they limit no route.
    const limits = { scopes: [], expires_at: session.expiresAt, is_former: false, bound_token: null };
    return { identified: { kind: 'session', caller, ...limits }, session };
  }

  /** Look-ups for sessions that give nothing are bounded for each address, as those for tokens are. */
  async #callerOf(
    session: SignInSession,
    address: string,
    roles: TokenNeed['roles'],
    { sessionCallers, refused }: Identification,
  ): Promise<Caller> {
    if (!this.#recentlyValid.has(session.signInId)) refused.verifyMayRetry(address);
    try {
      const caller = await sessionCallers.of(session, roles);
      this.#recentlyValid.set(session.signInId, true);
      return caller;
    } catch (error) {
      if (error instanceof Fault && error.code === 'auth.invalid') this.#recentlyValid.delete(session.signInId);
      if (error instanceof Fault && UNUSABLE_SESSION.has(error.code)) refused.recordFailure(address);
      throw error;
    }
  }

  async #identifyToken(token: string, address: string, need: TokenNeed): Promise<Identified> {
    if (this.#identification === null) throw new Fault('auth.invalid');
    const name = Buffer.from(hashApiKey(token)).toString('base64');
    const { tokens, refused } = this.#identification;
    if (!this.#recentlyValid.has(name) && !tokens.isCached(token)) {
      this.#failed.verifyMayRetry(address);
      refused.verifyMayRetry(address);
    }
    try {
      const { caller, workload } = await tokens.identifyFully(token, need);
      this.#recentlyValid.set(name, true);
      // Its claims were verified just now.
      const expires_at = (decodeJwt(token).exp ?? 0) * 1_000;
      const good = { caller, scopes: [], expires_at, is_former: false, bound_token: null } as const;
      if (workload === null) return { kind: 'access_token', ...good };
      return { kind: 'workload', ...good, exchanges: workload.capability_token_id };
    } catch (error) {
      if (error instanceof Fault && error.code === 'auth.invalid') {
        this.#recentlyValid.delete(name);
        this.#failed.recordFailure(address);
      }
      if (error instanceof Fault && UNUSABLE.has(error.code)) refused.recordFailure(address);
      throw error;
    }
  }

  /** Drops what is cached of tokens, sessions and persons, after a removal or a denial through this replica. */
  forgetIdentities(): void {
    this.#identification?.tokens.forget();
    this.#identification?.sessions.forget();
    this.#identification?.persons.forget();
  }

  /** Drops all keys and identities from the cache, after a change of a member through this replica. */
  forgetKeys(): void {
    this.#revocations += 1;
    this.#cached.clear();
    this.forgetIdentities();
  }

  /** Drops a key that was revoked through this replica from the cache, so that it is rejected from now on. */
  forget(apiKeyId: string): void {
    this.#revocations += 1;
    // What was exchanged for the key ends with it, and isn't told apart here.
    for (const [name, { caller, bound_token }] of this.#cached.entries())
      if (caller.api_key_id === apiKeyId || bound_token !== null) this.#cached.delete(name);
    this.forgetIdentities();
  }
}

/** The key or token of the header. Faults: `auth.missing`, `auth.invalid`. */
export function parseBearer(authorization: string | undefined): string {
  if (authorization === undefined) throw new Fault('auth.missing');
  const [, key] = /^Bearer +(\S{1,8192})$/i.exec(authorization) ?? [];
  if (key === undefined)
    throw new Fault('auth.invalid', 'the header must be `Authorization: Bearer <key>`, of 8192 characters at most');
  return key;
}
