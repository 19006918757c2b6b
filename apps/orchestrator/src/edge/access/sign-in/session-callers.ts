// SPDX-License-Identifier: Apache-2.0
// From a sign-in session to a caller. INVARIANT (nothing frozen): what a session may do follows from the registration
// in force at each request, so that a mapping that is narrowed takes effect within a second.
import { Fault, type AgentId, type TenantId } from '@writ/contract';
import type { Identities, ProviderInForce } from '../../../store/identities/identities.ts';
import { ROLES, type Role, type TokenRole } from '../../../store/keys/roles.ts';
import type { MemberStanding } from '../../../store/members/members.ts';
import type { Callers, PersonCaller } from '../identity/callers.ts';
import type { MemberLinks } from '../identity/member-links.ts';
import { leastRoleOf, rolesOf } from '../identity/roles.ts';
import type { IdentityHashes } from '../oauth/person-links.ts';
import type { Identity } from './sign-in-texts.ts';
import { noSession } from './sign-in-sessions.ts';

/** A person who signed in, as callers are found by. */
export interface SignedInPerson {
  readonly tenantId: TenantId;
  readonly providerId: string;
  readonly scopes: readonly string[];
  readonly groups: readonly string[];
  readonly identity: Identity;
}

export interface SessionCallersParts {
  readonly identities: Pick<Identities, 'providersOf' | 'isDenied'>;
  readonly callers: Callers;
  readonly members: Pick<MemberLinks, 'activeOf'>;
  readonly hashes: IdentityHashes;
}

/** Finds callers of sessions. */
export class SessionCallers {
  readonly #parts: SessionCallersParts;

  constructor(parts: SessionCallersParts) {
    this.#parts = parts;
  }

  /**
   * The caller of the session in the role with the fewest rights that suffices.
   * @param needed null: any role
   * @throws Fault `auth.invalid`, `auth.role`, `rate.limited`
   */
  async of(person: SignedInPerson, needed: readonly Role[] | null): Promise<PersonCaller> {
    const provider = await this.#providerOf(person);
    const agentId = agentOf(person, provider);
    const member = await this.#memberOf(person);
    const role = leastRoleOf(usableRoles(person, provider, member), needed);
    if (role === undefined) throw new Fault('auth.role', 'the sign-in gives no role that allows this');
    const need = { role, agentId: role === 'agent' ? agentId : null, member };
    return await this.#parts.callers.of(provider, person.identity, need);
  }

  /** Whether the tenant denied the subject, under any registration of the issuer. */
  async isDenied(tenantId: TenantId, subject_hash: Buffer, issuer: string): Promise<boolean> {
    const { identities, hashes } = this.#parts;
    // No session is a denied access token: the hash of no `jti` stands for none.
    return await identities.isDenied(tenantId, { subject_hash, jti_hash: hashes.of('jti', tenantId, issuer, '') });
  }

  /** The roles that the session gives now. */
  async rolesOf(person: SignedInPerson): Promise<readonly TokenRole[]> {
    const roles = usableRoles(person, await this.#providerOf(person), await this.#memberOf(person));
    return ROLES.filter((role) => roles.has(role));
  }

  async #memberOf({ tenantId, identity }: SignedInPerson): Promise<MemberStanding | null> {
    return await this.#parts.members.activeOf(tenantId, identity.issuer, identity.subject);
  }

  async #providerOf({ providerId, identity }: SignedInPerson): Promise<ProviderInForce> {
    const { identities, hashes } = this.#parts;
    const provider = (await identities.providersOf(identity.issuer)).find(
      ({ provider_id }) => provider_id === providerId,
    );
    // Under another key of hashes, no denial and no revoked credential would be found.
    if (provider === undefined || provider.hash_key_id !== hashes.keyId) throw noSession();
    return provider;
  }
}

/** The agent that the person acts for in the role `agent`; null where the registration tells none. */
const agentOf = ({ identity }: SignedInPerson, { agent_id, agent_claim }: ProviderInForce): AgentId | null =>
  agent_claim === null ? agent_id : identity.agent_id;

/** Without an agent, the role `agent` gives nothing; another role may. */
function usableRoles(
  person: SignedInPerson,
  provider: ProviderInForce,
  member: MemberStanding | null,
): ReadonlySet<Role> {
  const roles = rolesOf(person, provider, member?.role ?? null);
  return agentOf(person, provider) === null ? new Set([...roles].filter((role) => role !== 'agent')) : roles;
}
