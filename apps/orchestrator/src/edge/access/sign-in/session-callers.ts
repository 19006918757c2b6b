// SPDX-License-Identifier: Apache-2.0
// From a sign-in session to a caller. INVARIANT (nothing frozen): what a session may do follows from the registration
// in force at each request, so that a mapping that is narrowed takes effect within a second.
import { Fault, type AgentId, type TenantId } from '@writ/contract';
import type { Identities, ProviderInForce } from '../../../store/identities/identities.ts';
import { ROLES, type Role, type TokenRole } from '../../../store/keys/roles.ts';
import type { Callers, PersonCaller } from '../identity/callers.ts';
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
    const role = leastRoleOf(usableRoles(person, provider), needed);
    if (role === undefined) throw new Fault('auth.role', 'the sign-in gives no role that allows this');
    return await this.#parts.callers.of(provider, person.identity, role, role === 'agent' ? agentId : null);
  }

  /** Whether the tenant denied the subject, under any registration of the issuer. */
  async isDenied(tenantId: TenantId, subject_hash: Buffer, issuer: string): Promise<boolean> {
    const { identities, hashes } = this.#parts;
    // No session is a denied access token: the hash of no `jti` stands for none.
    return await identities.isDenied(tenantId, { subject_hash, jti_hash: hashes.of('jti', tenantId, issuer, '') });
  }

  /** The roles that the session gives now. */
  async rolesOf(person: SignedInPerson): Promise<readonly TokenRole[]> {
    const roles = usableRoles(person, await this.#providerOf(person));
    return ROLES.filter((role) => roles.has(role));
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
function usableRoles(person: SignedInPerson, provider: ProviderInForce): ReadonlySet<Role> {
  const roles = rolesOf(person, provider);
  return agentOf(person, provider) === null ? new Set([...roles].filter((role) => role !== 'agent')) : roles;
}
