// SPDX-License-Identifier: Apache-2.0
// Sign-in sessions that call the API, as their holders present them.
//
// INVARIANT (one holder): a secret that was replaced is good for seconds after its successor was used. Whoever presents
// it later has a copy, or somebody else has: the session ends for both, and with it what it approved.
// INVARIANT (each in its place): the session of a browser counts in a cookie alone, and that of a program never there.
import { Fault, type Id, type TenantId } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import type { SignInKind, SignInLifetimes, SignInRow, SignIns } from '../../../store/sign-ins/sign-ins.ts';
import type { SignInRecords } from './sign-in-records.ts';
import {
  formTokenOf,
  openIdentity,
  secretHashOf,
  type Identity,
  type SessionText,
  type SessionTexts,
} from './sign-in-texts.ts';

/** How long a secret of a browser is in use before the next answer replaces it. */
const ROTATE_MS = 600_000;
/** How long a replaced secret is good once its successor was used: requests that were under way bring it. */
const GRACE_MS = 30_000;
/** How exactly the last use is known, at most: each note is a write. */
const SEEN_MS = 60_000;
/** A part of the time without use after which a session ends. */
const SEEN_PART = 10;
/** How long a session is used again without a look-up: one that ended elsewhere is refused within a second. */
const CACHED_MS = 900;
/**
 * How long a session that ended is known to have ended: whoever goes on to present it costs a look-up each time. Only a
 * registration that an administrator restores makes one go on, and that may take as long.
 */
const OVER_MS = 10_000;
/** Cached sessions: more than are in use within a second. */
const CACHED_MAX = 10_000;

/** A session whose holder presented it. */
export interface SignInSession {
  readonly tenantId: TenantId;
  readonly signInId: Id<'signIn'>;
  readonly kind: SignInKind;
  readonly providerId: Id<'identityProvider'>;
  readonly subjectHash: Buffer;
  readonly personId: Id<'person'>;
  readonly credentialId: Id<'apiKey'>;
  readonly scopes: readonly string[];
  readonly groups: readonly string[];
  readonly identity: Identity;
  /**
   * milliseconds since the person proved to the issuer who they are, when the session was looked up; null: the issuer
   * doesn't say
   */
  readonly authenticatedMs: number | null;
  readonly signedInAt: number;
  readonly expiresAt: number;
  /** what a form or a request of this session must bring for the purpose */
  readonly formToken: (purpose: string) => string;
  /** the text that replaces the one that was presented; null: that one stays */
  readonly successor: string | null;
}

/** The text that replaces another one, and the session of both. */
export interface Refreshed {
  readonly text: string;
  readonly session: SignInSession;
}

export interface SignInSessionsParts {
  readonly rows: SignIns;
  readonly texts: SessionTexts;
  readonly records: SignInRecords;
  readonly lifetimes: SignInLifetimes;
  /** milliseconds */
  readonly monotonic: () => number;
}

/** Finds sessions by what their holders present. */
export class SignInSessions {
  readonly #parts: SignInSessionsParts;
  readonly #cached: LRUCache<string, SignInSession>;
  /** sessions of a kind that were looked for, and that are none or have ended */
  readonly #over: LRUCache<string, true>;
  /** what programs that asked within a second were given: the same */
  readonly #refreshed: LRUCache<string, Refreshed>;
  readonly #ending = new Map<string, Promise<void>>();
  /** sessions, subjects and providers that ended through this replica */
  #ended = 0;

  constructor(parts: SignInSessionsParts) {
    this.#parts = parts;
    const perf = { now: parts.monotonic };
    this.#cached = new LRUCache({ max: CACHED_MAX, ttl: CACHED_MS, ttlResolution: 0, perf });
    this.#refreshed = new LRUCache({ max: CACHED_MAX, ttl: CACHED_MS, ttlResolution: 0, perf });
    this.#over = new LRUCache({ max: CACHED_MAX, ttl: OVER_MS, ttlResolution: 0, perf });
  }

  /** Whether the text was handed out here, as far as it can be told without a look-up. */
  isGenuine(text: string): boolean {
    return this.#parts.texts.read(text) !== null;
  }

  /**
   * The session of a text, which is attacker-controlled. Null where it is none of that kind, ended, or is over. A text
   * that was replaced long ago ends its session.
   * @throws Fault where that end can't be recorded
   */
  async find(presented: string, kind: SignInKind): Promise<SignInSession | null> {
    const text = this.#parts.texts.read(presented);
    if (text === null) return null;
    const name = secretHashOf(text).toString('base64');
    const cached = this.#cached.get(name);
    if (cached !== undefined) return cached.kind === kind && cached.signInId === text.signInId ? cached : null;
    const [start, ended] = [this.#parts.monotonic(), this.#ended];
    const found = await this.#look(text, kind);
    if (found !== null && ended === this.#ended) this.#cached.set(name, found, { start });
    return found;
  }

  /**
   * The session of a text that was good when a stream began. While the stream goes on, the text may be replaced, which
   * ends nothing. Null where the session ended, or is over.
   */
  async follow(presented: string, kind: SignInKind): Promise<SignInSession | null> {
    const { texts, monotonic } = this.#parts;
    const text = texts.read(presented);
    if (text === null) return null;
    const cached = this.#cached.get(text.signInId);
    if (cached !== undefined) return cached.kind === kind ? cached : null;
    const [start, ended] = [monotonic(), this.#ended];
    const row = await this.#rowOf(text, kind);
    if (row === null) return null;
    const found = await sessionOf(text, row, null);
    if (ended === this.#ended) this.#cached.set(text.signInId, found, { start });
    return found;
  }

  /** The text that replaces this one of a program, from when it is used. Null where there is no such session. */
  async refresh(presented: string): Promise<Refreshed | null> {
    const { rows, texts, monotonic } = this.#parts;
    const text = texts.read(presented);
    if (text === null) return null;
    const name = secretHashOf(text).toString('base64');
    const cached = this.#refreshed.get(name);
    if (cached !== undefined) return cached.session.signInId === text.signInId ? cached : null;
    const [start, ended] = [monotonic(), this.#ended];
    const session = await this.#look(text, 'device');
    if (session === null) return null;
    const next = texts.successorOf(text);
    // A text that is being replaced has the same successor as before.
    await rows.offer(text.tenantId, text.signInId, secretHashOf(text), secretHashOf(next));
    const refreshed = { text: texts.format(next), session };
    if (ended === this.#ended) this.#refreshed.set(name, refreshed, { start });
    return refreshed;
  }

  /** Drops what is cached, after an end, a removal or a denial through this replica. */
  forget(): void {
    this.#ended += 1;
    this.#cached.clear();
    this.#refreshed.clear();
    this.#over.clear();
  }

  /** The session in force. INVARIANT (bounded look-ups): what has ended is looked up once in a while, whoever asks. */
  async #rowOf({ tenantId, signInId }: SessionText, kind: SignInKind): Promise<SignInRow | null> {
    const { rows, lifetimes, monotonic } = this.#parts;
    const name = `${kind} ${signInId}`;
    if (this.#over.has(name)) return null;
    const start = monotonic();
    const row = await rows.find(tenantId, signInId, lifetimes.idleMs);
    if (row?.kind === kind) return row;
    this.#over.set(name, true, { start });
    return null;
  }

  async #look(text: SessionText, kind: SignInKind): Promise<SignInSession | null> {
    const { rows, lifetimes } = this.#parts;
    const row = await this.#rowOf(text, kind);
    if (row === null) return null;
    const which = secretOf(row, secretHashOf(text));
    if (which === 'replaced') {
      await this.#endReused(text.tenantId, row);
      return null;
    }
    const successor = await this.#renew(text, row, which);
    if (which !== 'next' && row.idle_ms > Math.min(SEEN_MS, lifetimes.idleMs / SEEN_PART))
      await rows.touch(text.tenantId, text.signInId);
    return await sessionOf(text, row, successor);
  }

  /** Replaces the secret of a browser that was in use for long. Programs ask for it (`refresh`). */
  async #renew(text: SessionText, row: SignInRow, which: 'current' | 'next' | 'before'): Promise<string | null> {
    const { rows, texts } = this.#parts;
    if (which === 'next') {
      await rows.rotate(text.tenantId, text.signInId, secretHashOf(text), GRACE_MS);
      return null;
    }
    if (row.kind !== 'browser' || (which === 'current' && row.secret_ms < ROTATE_MS)) return null;
    const next = texts.successorOf(text);
    if (which === 'current') await rows.offer(text.tenantId, text.signInId, secretHashOf(text), secretHashOf(next));
    return texts.format(next);
  }

  /** However many requests bring the secret at once, one record says so. */
  async #endReused(tenantId: TenantId, row: SignInRow): Promise<void> {
    const ending = this.#ending.get(row.sign_in_id) ?? this.#endOnce(tenantId, row);
    this.#ending.set(row.sign_in_id, ending);
    try {
      await ending;
    } finally {
      this.#ending.delete(row.sign_in_id);
    }
  }

  async #endOnce(tenantId: TenantId, row: SignInRow): Promise<void> {
    const { rows, records } = this.#parts;
    await records.reused(tenantId, row);
    const recorded = new Set<string>();
    const how = { by: 'reuse', recorded };
    // What it approves meanwhile comes with the next round.
    for (;;) {
      const unrecorded = await rows.endWithApproved(tenantId, row.sign_in_id, how);
      if (unrecorded.length === 0) break;
      for (const signInId of unrecorded) {
        await records.ended({ tenant_id: tenantId, api_key_id: row.credential_id }, signInId);
        recorded.add(signInId);
      }
    }
    this.forget();
  }
}

async function sessionOf(text: SessionText, row: SignInRow, successor: string | null): Promise<SignInSession> {
  return {
    tenantId: text.tenantId,
    signInId: row.sign_in_id,
    kind: row.kind,
    providerId: row.provider_id,
    subjectHash: row.subject_hash,
    personId: row.person_id,
    credentialId: row.credential_id,
    scopes: row.scopes,
    groups: row.groups,
    identity: await openIdentity(text, row.sealed),
    authenticatedMs: row.authenticated_ms,
    signedInAt: row.signed_in_at,
    expiresAt: row.expires_at,
    formToken: (purpose) => formTokenOf(text, purpose),
    successor,
  };
}

/** Which secret of the session it is. */
function secretOf(row: SignInRow, hash: Buffer): 'current' | 'next' | 'before' | 'replaced' {
  if (row.secret_hash.equals(hash)) return 'current';
  if (row.next_hash?.equals(hash) === true) return 'next';
  return row.before_hash?.equals(hash) === true && row.before_ms > 0 ? 'before' : 'replaced';
}

/** The fault for a session that can't be used. */
export const noSession = (): Fault =>
  new Fault('auth.invalid', 'the sign-in session has ended, or was never there: sign in again');
