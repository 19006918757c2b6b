// SPDX-License-Identifier: Apache-2.0
// The public keys of OAuth issuers. The issuer's URL comes from a tenant, so everything that it serves is
// attacker-controlled.
//
// INVARIANT (no keys, no entry): a token is verified only with keys that its issuer served within KEYS_MAX_AGE_MS. An
// issuer that can't be reached after that lets nobody in.
// INVARIANT (bounded requests): the cache asks an issuer rarely, however many tokens arrive. At most WAITING_MAX
// requests wait for one issuer, so that a slow one takes no places from the callers of others.
import { Fault } from '@writ/contract';
import { parseIJson } from '@writ/digest';
import { createLocalJWKSet, type JSONWebKeySet, type JWK, type LocalJWKSet } from 'jose';
import { IssuerCache } from './issuer-cache.ts';
import { fetchMetadata, type FetchDocument } from './issuer-metadata.ts';

/** Keys are fetched anew in the background from this age on, so that an issuer's pause isn't noticed. */
const KEYS_FRESH_MS = 300_000;
/** The age at which keys are no longer used: a key that an issuer removed is good for that long at most. */
const KEYS_MAX_AGE_MS = 600_000;
/** An unknown key makes the keys be fetched anew, this often at most: anyone can invent a key's id. */
const UNKNOWN_KEY_MS = 60_000;
/** Requests that wait for the keys of one issuer: a small share of those that a replica serves at once. */
const WAITING_MAX = 64;
/**
 * Longest modulus in characters of base64url: 8192 bits. Exponents have 4 bytes at most. The issuer chooses both, and
 * the time that a verification takes grows with them.
 */
const [MODULUS_CHARS_MAX, EXPONENT_CHARS_MAX] = [1_366, 6];
/** Keys of one issuer that are read; more are refused. Issuers have two or three. */
const KEYS_MAX = 100;
const DOCUMENT = { depthMax: 8 };

interface PublishedKeys {
  readonly keys: LocalJWKSet;
  readonly ids: ReadonlySet<string>;
}

/** The verification keys of issuers, fetched when tokens need them. */
export class IssuerKeys {
  readonly #fetch: FetchDocument;
  readonly #cache: IssuerCache<PublishedKeys>;

  /** @param monotonic milliseconds */
  constructor(fetch: FetchDocument, monotonic: () => number) {
    this.#fetch = fetch;
    this.#cache = new IssuerCache({
      fetch: (issuer) => this.#fetchKeys(issuer),
      unavailable,
      monotonic,
      freshMs: KEYS_FRESH_MS,
      maxAgeMs: KEYS_MAX_AGE_MS,
      lackingMs: UNKNOWN_KEY_MS,
      waitingMax: WAITING_MAX,
    });
  }

  /**
   * The keys of the issuer, which list `kid` if the issuer does.
   * @throws Fault `auth.issuer_unavailable` while the issuer's keys can't be fetched
   */
  async keysOf(issuer: string, kid: string): Promise<LocalJWKSet> {
    const { keys } = await this.#cache.of(issuer, ({ ids }) => ids.has(kid));
    return keys;
  }

  async #fetchKeys(issuer: string): Promise<PublishedKeys> {
    const { jwks_uri } = await fetchMetadata(this.#fetch, issuer);
    if (typeof jwks_uri !== 'string') throw new Error('the metadata have no `jwks_uri`');
    const { keys } = parseKeys(await this.#fetch(jwks_uri));
    const ids = new Set(keys.flatMap(({ kid }) => (kid === undefined ? [] : [kid])));
    return { keys: createLocalJWKSet({ keys }), ids };
  }
}

/** Only public keys for signatures stay: a symmetric key that is published is known to everybody. */
function parseKeys(text: string): JSONWebKeySet {
  const { keys } = objectOf(parseIJson(text, DOCUMENT));
  if (!Array.isArray(keys) || keys.length > KEYS_MAX) throw new Error(`the keys are no list of ${KEYS_MAX} at most`);
  return { keys: publicKeysOf(keys.map(objectOf)) };
}

/** Those of the keys that are public, for signatures, and of a length that costs no one else time. */
export const publicKeysOf = (keys: readonly Readonly<Record<string, unknown>>[]): JWK[] =>
  keys.filter(isPublic) as JWK[];

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

const unavailable = (issuer: string, cause: unknown): Fault =>
  new Fault(
    'auth.issuer_unavailable',
    `the keys of the issuer \`${issuer}\` could not be fetched: its metadata and keys must be there and well-formed`,
    { cause },
  );
