// SPDX-License-Identifier: Apache-2.0
// From a subject that an issuer vouches for to a caller.
//
// A caller is a credential: an API key that nobody holds, one for each (provider, subject, role, agent). Access tokens
// and sign-in sessions of one subject share it. So everything that works by the key of a call works for both: records,
// revocation, runs, jobs, delegations.
import type { AgentId, Caller, Id } from '@writ/contract';
import { LRUCache } from 'lru-cache';
import type { ProviderInForce } from '../../../store/identities/identities.ts';
import type { MemberStanding } from '../../../store/members/members.ts';
import type { Role } from '../../../store/keys/roles.ts';
import { Credentials, type CredentialsParts } from '../oauth/credentials.ts';
import type { PersonLinks } from '../oauth/person-links.ts';
import type { MemberLinks } from './member-links.ts';

/** How long a caller is used again, in milliseconds: a revocation takes effect within a second. */
const CACHED_MS = 900;
/** Cached callers: more than are in use within a second. */
const CACHED_MAX = 10_000;

/** Whom an issuer vouches for. */
export interface VouchedSubject {
  readonly issuer: string;
  readonly subject: string;
  /** the name by which API keys call the person; null: issuer and subject are the person */
  readonly name: string | null;
}

/** A caller with its person. */
export type PersonCaller = Caller & { readonly person: Id<'person'> };

export interface CallersParts extends CredentialsParts {
  readonly persons: PersonLinks;
  readonly members: Pick<MemberLinks, 'vouch'>;
}

/** What a request needs of a subject. */
export interface SubjectNeed {
  readonly role: Role;
  /** of the role `agent`; null for all others */
  readonly agentId: AgentId | null;
  /** the subject's member, as far as it is known */
  readonly member: MemberStanding | null;
}

/** Finds and makes callers. */
export class Callers {
  readonly #parts: CallersParts;
  readonly #credentials: Credentials;
  readonly #cached: LRUCache<string, PersonCaller>;
  /** removals, denials and revocations through this replica */
  #ended = 0;

  constructor(parts: CallersParts) {
    this.#parts = parts;
    this.#credentials = new Credentials(parts, () => this.forget());
    const perf = { now: parts.monotonic };
    this.#cached = new LRUCache({ max: CACHED_MAX, ttl: CACHED_MS, ttlResolution: 0, perf });
  }

  /**
   * The caller for a subject of the provider in the role. Callers MUST have verified that the provider vouches for the
   * subject, that neither is denied, and that the subject has the role. Whoever has no member yet becomes one.
   * @throws Fault `auth.invalid` where the credential was revoked, and for a member who isn't active; `rate.limited`
   */
  async of(
    provider: ProviderInForce,
    subject: VouchedSubject,
    { role, agentId, member }: SubjectNeed,
  ): Promise<PersonCaller> {
    const { persons, hashes, members } = this.#parts;
    const { issuer, subject: sub, name } = subject;
    const key = JSON.stringify([provider.provider_id, issuer, sub, name, role, agentId]);
    const cached = this.#cached.get(key);
    if (cached !== undefined) return cached;
    const [start, ended] = [this.#parts.monotonic(), this.#ended];
    const source = name === null ? { issuer, subject: sub } : { principal: name };
    const person = await persons.idOf(provider.tenant_id, source);
    // Without a name, the pseudonym is the person's name wherever one is needed.
    const principal = name ?? person;
    // Of a person without a name the hash holds no subject, so that a forgotten pseudonym leads to nobody.
    const hashed = name === null ? '' : sub;
    const hash = hashes.of('credential', provider.provider_id, hashed, role, agentId ?? '', principal);
    const { provider_id: providerId, tenant_id: tenantId } = provider;
    const vouch = () => members.vouch({ tenantId, providerId, issuer, subject: sub, name, person });
    const found = await this.#credentials.find(hash);
    if (found !== null && member?.person_id !== person) await vouch();
    const of = { issuer, subject: sub, role, agentId, principal };
    const caller = { ...(found ?? (await this.#credentials.create(provider, hash, of, vouch))), person };
    if (ended === this.#ended) this.#cached.set(key, caller, { start });
    return caller;
  }

  /** Drops all cached callers, after a removal, a denial or a revocation through this replica. */
  forget(): void {
    this.#ended += 1;
    this.#cached.clear();
  }
}
