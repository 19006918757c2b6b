// SPDX-License-Identifier: Apache-2.0
// From an access token to a caller.
import { Fault, isId, parseMessage, PersonName, type AgentId, type Caller, type TenantId } from '@writ/contract';
import { sha256 } from '@writ/digest';
import { LRUCache } from 'lru-cache';
import type { JWTPayload } from 'jose';
import {
  MCP_PATH,
  type Identities,
  type ProviderInForce,
  type ProviderMapping,
} from '../../../store/identities/identities.ts';
import type { RegisteredWorkload } from '../../../store/identities/workloads.ts';
import type { Role } from '../../../store/keys/roles.ts';
import type { Callers } from '../identity/callers.ts';
import type { MemberLinks } from '../identity/member-links.ts';
import { groupsOf, leastRoleOf, rolesOf } from '../identity/roles.ts';
import type { RateLimit } from '../rate-limit.ts';
import type { KnownWorkload, WorkloadCallers } from '../workloads/workload-callers.ts';
import { claimedIssuerOf, verifyAccessToken, type AccessToken } from './access-token.ts';
import type { IssuerKeys } from './issuer-keys.ts';
import type { IdentityHashes } from './person-links.ts';
import { LEAST_FIRST, type ProtectedResource } from './protected-resource.ts';

/** How long a token's verification is used again, in milliseconds: a removal takes effect within a second. */
const CACHED_MS = 900;
/** Cached tokens: more than are in use within a second. */
const CACHED_MAX = 10_000;

/** A token without a scope for the request: the client may ask its issuer for one of `scopes`, and come back. */
export class ScopeFault extends Fault {
  readonly scopes: readonly string[];

  constructor(scopes: readonly string[]) {
    super(
      'auth.insufficient_scope',
      scopes.length === 0
        ? 'no scope of this issuer gives a role that may do this, and no group of the token does'
        : `the access token needs the scope ${scopes.map((scope) => `\`${scope}\``).join(' or ')}`,
    );
    this.scopes = scopes;
  }
}

/** What a request needs. */
export interface TokenNeed {
  /** roles of which one is needed; null: whichever the token gives */
  readonly roles: readonly Role[] | null;
  /** the path of the request, which tells the resource */
  readonly path: string;
  /** whether a key with scopes will do, whatever they are; else it is refused */
  readonly ofAnyScope?: true;
}

/** A token whose provider is found. */
interface KnownToken {
  readonly token: AccessToken;
  readonly provider: ProviderInForce;
}

export interface TokenCallersParts {
  readonly identities: Identities;
  readonly issuerKeys: IssuerKeys;
  readonly resource: ProtectedResource;
  readonly hashes: IdentityHashes;
  readonly callers: Callers;
  readonly workloads: WorkloadCallers;
  readonly members: Pick<MemberLinks, 'activeOf' | 'forget'>;
  readonly rate: Pick<RateLimit, 'consumeTenant'>;
  /** milliseconds since the epoch */
  readonly now: () => number;
  readonly monotonic: () => number;
}

/** Finds the caller behind an access token. */
export class TokenCallers {
  readonly #parts: TokenCallersParts;
  readonly #tokens: LRUCache<string, KnownToken | KnownWorkload>;
  /** removals, denials and revocations through this replica */
  #ended = 0;

  constructor(parts: TokenCallersParts) {
    this.#parts = parts;
    const perf = { now: parts.monotonic };
    this.#tokens = new LRUCache({ max: CACHED_MAX, ttl: CACHED_MS, ttlResolution: 0, perf });
  }

  /** Whether a token was verified within the last second. */
  isCached(text: string): boolean {
    return this.#tokens.has(nameOf(text));
  }

  /** Faults: `auth.invalid`, `auth.issuer_unavailable`, `auth.insufficient_scope` as a ScopeFault. */
  async identify(text: string, need: TokenNeed): Promise<Caller> {
    return (await this.identifyFully(text, need)).caller;
  }

  /** As `identify`, with the workload whose token it is; null: it is an access token. */
  async identifyFully(
    text: string,
    need: TokenNeed,
  ): Promise<{ readonly caller: Caller; readonly workload: RegisteredWorkload | null }> {
    if (this.#parts.resource.url === null) throw new Fault('auth.invalid', 'access tokens are not accepted here');
    const known = await this.#tokenOf(text);
    if (known.token.expiresAt <= this.#parts.now()) throw new Fault('auth.invalid', 'the token has expired (`exp`)');
    // A workload has one role, as a key has: the guard compares it.
    if ('workload' in known) return { caller: await this.#parts.workloads.of(known), workload: known.workload };
    return { caller: await this.#callerOf(known, need), workload: null };
  }

  async #callerOf({ token, provider }: KnownToken, { roles, path }: TokenNeed): Promise<Caller> {
    const good = this.#parts.resource.audiencesOf(provider.audience, path);
    if (!token.audiences.some((audience) => good.includes(audience)))
      throw new Fault(
        'auth.invalid',
        `the access token is for another resource: its \`aud\` must contain \`${good.at(-1)}\``,
      );
    const { issuer, subject, claims } = token;
    const member = await this.#parts.members.activeOf(provider.tenant_id, issuer, subject);
    const role = roleOf(token, provider, member?.role ?? null, roles);
    const agentId = role === 'agent' ? agentOf(provider, claims) : null;
    const named = { issuer, subject, name: personNameOf(claims, provider) };
    return await this.#parts.callers.of(provider, named, { role, agentId, member });
  }

  /** Drops all cached tokens, after a removal or a denial through this replica. */
  forget(): void {
    this.#ended += 1;
    this.#tokens.clear();
    this.#parts.members.forget();
    this.#parts.callers.forget();
    this.#parts.workloads.forget();
  }

  async #tokenOf(text: string): Promise<KnownToken | KnownWorkload> {
    const name = nameOf(text);
    const cached = this.#tokens.get(name);
    if (cached !== undefined) return cached;
    const [start, ended] = [this.#parts.monotonic(), this.#ended];
    const known = await this.#verify(text);
    if (ended === this.#ended) this.#tokens.set(name, known, { start });
    return known;
  }

  async #verify(text: string): Promise<KnownToken | KnownWorkload> {
    const { identities, issuerKeys, hashes, now, workloads } = this.#parts;
    const issuer = claimedIssuerOf(text);
    // Only issuers that a tenant registered are asked for their keys.
    const providers = await identities.providersOf(issuer);
    if (providers.length === 0)
      throw new Fault('auth.invalid', 'no tenant has registered the issuer of the access token');
    // INVARIANT (the registration chooses): what the token says of its kind counts for nothing. An issuer has one
    // profile, and one with two, as a process of the version before could register it, lets nobody in.
    const [profile, another] = new Set(providers.map((each) => each.profile));
    if (another !== undefined) throw new Fault('auth.invalid', 'the issuer is registered under two profiles');
    if (profile === 'kubernetes') return await workloads.verify(text, issuer, providers);
    const audiences = providers.flatMap(({ audience }) => this.#parts.resource.audiencesOf(audience, MCP_PATH));
    const token = await verifyAccessToken(text, issuer, audiences, issuerKeys, now());
    const provider = this.#providerOf(token, providers);
    // The work for a new token is one more request of its tenant, and is refused before the tenant's rows are read.
    this.#parts.rate.consumeTenant(provider.tenant_id);
    // Under another key, no denial and no revoked credential would be found.
    if (provider.hash_key_id !== hashes.keyId)
      throw new Fault(
        'auth.invalid',
        'the key of identity hashes has changed since the issuer was registered: an administrator must register it again, and deny again whom it denied',
      );
    if (await isDenied(identities, hashes, provider.tenant_id, token))
      throw new Fault('auth.invalid', 'the access token, or its subject, is denied');
    return { token, provider };
  }

  /** INVARIANT (one tenant): a token that fits no registration, or more than one, is refused. */
  #providerOf(token: AccessToken, providers: readonly ProviderInForce[]): ProviderInForce {
    const fitting = providers.filter(
      ({ audience, tenant_claim, tenant_value }) =>
        this.#parts.resource.audiencesOf(audience, MCP_PATH).some((each) => token.audiences.includes(each)) &&
        (tenant_claim === null || token.claims[tenant_claim] === tenant_value),
    );
    const [provider] = fitting;
    if (provider === undefined || fitting.length > 1)
      throw new Fault(
        'auth.invalid',
        'the access token belongs to no tenant, or to several: see its `aud` and its tenant claim',
      );
    return provider;
  }
}

/** Whether the tenant denied the token or its subject, under any registration of the issuer. */
export const isDenied = (
  identities: Pick<Identities, 'isDenied'>,
  hashes: IdentityHashes,
  tenantId: TenantId,
  { issuer, subject, jti }: AccessToken,
): Promise<boolean> =>
  identities.isDenied(tenantId, {
    subject_hash: hashes.of('subject', tenantId, issuer, subject),
    jti_hash: hashes.of('jti', tenantId, issuer, jti),
  });

const nameOf = (text: string): string => Buffer.from(sha256(Buffer.from(text, 'utf8'))).toString('base64');

/** The role with the fewest rights that the token gives and the request needs. */
function roleOf(
  { scopes, claims }: AccessToken,
  provider: ProviderInForce,
  own: Role | null,
  needed: readonly Role[] | null,
): Role {
  const role = leastRoleOf(rolesOf({ scopes, groups: groupsOf(claims, provider) }, provider, own), needed);
  if (role !== undefined) return role;
  const least = LEAST_FIRST.find(
    (each) => (needed === null || needed.includes(each)) && provider.scopes.some((one) => one.role === each),
  );
  throw new ScopeFault(provider.scopes.filter((each) => each.role === least).map(({ scope }) => scope));
}

/** The agent that somebody with these claims of the issuer acts for in the role `agent`. Fault `auth.invalid`. */
export function agentOf(
  { agent_id, agent_claim }: Pick<ProviderMapping, 'agent_id' | 'agent_claim'>,
  claims: Readonly<JWTPayload>,
): AgentId {
  const agentId = agent_claim === null ? agent_id : claims[agent_claim];
  if (isId('agent', agentId)) return agentId;
  throw new Fault(
    'auth.invalid',
    agent_claim === null
      ? 'the registration of the issuer names no agent for tokens of the role `agent`'
      : `the access token names no agent: its \`${agent_claim}\` must be the id of one`,
  );
}

/** INVARIANT (no look-alikes): only ASCII letters change, since the lower case of the Kelvin sign is a plain `k`. */
const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The person's name as API keys have it; null where the registration names no claim for it. Fault `auth.invalid`. */
export function personNameOf(
  claims: Readonly<JWTPayload>,
  { person_claim }: Pick<ProviderMapping, 'person_claim'>,
): string | null {
  if (person_claim === null) return null;
  // Some issuers write a text. Where an issuer leaves it out, the administrator who named the claim answers for it.
  const isVerified = claims['email_verified'] ?? true;
  if (person_claim === 'email' && isVerified !== true && isVerified !== 'true')
    throw new Fault('auth.invalid', 'the address of the access token is not verified (`email_verified`)');
  const value = claims[person_claim];
  try {
    return parseMessage(PersonName, typeof value === 'string' ? lowerAscii(value) : value);
  } catch (cause) {
    throw new Fault(
      'auth.invalid',
      `the access token names no person: its \`${person_claim}\` must be a name or an address`,
      { cause },
    );
  }
}
