// SPDX-License-Identifier: Apache-2.0
import { Fault, type AgentId, type Id, type TenantId } from '@writ/contract';
import { canonicalBytes } from '@writ/digest';
import type { NewKey } from '../keys/api-keys.ts';
import type { Role } from '../keys/roles.ts';
import { NO_WORKLOADS, shareWorkload, widens, type RegisteredWorkload, type WorkloadMapping } from './workloads.ts';

/** Which scope of a token gives which role. */
export interface ScopeRole {
  readonly scope: string;
  readonly role: Role;
}

/** Which group of a person gives which role. */
export interface GroupRole {
  /** exactly as the issuer writes it */
  readonly group: string;
  readonly role: Role;
}

/** How a provider's tokens are read. Null for what it doesn't name. */
export interface ProviderMapping {
  readonly scopes: readonly ScopeRole[];
  /** the claim that lists the groups of the person; null: groups give nothing */
  readonly groups_claim: string | null;
  readonly groups: readonly GroupRole[];
  /** the claim that names the person as API keys do; null: issuer and `sub` are the person */
  readonly person_claim: string | null;
  /** the agent that tokens of role `agent` act for */
  readonly agent_id: AgentId | null;
  /** the claim with the id of that agent */
  readonly agent_claim: string | null;
}

/** What tells the tenant of a token. It never changes. */
export interface ProviderIdentity {
  readonly issuer: string;
  readonly audience: string;
  readonly tenant_claim: string | null;
  readonly tenant_value: string | null;
}

/** How people sign in at a provider in a browser. */
export interface ProviderSignIn {
  /** the public client that the issuer knows this deployment by */
  readonly client_id: string;
}

/** A registered issuer. Times are milliseconds since the epoch by the database's clock. */
export interface ProviderRow extends ProviderMapping, ProviderIdentity, WorkloadMapping {
  readonly provider_id: Id<'identityProvider'>;
  readonly name: string;
  /** null: nobody signs in in a browser */
  readonly sign_in: ProviderSignIn | null;
  readonly created_at: number;
  readonly created_by: string;
  readonly updated_at: number;
  readonly removed_at: number | null;
}

export type NewProvider = ProviderMapping &
  ProviderIdentity &
  // absent: an issuer of access tokens
  Partial<WorkloadMapping> & {
    readonly provider_id: Id<'identityProvider'>;
    readonly name: string;
    readonly sign_in: ProviderSignIn | null;
    /** of the key of identity hashes that is in use: a mapping that is put again takes the new one */
    readonly hash_key_id: string;
    readonly created_by: string;
    /** whether an administrator at the issuer, or the platform key, stands for identity, scopes and groups */
    readonly confirmed: boolean;
  };

/** What a change depends on: it throws where the registration in force, null for none, is another than was wanted. */
export type ProviderCondition = (present: ProviderRow | null) => Promise<void>;

/** A provider in force, with its tenant. */
export interface ProviderInForce extends ProviderMapping, Omit<ProviderIdentity, 'issuer'>, WorkloadMapping {
  readonly provider_id: Id<'identityProvider'>;
  readonly tenant_id: TenantId;
  readonly name: string;
  readonly hash_key_id: string;
}

/** What can be denied: a subject with all its tokens, or one token by its `jti`. */
export type DenialKind = 'subject' | 'jti';

/**
 * Credentials of a provider, of a subject of an issuer, or of a person whose pseudonym is the only name. Of a provider
 * `except` leaves out those with these hashes.
 */
export type CredentialSelector =
  | { readonly provider_id: string; readonly except?: readonly Uint8Array[] }
  | { readonly subject_hash: Uint8Array }
  | { readonly person_id: string };

/** Whose credential is made. */
export interface NewCredential {
  readonly provider_id: string;
  readonly subject_hash: Uint8Array;
  /** as it is registered; absent: it is no workload's */
  readonly workload?: Pick<RegisteredWorkload, 'subject' | 'since'>;
}

/** Whose credential a key is. */
export interface CredentialRow {
  readonly provider_id: string;
  readonly subject_hash: Buffer;
}

/** The pseudonym of a person. */
export interface PersonRow {
  readonly person_id: Id<'person'>;
  readonly created_at: number;
}

/**
 * Identity providers of the tenants, their credentials, and the persons behind calls. Implementations MUST NOT show or
 * change anything of a tenant other than `tenantId`. Hashes are keyed SHA-256 values of 32 bytes.
 */
export abstract class Identities {
  /** Those of all tenants in force, to find the tenant of a token. The only method without a tenant. */
  abstract providersOf(issuer: string): Promise<ProviderInForce[]>;
  /**
   * Registers a provider, or changes the mapping of the one with its name. Fault `conflict` for a name with another
   * identity, for an identity that would leave the tenant of a token open, and for a new registration, other scopes or
   * other groups that nobody confirmed. Fault `limit.exceeded`. Implementations MUST let no other change between the
   * condition and the change.
   */
  abstract put(
    tenantId: TenantId,
    provider: NewProvider,
    countMax: number,
    condition?: ProviderCondition,
  ): Promise<ProviderRow>;
  /** Those in force, by name. */
  abstract list(tenantId: TenantId): Promise<ProviderRow[]>;
  /** The provider of that name: the one in force, else the one that was removed last. */
  abstract read(tenantId: TenantId, name: string): Promise<ProviderRow | null>;
  /** Its tokens are refused from then on. It stays as it is if it was removed before. The condition as with `put`. */
  abstract remove(tenantId: TenantId, providerId: string, condition?: ProviderCondition): Promise<void>;

  /** Whether a credential has that hash, revoked or not. */
  abstract hasCredential(tenantId: TenantId, hash: Uint8Array): Promise<boolean>;
  /**
   * Stores a credential as an API key that nobody holds; changes nothing where its hash is stored already. Fault
   * `conflict` where the pseudonym that is its principal was forgotten meanwhile, and where the registration was
   * removed or doesn't list the workload any more. It takes turns with these changes: whoever makes one sees the
   * credential, or none is made.
   */
  abstract createCredential(tenantId: TenantId, key: NewKey, of: NewCredential): Promise<void>;
  /** Ids of credentials that are not revoked. */
  abstract credentialsOf(tenantId: TenantId, of: CredentialSelector, limit: number): Promise<Id<'apiKey'>[]>;

  /** The provider and the subject of a credential; null for any other key. */
  abstract credential(tenantId: TenantId, apiKeyId: string): Promise<CredentialRow | null>;

  abstract deny(
    tenantId: TenantId,
    providerId: string,
    denial: { readonly kind: DenialKind; readonly value_hash: Uint8Array; readonly denied_by: string },
  ): Promise<void>;
  /** Of every registration of the tenant: a new registration of an issuer doesn't lift its denials. */
  abstract isDenied(
    tenantId: TenantId,
    of: { readonly subject_hash: Uint8Array; readonly jti_hash: Uint8Array },
  ): Promise<boolean>;

  /** The pseudonym behind a link; `newId` becomes it where there is none. */
  abstract personOf(tenantId: TenantId, link: Uint8Array, newId: Id<'person'>): Promise<Id<'person'>>;
  /** The pseudonym behind a link; null where there is none. */
  abstract findPerson(tenantId: TenantId, link: Uint8Array): Promise<PersonRow | null>;
  /** Whether the person exists: makes it impossible to tell whose the pseudonym was. */
  abstract forgetPerson(tenantId: TenantId, personId: string): Promise<boolean>;
}

/** The resource of Model Context Protocol clients, below an audience. A token may be bound to it alone. */
export const MCP_PATH = '/mcp';

/** The identifiers of which a token of the audience names one: the audience, and its `/mcp` alone. */
export const resourcesOf = (audience: string): readonly string[] => [audience, `${audience}${MCP_PATH}`];

/** Whether both could be the provider of one token, so that its tenant would be open. */
export function areAmbiguous(a: Omit<ProviderIdentity, 'issuer'>, b: Omit<ProviderIdentity, 'issuer'>): boolean {
  const resources = resourcesOf(a.audience);
  return (
    resourcesOf(b.audience).some((each) => resources.includes(each)) &&
    (a.tenant_claim === null || a.tenant_claim !== b.tenant_claim || a.tenant_value === b.tenant_value)
  );
}

/**
 * With another claim, a person has another name, and could approve what was proposed under the one before. The removal
 * of a provider revokes its credentials first.
 */
const CONSTANT = ['issuer', 'audience', 'tenant_claim', 'tenant_value', 'person_claim'] as const;

type Constant = Pick<NewProvider, (typeof CONSTANT)[number]> & Partial<WorkloadMapping>;

/** Verifies what never changes. Fault `conflict` where the provider `named` has it otherwise. */
export function verifySameIdentity(named: ProviderRow, provider: Constant): void {
  const isOtherwise = named.profile !== workloadsOf(provider).profile;
  const other = isOtherwise ? 'profile' : CONSTANT.find((member) => named[member] !== provider[member]);
  if (other !== undefined)
    throw new Fault(
      'conflict',
      `the provider \`${named.name}\` has another \`${other}\`, which never changes: remove it first`,
    );
}

/** Fault `conflict` where another registration of the issuer in the tenant names persons by another claim. */
export function verifySamePersons(others: readonly Constant[], { person_claim }: Constant): void {
  if (others.some((each) => each.person_claim !== person_claim))
    throw new Fault(
      'conflict',
      'another registration of this issuer has another `person_claim`: a person would have two names, and could approve by the one what the other proposed',
    );
}

/** What a registration has for workloads. */
export const workloadsOf = ({ profile, workloads, jwks }: Partial<WorkloadMapping>): WorkloadMapping => ({
  profile: profile ?? NO_WORKLOADS.profile,
  workloads: workloads ?? NO_WORKLOADS.workloads,
  jwks: jwks ?? NO_WORKLOADS.jwks,
});

type OfTenant = Omit<ProviderIdentity, 'issuer'> & Partial<WorkloadMapping> & { readonly tenant_id: TenantId };

/** Whether both registrations of one issuer could be that of one token. INVARIANT (one profile): an issuer has one. */
export function claimSameTokens(a: OfTenant, b: OfTenant): boolean {
  const [of, other] = [workloadsOf(a), workloadsOf(b)];
  if (of.profile !== other.profile) return true;
  return of.profile === 'oauth' ? areAmbiguous(a, b) : shareWorkload(of, other, a.tenant_id === b.tenant_id);
}

/** What gives roles. */
const rolesIn = ({ scopes, groups_claim, groups }: ProviderMapping): Buffer =>
  Buffer.from(canonicalBytes({ scopes, groups_claim, groups } as never));

/** Whether a registration gives other roles than the one before it, so that the issuer must stand for it anew. */
export const needsConfirmation = (
  named: ProviderRow | null,
  provider: ProviderMapping & Partial<WorkloadMapping>,
): boolean => named === null || !rolesIn(named).equals(rolesIn(provider)) || widens(named, workloadsOf(provider));

/** The fault of `put` where nobody stands for it: another request came between. */
export const UNCONFIRMED =
  'the registration changed meanwhile, and an administrator at the issuer must stand for it: send the request again';

/** The fault of `put` for an identity that another registration has; it never says whose. */
export const AMBIGUOUS =
  'the issuer is registered for this audience already: one issuer serves several tenants only where every registration names the same claim (`tenant_claim`), each with its own value, or where each names other workloads of a cluster';
