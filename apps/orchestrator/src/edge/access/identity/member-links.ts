// SPDX-License-Identifier: Apache-2.0
// From people to members. INVARIANT (suspension wins): whoever isn't active has no role, whatever scopes, groups and
// their own role give. The store refuses their keys, too.
import { Fault, type Id, type TenantId } from '@writ/contract';
import { newId } from '@writ/nest-kit';
import { LRUCache } from 'lru-cache';
import type { Members, MemberStanding, VouchedMember } from '../../../store/members/members.ts';
import type { IdentityHashes } from '../oauth/person-links.ts';
import type { MemberSeal } from './member-seal.ts';

/** How long what a member may do is used again, in milliseconds: a change takes effect within a second. */
const CACHED_MS = 900;
/** Cached members: more than are in use within a second. */
const CACHED_MAX = 10_000;

/** A person whom a provider vouches for. */
export interface VouchedPerson {
  readonly tenantId: TenantId;
  readonly providerId: Id<'identityProvider'>;
  readonly issuer: string;
  readonly subject: string;
  readonly name: string | null;
  readonly person: Id<'person'>;
}

/** A workload that a registration names. */
export interface VouchedWorkload {
  readonly tenantId: TenantId;
  readonly providerId: Id<'identityProvider'>;
  readonly issuer: string;
  readonly subject: string;
  /** of the service account */
  readonly name: string;
}

export interface MemberLinksParts {
  readonly members: Members;
  readonly hashes: IdentityHashes;
  readonly seal: MemberSeal;
  /** milliseconds */
  readonly monotonic: () => number;
}

/** Finds and makes the members of people. */
export class MemberLinks {
  readonly #parts: MemberLinksParts;
  readonly #cached: LRUCache<string, { readonly standing: MemberStanding | null }>;
  /** changes through this replica */
  #changes = 0;

  constructor(parts: MemberLinksParts) {
    this.#parts = parts;
    const perf = { now: parts.monotonic };
    this.#cached = new LRUCache({ max: CACHED_MAX, ttl: CACHED_MS, ttlResolution: 0, perf });
  }

  /**
   * The member of a subject, who is active; null where nobody is one yet.
   * @throws Fault `auth.invalid` for a member who isn't active
   */
  async activeOf(tenantId: TenantId, issuer: string, subject: string): Promise<MemberStanding | null> {
    const { members, hashes, monotonic } = this.#parts;
    const hash = hashes.of('subject', tenantId, issuer, subject);
    const name = `${tenantId} ${hash.toString('base64')}`;
    const cached = this.#cached.get(name);
    if (cached !== undefined) return activeOnly(cached.standing);
    const [start, changes] = [monotonic(), this.#changes];
    const standing = await members.ofSubject(tenantId, hash);
    // Nobody stays nobody until the first request is through.
    if (standing !== null && changes === this.#changes) this.#cached.set(name, { standing }, { start });
    return activeOnly(standing);
  }

  /**
   * The member of a person, who becomes one.
   * @throws Fault `auth.invalid` for a member who isn't active, and for a name that is a member's at another issuer
   */
  async vouch(person: VouchedPerson): Promise<MemberStanding> {
    const standing = await this.#parts.members.vouch(person.tenantId, await this.vouchedOf(person));
    if (standing === null)
      throw new Fault(
        'auth.invalid',
        'the name of this person is a member already, who signs in elsewhere: an administrator must link both',
      );
    return activeOnly(standing) as MemberStanding;
  }

  /** A person as the store takes them. */
  async vouchedOf({ tenantId, providerId, issuer, subject, name, person }: VouchedPerson): Promise<VouchedMember> {
    const { hashes, seal } = this.#parts;
    return {
      member_id: newId('member'),
      subject_hash: hashes.of('subject', tenantId, issuer, subject),
      provider_id: providerId,
      person_id: person,
      principal: name ?? person,
      sealed: await seal.seal(tenantId, { principal: name, issuer, subject }),
    };
  }

  /**
   * The service account of a workload, which becomes one: a member without a person, who never votes.
   * @throws Fault `auth.invalid` for one that isn't active, and where the subject is a person's
   */
  async vouchWorkload({ tenantId, providerId, issuer, subject, name }: VouchedWorkload): Promise<MemberStanding> {
    const { members, hashes } = this.#parts;
    const standing = await members.vouchService(tenantId, {
      member_id: newId('member'),
      subject_hash: hashes.of('subject', tenantId, issuer, subject),
      provider_id: providerId,
      name,
    });
    if (standing.person_id !== null) throw new Fault('auth.invalid', 'the subject of the workload is a person here');
    return activeOnly(standing) as MemberStanding;
  }

  /** Drops what is cached, after a change through this replica. */
  forget(): void {
    this.#changes += 1;
    this.#cached.clear();
  }
}

function activeOnly(standing: MemberStanding | null): MemberStanding | null {
  if (standing === null || standing.state === 'active') return standing;
  throw new Fault('auth.invalid', 'the member is suspended or offboarded: ask an administrator');
}
