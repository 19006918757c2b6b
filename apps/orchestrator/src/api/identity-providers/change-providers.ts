// SPDX-License-Identifier: Apache-2.0
import { Fault, type Caller, type Id, type TenantId } from '@writ/contract';
import { canonicalBytes, entityTag, sha256Hex } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { RevokeKey } from '../../calls/kernel/revoke-key.ts';
import type { Authenticator } from '../../edge/access/authenticator.ts';
import type { IssuerConsent } from '../../edge/access/oauth/issuer-consent.ts';
import { workloadHash } from '../../edge/access/workloads/workload-callers.ts';
import type { IdentityHashes } from '../../edge/access/oauth/person-links.ts';
import { DEFAULT_SCOPES, LEAST_FIRST, type ProtectedResource } from '../../edge/access/oauth/protected-resource.ts';
import { verifyIssuer } from '../../edge/access/oauth/urls.ts';
import {
  MCP_PATH,
  needsConfirmation,
  verifySameIdentity,
  type CredentialSelector,
  type Identities,
  type NewProvider,
  type ProviderRow,
} from '../../store/identities/identities.ts';
import type { ApiKeys } from '../../store/keys/api-keys.ts';
import type { Members } from '../../store/members/members.ts';
import { NOTHING_OF_OAUTH, operatorPuts, workloadMappingOf } from './workload-settings.ts';
import type { ConfirmedSettings, Denial, Ended, PersonForgotten, ProviderSettings } from './views.ts';

/** Most issuers of one tenant: nobody looks through a longer list. */
export const PROVIDERS_MAX = 20;
/** Credentials that one request revokes: each waits for the kernel, a few milliseconds. */
const REVOKED_MAX = 100;
/** Who registered an issuer with the platform key. */
const PLATFORM = 'platform';
/** Why a suspended person is not forgotten. */
const SUSPENDED =
  'the person is a suspended member, and would be let in again as somebody new: deny their subject, make the member active, and then forget them';
const DEFAULT_MAPPING = LEAST_FIRST.map((role) => ({ scope: DEFAULT_SCOPES[role], role }));

/** Compares the registration that is in force, null for none. Fault `precondition.failed`. */
export type PresentCondition = (present: ProviderRow | null) => void;

export interface ChangeProvidersParts {
  readonly identities: Identities;
  readonly members: Pick<Members, 'ofPerson'>;
  readonly keys: Pick<ApiKeys, 'authenticate'>;
  readonly revokeKey: Pick<RevokeKey, 'run'>;
  readonly authenticator: Pick<Authenticator, 'forgetIdentities'>;
  readonly hashes: IdentityHashes;
  readonly resource: ProtectedResource;
  readonly consent: Pick<IssuerConsent, 'verify'>;
  /** `host:port` of issuers that may be reached by plain HTTP */
  readonly issuerAllowed: ReadonlySet<string>;
}

/**
 * Registers and removes issuers, and denies tokens. INVARIANT (recorded first): a change is durable in the kernel's
 * outbox before it takes effect.
 */
export class ChangeProviders {
  readonly #kernel: KernelClient;
  readonly #parts: ChangeProvidersParts;

  constructor(kernel: KernelClient, parts: ChangeProvidersParts) {
    this.#kernel = kernel;
    this.#parts = parts;
  }

  /**
   * Registers an issuer, or changes its mapping, with a token of an administrator at the issuer where that is needed.
   * Faults: `request.malformed`, `conflict`, `limit.exceeded`, `not_found` for an agent that isn't there,
   * `auth.issuer_unavailable`, `precondition.failed`.
   */
  async put(
    caller: Caller,
    { access_token, ...settings }: ConfirmedSettings,
    condition?: PresentCondition,
  ): Promise<ProviderRow> {
    const named = await this.#inForce(caller.tenant_id, settings.name);
    condition?.(named);
    const provider = await this.#providerOf(settings, caller.api_key_id, named);
    if (named !== null) verifySameIdentity(named, provider);
    const isOpen = needsConfirmation(named, provider);
    if (isOpen && provider.profile === 'kubernetes') throw operatorPuts();
    if (isOpen) await this.#parts.consent.verify(access_token, caller.tenant_id, provider);
    return await this.#put(caller, { ...provider, confirmed: isOpen }, named, condition);
  }

  /** As `put`, for the platform key, which needs no token of the issuer: the operator answers for the registration. */
  async putByPlatform(tenantId: TenantId, settings: ProviderSettings): Promise<ProviderRow> {
    // The kernel records the platform as the actor; this key stands for nobody, and is stored nowhere.
    const caller: Caller = { tenant_id: tenantId, api_key_id: newId('apiKey'), role: 'admin', agent_id: null };
    const named = await this.#inForce(tenantId, settings.name);
    const provider = await this.#providerOf(settings, PLATFORM, named);
    return await this.#put(caller, { ...provider, confirmed: true }, named);
  }

  /** @param merged the registration that the settings were merged with; null for none */
  async #put(
    caller: Caller,
    provider: NewProvider,
    merged: ProviderRow | null,
    condition?: PresentCondition,
  ): Promise<ProviderRow> {
    const agents = [provider.agent_id, ...(provider.workloads ?? []).map((each) => each.agent_id)];
    for (const agent_id of new Set(agents))
      if (agent_id !== null) await this.#kernel.ask('agent.read', caller, { agent_id });
    const { provider_id: _made, created_by: by, hash_key_id: _hashes, confirmed: _sure, ...said } = provider;
    const row = await this.#parts.identities.put(caller.tenant_id, provider, PROVIDERS_MAX, async (present) => {
      condition?.(present);
      verifySameRow(merged, present);
      await this.#record(caller, 'identity_provider_put', provider.name, { said, byPlatform: by === PLATFORM });
    });
    this.#parts.authenticator.forgetIdentities();
    if (row.profile === 'kubernetes') await this.#endFormer(caller, row);
    return row;
  }

  /**
   * Revokes credentials of workloads that aren't registered as they were, which ends their calls. The rows tell
   * which ones these are, so a repeated request completes what is left. Those of the registration stay: another replica
   * may have made them by now.
   */
  async #endFormer(caller: Caller, { provider_id, workloads }: ProviderRow): Promise<void> {
    const { hashes, identities } = this.#parts;
    const former = { provider_id, except: workloads.map((each) => workloadHash(hashes, provider_id, each)) };
    for (let left = true; left;) {
      const found = await identities.credentialsOf(caller.tenant_id, former, REVOKED_MAX);
      await this.#revokeEach(caller, found);
      left = found.length === REVOKED_MAX;
    }
  }

  /**
   * Refuses the issuer's tokens, then revokes its credentials as keys are revoked, some at a time. A repeated request
   * completes what is left. Faults: `not_found`, `precondition.failed`.
   */
  async remove(caller: Caller, name: string, condition?: PresentCondition): Promise<Ended> {
    const provider = await this.#read(caller, name);
    await this.#parts.identities.remove(caller.tenant_id, provider.provider_id, async (present) => {
      condition?.(present);
      await this.#record(caller, 'identity_provider_removed', provider.provider_id);
    });
    this.#parts.authenticator.forgetIdentities();
    return { name, ...(await this.#revoke(caller, { provider_id: provider.provider_id })) };
  }

  /** Faults: `request.malformed` unless exactly one of both is named, `not_found`. */
  async deny(caller: Caller, name: string, { subject, jti }: Denial): Promise<Ended> {
    if ((subject === undefined) === (jti === undefined))
      throw new Fault('request.malformed', 'name either `subject` or `jti`', { pointer: '/subject' });
    const provider = await this.#read(caller, name);
    const { identities, hashes, authenticator } = this.#parts;
    const kind = subject === undefined ? 'jti' : 'subject';
    const value_hash = hashes.of(kind, caller.tenant_id, provider.issuer, (subject ?? jti) as string);
    await this.#record(caller, `oauth_${kind}_denied`, provider.provider_id, { said: value_hash.toString('hex') });
    const denial = { kind, value_hash, denied_by: caller.api_key_id } as const;
    await identities.deny(caller.tenant_id, provider.provider_id, denial);
    authenticator.forgetIdentities();
    // A token has no credential of its own: its streams end, and calls that it began go on under the subject's.
    if (kind === 'jti') return { name, revoked: [], more: false };
    return { name, ...(await this.#revoke(caller, { subject_hash: value_hash })) };
  }

  /**
   * Unlinks a pseudonym. Credentials of a person without another name are revoked first: under a new pseudonym, the
   * person could approve what the old one proposed. A repeated request completes what is left. Faults: `not_found`,
   * `conflict` for a suspended member, who would come back as somebody new.
   */
  async forget(caller: Caller, personId: string): Promise<PersonForgotten> {
    const { identities, members, authenticator } = this.#parts;
    const member = await members.ofPerson(caller.tenant_id, personId);
    if (member?.state === 'suspended') throw new Fault('conflict', SUSPENDED);
    await this.#record(caller, 'person_forgotten', personId);
    const { revoked, more } = await this.#revoke(caller, { person_id: personId });
    if (more) return { person_id: personId, forgotten: false, revoked, more };
    const isForgotten = await identities.forgetPerson(caller.tenant_id, personId);
    authenticator.forgetIdentities();
    // Those that a replica made while the others were revoked.
    const late = await this.#revoke(caller, { person_id: personId });
    if (!isForgotten && revoked.length + late.revoked.length === 0) throw new Fault('not_found');
    return { person_id: personId, forgotten: true, revoked: [...revoked, ...late.revoked], more: late.more };
  }

  /** Omitted members stay as they are. */
  async #providerOf(
    settings: ProviderSettings,
    createdBy: string,
    before: ProviderRow | null,
  ): Promise<Omit<NewProvider, 'confirmed'>> {
    const { url } = this.#parts.resource;
    if (url === null)
      throw new Fault('conflict', 'access tokens are not accepted here: the operator must set `WRIT_PUBLIC_URL`');
    const mapping = await workloadMappingOf(settings, before, Date.now());
    const isCluster = mapping.profile === 'kubernetes';
    const audience = settings.audience ?? before?.audience ?? url;
    if (isCluster && audience !== url)
      throw new Fault('request.malformed', `the \`audience\` of a cluster is \`${url}\``, { pointer: '/audience' });
    const { person_claim = before?.person_claim ?? null, scopes = before?.scopes ?? DEFAULT_MAPPING } = settings;
    const { sign_in = before?.sign_in ?? null } = settings;
    return {
      provider_id: newId('identityProvider'),
      name: settings.name,
      issuer: verifyIssuer(settings.issuer, this.#parts.issuerAllowed),
      audience: verifyAudience(audience, url),
      ...tenantOf(settings, before),
      scopes,
      ...groupsOf(settings, before),
      person_claim,
      ...agentOf(settings, before),
      sign_in,
      ...(isCluster ? NOTHING_OF_OAUTH : {}),
      ...mapping,
      hash_key_id: this.#parts.hashes.keyId,
      created_by: createdBy,
    };
  }

  async #inForce(tenantId: TenantId, name: string): Promise<ProviderRow | null> {
    const found = await this.#parts.identities.read(tenantId, name);
    return found?.removed_at === null ? found : null;
  }

  async #read({ tenant_id }: Caller, name: string): Promise<ProviderRow> {
    const provider = await this.#parts.identities.read(tenant_id, name);
    if (provider === null) throw new Fault('not_found');
    return provider;
  }

  async #revoke(caller: Caller, of: CredentialSelector): Promise<Omit<Ended, 'name'>> {
    const { identities } = this.#parts;
    const found = await identities.credentialsOf(caller.tenant_id, of, REVOKED_MAX + 1);
    const revoked = found.slice(0, REVOKED_MAX);
    await this.#revokeEach(caller, revoked);
    return { revoked, more: found.length > revoked.length };
  }

  async #revokeEach(caller: Caller, ids: readonly Id<'apiKey'>[]): Promise<void> {
    for (const api_key_id of ids) await this.#parts.revokeKey.run(caller, api_key_id);
  }

  async #record(
    caller: Caller,
    verb: string,
    subject: string,
    { said, byPlatform = false }: { readonly said?: unknown; readonly byPlatform?: boolean } = {},
  ): Promise<void> {
    const digest = said === undefined ? {} : { digest: sha256Hex(canonicalBytes(said as never)) };
    const by = byPlatform ? ({ by_platform: true } as const) : {};
    await this.#kernel.ask('change.record', caller, { verb, subject, ...digest, ...by });
  }
}

/**
 * Omitted settings stay as they are, so they are merged with a registration. What another request changed meanwhile
 * MUST NOT come back by that. Fault `conflict`.
 */
function verifySameRow(merged: ProviderRow | null, present: ProviderRow | null): void {
  if ((merged && entityTag(merged)) !== (present && entityTag(present)))
    throw new Fault('conflict', 'another request has changed the registration meanwhile: send the request again');
}

type Tenancy = Pick<NewProvider, 'tenant_claim' | 'tenant_value'>;
function tenantOf(settings: ProviderSettings, before: Tenancy | null): Tenancy {
  if (settings.tenant_claim === undefined && settings.tenant_value === undefined && before !== null)
    return { tenant_claim: before.tenant_claim, tenant_value: before.tenant_value };
  const { tenant_claim = null, tenant_value = null } = settings;
  if ((tenant_claim === null) !== (tenant_value === null))
    throw new Fault('request.malformed', '`tenant_claim` and `tenant_value` go together', { pointer: '/tenant_value' });
  return { tenant_claim, tenant_value };
}

/** Without a claim, there are no groups. Fault `request.malformed`. */
type Grouping = Pick<NewProvider, 'groups_claim' | 'groups'>;
function groupsOf(settings: ProviderSettings, before: Grouping | null): Grouping {
  const { groups_claim = before?.groups_claim ?? null } = settings;
  const { groups = groups_claim === null ? [] : (before?.groups ?? []) } = settings;
  if (groups_claim === null && groups.length > 0)
    throw new Fault(
      'request.malformed',
      '`groups` need a `groups_claim`: the claim that lists the groups of a person',
      { pointer: '/groups_claim' },
    );
  return { groups_claim, groups };
}

/** Either of both replaces the other. */
type Agency = Pick<NewProvider, 'agent_id' | 'agent_claim'>;
function agentOf(settings: ProviderSettings, before: Agency | null): Agency {
  if (settings.agent_id === undefined && settings.agent_claim === undefined && before !== null)
    return { agent_id: before.agent_id, agent_claim: before.agent_claim };
  const { agent_id = null, agent_claim = null } = settings;
  if (agent_id !== null && agent_claim !== null)
    throw new Fault('request.malformed', 'name either `agent_id` or `agent_claim`', { pointer: '/agent_claim' });
  return { agent_id, agent_claim };
}

/**
 * A token of another resource must not be good here, so a tenant can't name an audience of its own. Tokens of `/mcp`
 * are good there alone, so that no audience is that resource, or below it.
 */
function verifyAudience(audience: string, url: string): string {
  const below = audience.slice(url.length);
  const isBelow = audience.startsWith(`${url}/`) && /^[\x21-\x7e]+$/.test(audience) && !/["\\?#]|\/$/.test(audience);
  if (audience === url || (isBelow && !`${below}/`.includes(`${MCP_PATH}/`))) return audience;
  throw new Fault(
    'request.malformed',
    `the \`audience\` must be \`${url}\`, or begin with \`${url}/\`, without \`${MCP_PATH}\`: tokens of that resource are good there with the audience above it`,
    { pointer: '/audience' },
  );
}
