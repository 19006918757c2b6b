// SPDX-License-Identifier: Apache-2.0
import { createHmac, hkdfSync } from 'node:crypto';
import { canonicalBytes } from '@writ/digest';
import { isId, isServiceAccount, type Caller, type Id, type TenantId } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import { newId } from '@writ/nest-kit';
import type { Identities } from '../../../store/identities/identities.ts';

/** Cached pseudonyms: more persons than call within their time. */
const CACHED_MAX = 20_000;
/** How long a replica goes on with a pseudonym that was forgotten, in milliseconds. */
const CACHED_MS = 900;

/** 64 bits: enough to tell apart the few keys that one deployment ever has. */
const KEY_ID_CHARS = 16;

/**
 * Keyed hashes of what identifies people. INVARIANT (no names at rest): tables of identities hold these hashes and
 * random ids. Without the key, nobody can test a name against them.
 */
export class IdentityHashes {
  /** Identifies the key, and reveals nothing about it. */
  readonly keyId: string;
  readonly #key: Buffer;

  /** @param key the webhook key: 32 bytes, from which the key of the hashes is derived */
  constructor(key: Buffer) {
    this.#key = Buffer.from(hkdfSync('sha256', key, Buffer.alloc(0), 'writ/identities/v1', 32));
    this.keyId = createHmac('sha256', this.#key).update('key id').digest('hex').slice(0, KEY_ID_CHARS);
  }

  /** Of a value of the kind: 32 bytes. Values of different kinds never collide. */
  of(kind: 'person' | 'identity' | 'subject' | 'jti' | 'credential' | 'address', ...values: readonly string[]): Buffer {
    return createHmac('sha256', this.#key)
      .update(canonicalBytes([kind, ...values]))
      .digest();
  }
}

/** A person, as keys name them, or as a token does. */
export type PersonSource = { readonly principal: string } | { readonly issuer: string; readonly subject: string };

/** The pseudonyms of persons: one per tenant and person, until it is forgotten. */
export class PersonLinks {
  readonly #identities: Identities;
  readonly #hashes: IdentityHashes;
  readonly #cached: LRUCache<string, Id<'person'>>;

  /** @param monotonic milliseconds */
  constructor(identities: Identities, hashes: IdentityHashes, monotonic: () => number) {
    this.#identities = identities;
    this.#hashes = hashes;
    this.#cached = new LRUCache({ max: CACHED_MAX, ttl: CACHED_MS, ttlResolution: 0, perf: { now: monotonic } });
  }

  /** The keyed hash that leads from the person to the pseudonym. */
  linkOf(tenantId: TenantId, person: PersonSource): Buffer {
    return 'principal' in person
      ? this.#hashes.of('person', tenantId, person.principal)
      : this.#hashes.of('identity', tenantId, person.issuer, person.subject);
  }

  /** The pseudonym, which is made when it is first asked for. */
  async idOf(tenantId: TenantId, person: PersonSource): Promise<Id<'person'>> {
    const link = this.linkOf(tenantId, person);
    const name = link.toString('base64');
    const cached = this.#cached.get(name);
    if (cached !== undefined) return cached;
    const id = await this.#identities.personOf(tenantId, link, newId('person'));
    this.#cached.set(name, id);
    return id;
  }

  /** The caller with the pseudonym of its person; as it is where it has no person. */
  async withPerson(caller: Caller): Promise<Caller> {
    const { principal, tenant_id } = caller;
    // A service account is no person.
    if (principal === undefined || isServiceAccount(principal)) return caller;
    // Of a person whom only an OAuth subject identifies, the pseudonym is the name.
    const person = isId('person', principal) ? principal : await this.idOf(tenant_id, { principal });
    return { ...caller, person };
  }

  /** Ends the use of a forgotten pseudonym on this replica. */
  forget(): void {
    this.#cached.clear();
  }
}
