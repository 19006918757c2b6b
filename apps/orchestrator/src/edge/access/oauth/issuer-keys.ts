// SPDX-License-Identifier: Apache-2.0
// The public keys of OAuth issuers. The issuer's URL comes from a tenant, so everything that it serves is
// attacker-controlled.
//
// INVARIANT (no keys, no entry): a token is verified only with keys that its issuer served within KEYS_MAX_AGE_MS. An
// issuer that can't be reached after that lets nobody in.
// INVARIANT (bounded requests): however many tokens arrive, an issuer is asked once at a time, once within RETRY_MS
// after a failure, and once within UNKNOWN_KEY_MS for keys that it doesn't list. At most WAITING_MAX requests wait for
// one issuer, so that a slow one takes no places from the callers of others.
import { Fault } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import { createLocalJWKSet, type JSONWebKeySet, type JWK, type LocalJWKSet } from 'jose';
import { LRUCache } from 'lru-cache';
import { fetchMetadata, type FetchDocument } from './issuer-metadata.ts';

/** Keys are fetched anew in the background from this age on, so that an issuer's pause isn't noticed. */
const KEYS_FRESH_MS = 300_000;
/** The age at which keys are no longer used: a key that an issuer removed is good for that long at most. */
const KEYS_MAX_AGE_MS = 600_000;
/** An unknown key makes the keys be fetched anew, this often at most: anyone can invent a key's id. */
const UNKNOWN_KEY_MS = 60_000;
/** How long an issuer that failed isn't asked again. */
const RETRY_MS = 5_000;
/** Requests that wait for the keys of one issuer: a small share of those that a replica serves at once. */
const WAITING_MAX = 64;
/**
 * Longest modulus in characters of base64url: 8192 bits. Exponents have 4 bytes at most. The issuer chooses both, and
 * the time that a verification takes grows with them.
 */
const [MODULUS_CHARS_MAX, EXPONENT_CHARS_MAX] = [1_366, 6];
/** Issuers whose keys are cached: more than the tenants of one deployment have. */
const ISSUERS_MAX = 2_000;
/** Keys of one issuer that are read; more are refused. Issuers have two or three. */
const KEYS_MAX = 100;
const DOCUMENT = { depthMax: 8 };

interface Cached {
  keys: LocalJWKSet | null;
  ids: ReadonlySet<string>;
  /** monotonic milliseconds at the start of the fetch */
  fetchedAt: number;
  failedAt: number;
  askedForUnknownAt: number;
  fetching: Promise<void> | null;
  /** requests that wait for `fetching` */
  waiting: number;
}

/** The verification keys of issuers, fetched when tokens need them. */
export class IssuerKeys {
  readonly #fetch: FetchDocument;
  readonly #monotonic: () => number;
  readonly #issuers = new LRUCache<string, Cached>({ max: ISSUERS_MAX });

  /** @param monotonic milliseconds */
  constructor(fetch: FetchDocument, monotonic: () => number) {
    this.#fetch = fetch;
    this.#monotonic = monotonic;
  }

  /**
   * The keys of the issuer, which list `kid` if the issuer does.
   * @throws Fault `auth.issuer_unavailable` while the issuer's keys can't be fetched
   */
  async keysOf(issuer: string, kid: string): Promise<LocalJWKSet> {
    const cached = this.#cachedOf(issuer);
    const age = this.#monotonic() - cached.fetchedAt;
    if (cached.keys === null || age > KEYS_MAX_AGE_MS) await this.#refresh(issuer, cached);
    else if (!cached.ids.has(kid)) await this.#refreshForUnknown(issuer, cached);
    // A failure is handled when the keys are too old.
    else if (age > KEYS_FRESH_MS) this.#refresh(issuer, cached).catch(() => undefined);
    if (cached.keys === null) throw unavailable(issuer);
    return cached.keys;
  }

  #cachedOf(issuer: string): Cached {
    const cached = this.#issuers.get(issuer);
    if (cached !== undefined) return cached;
    const never = Number.NEGATIVE_INFINITY;
    const made: Cached = {
      keys: null,
      ids: new Set(),
      fetchedAt: never,
      failedAt: never,
      askedForUnknownAt: never,
      fetching: null,
      waiting: 0,
    };
    this.#issuers.set(issuer, made);
    return made;
  }

  async #refreshForUnknown(issuer: string, cached: Cached): Promise<void> {
    const now = this.#monotonic();
    if (cached.fetching === null) {
      if (now - cached.askedForUnknownAt < UNKNOWN_KEY_MS) return;
      cached.askedForUnknownAt = now;
    }
    await this.#refresh(issuer, cached);
  }

  async #refresh(issuer: string, cached: Cached): Promise<void> {
    if (cached.fetching === null && this.#monotonic() - cached.failedAt < RETRY_MS) throw unavailable(issuer);
    cached.fetching ??= this.#fetchKeys(issuer, cached).finally(() => {
      cached.fetching = null;
    });
    if (cached.waiting >= WAITING_MAX) throw unavailable(issuer);
    cached.waiting += 1;
    try {
      await cached.fetching;
    } finally {
      cached.waiting -= 1;
    }
  }

  async #fetchKeys(issuer: string, cached: Cached): Promise<void> {
    const start = this.#monotonic();
    try {
      const { jwks_uri } = await fetchMetadata(this.#fetch, issuer);
      if (typeof jwks_uri !== 'string') throw new Error('the metadata have no `jwks_uri`');
      const { keys } = parseKeys(await this.#fetch(jwks_uri));
      cached.ids = new Set(keys.flatMap(({ kid }) => (kid === undefined ? [] : [kid])));
      cached.keys = createLocalJWKSet({ keys });
      cached.fetchedAt = start;
    } catch (cause) {
      cached.failedAt = this.#monotonic();
      throw unavailable(issuer, cause);
    }
  }
}

/** Only public keys for signatures stay: a symmetric key that is published is known to everybody. */
function parseKeys(text: string): JSONWebKeySet {
  const { keys } = objectOf(parseIJson(text, DOCUMENT));
  if (!Array.isArray(keys) || keys.length > KEYS_MAX) throw new Error(`the keys are no list of ${KEYS_MAX} at most`);
  return { keys: keys.map(objectOf).filter(isPublic) as JWK[] };
}

const isPublic = ({ kty, d, use, n, e }: Record<string, unknown>): boolean =>
  ((kty === 'RSA' && isShort(n, MODULUS_CHARS_MAX) && isShort(e, EXPONENT_CHARS_MAX)) ||
    kty === 'EC' ||
    kty === 'OKP') &&
  d === undefined &&
  (use === undefined || use === 'sig');

const isShort = (value: unknown, charsMax: number): boolean => typeof value === 'string' && value.length <= charsMax;

function objectOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error('no JSON object');
  return value as Record<string, unknown>;
}

const unavailable = (issuer: string, cause?: unknown): Fault =>
  new Fault(
    'auth.issuer_unavailable',
    `the keys of the issuer \`${issuer}\` could not be fetched: its metadata and keys must be there and well-formed`,
    { cause },
  );
