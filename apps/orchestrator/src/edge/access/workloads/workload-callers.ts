// SPDX-License-Identifier: Apache-2.0
// From a projected token of a Kubernetes cluster to a caller.
//
// The caller is a credential, as that of an access token is, and a service account: a member without a person. So it
// decides about nothing, which the kernel sees by its principal (`isServiceAccount`).
import { Fault, type Caller, type Id, type TenantId } from '@writ/contract';
import { createLocalJWKSet, type JSONWebKeySet, type LocalJWKSet } from 'jose';
import { LRUCache } from 'lru-cache';
import type { Identities, ProviderInForce } from '../../../store/identities/identities.ts';
import type { PinnedKey, RegisteredWorkload } from '../../../store/identities/workloads.ts';
import { Credentials, type CredentialsParts } from '../oauth/credentials.ts';
import type { IssuerKeys } from '../oauth/issuer-keys.ts';
import type { IdentityHashes } from '../oauth/person-links.ts';
import type { MemberLinks } from '../identity/member-links.ts';
import type { RateLimit } from '../rate-limit.ts';
import { claimedBy, verifyWorkloadToken, type WorkloadToken } from './workload-token.ts';

/** How long a caller is used again, in milliseconds: a revocation takes effect within a second. */
const CACHED_MS = 900;
/** Cached callers: more than are in use within a second. */
const CACHED_MAX = 10_000;

/** A verified token, with what the registration says of its workload. */
export interface KnownWorkload {
  readonly token: WorkloadToken;
  readonly provider: ProviderInForce;
  readonly workload: RegisteredWorkload;
}

export interface WorkloadCallersParts extends CredentialsParts {
  readonly identities: Identities;
  readonly issuerKeys: IssuerKeys;
  readonly members: Pick<MemberLinks, 'activeOf' | 'vouchWorkload'>;
  readonly rate: Pick<RateLimit, 'consumeTenant'>;
  /** this deployment; null: no tokens are accepted */
  readonly audience: string | null;
  /** milliseconds since the epoch */
  readonly now: () => number;
}

/**
 * Finds and makes callers of workloads. Callers MUST have found the registrations of the issuer of the token, all of
 * which have the profile `kubernetes`.
 */
export class WorkloadCallers {
  readonly #parts: WorkloadCallersParts;
  readonly #credentials: Credentials;
  readonly #cached: LRUCache<string, Caller>;
  /** removals, denials and revocations through this replica */
  #ended = 0;

  constructor(parts: WorkloadCallersParts) {
    this.#parts = parts;
    this.#credentials = new Credentials(parts, () => this.forget());
    const perf = { now: parts.monotonic };
    this.#cached = new LRUCache({ max: CACHED_MAX, ttl: CACHED_MS, ttlResolution: 0, perf });
  }

  /** Faults: `auth.invalid` with the reason, `auth.issuer_unavailable`, `rate.limited`. */
  async verify(text: string, issuer: string, providers: readonly ProviderInForce[]): Promise<KnownWorkload> {
    const { audience, hashes, identities, now, rate } = this.#parts;
    if (audience === null) throw new Fault('auth.invalid', 'workload tokens are not accepted here');
    const { subject, kid } = claimedBy(text);
    const { provider, workload } = registrationOf(providers, subject, kid);
    const keys = await this.#keysOf(provider, issuer, kid);
    const token = await verifyWorkloadToken(text, { issuer, audience, keys, now: now() });
    // As for access tokens, the work for a new token is one more request, before the tenant's rows are read.
    rate.consumeTenant(provider.tenant_id);
    // Under another key, no denial and no revoked credential would be found.
    if (provider.hash_key_id !== hashes.keyId)
      throw new Fault('auth.invalid', 'the key of identity hashes has changed: the operator must register it again');
    const { tenant_id } = provider;
    const subject_hash = hashes.of('subject', tenant_id, issuer, token.subject);
    if (
      await identities.isDenied(tenant_id, { subject_hash, jti_hash: hashes.of('jti', tenant_id, issuer, token.jti) })
    )
      throw new Fault('auth.invalid', 'the workload token, or its service account, is denied');
    return { token, provider, workload };
  }

  /** @throws Fault `auth.invalid` where the credential was revoked, and for a member who isn't active */
  async of({ token, provider, workload }: KnownWorkload): Promise<Caller> {
    const { members, hashes, monotonic } = this.#parts;
    const { tenant_id, provider_id } = provider;
    const { issuer, subject } = token;
    // It is cached as shortly as the caller, and a change of the member drops both.
    await members.activeOf(tenant_id, issuer, subject);
    const hash = workloadHash(hashes, provider_id, workload);
    const name = hash.toString('base64');
    const cached = this.#cached.get(name);
    if (cached !== undefined) return cached;
    const [start, ended] = [monotonic(), this.#ended];
    const found = (await this.#credentials.find(hash)) ?? (await this.#make(provider, token, workload, hash));
    if (ended === this.#ended) this.#cached.set(name, found, { start });
    return found;
  }

  /** Drops all cached callers, after a removal, a denial or a revocation through this replica. */
  forget(): void {
    this.#ended += 1;
    this.#cached.clear();
  }

  async #make(
    provider: ProviderInForce,
    { issuer, subject }: WorkloadToken,
    { role, agent_id, tools, since }: RegisteredWorkload,
    hash: Buffer,
  ): Promise<Caller> {
    const name = `${subject.split(':').slice(2).join('/')} of ${provider.name}`;
    const whose = { tenantId: provider.tenant_id as TenantId, providerId: provider.provider_id, issuer, subject, name };
    const member = await this.#parts.members.vouchWorkload(whose);
    const of = { issuer, subject, role, agentId: agent_id, principal: member.member_id };
    const workload = { name: `workload ${name}`, tools, registered: { subject, since } };
    return await this.#credentials.create(provider, hash, { ...of, workload }, async () => member);
  }

  async #keysOf({ jwks }: ProviderInForce, issuer: string, kid: string): Promise<LocalJWKSet> {
    // INVARIANT (pinned wins): the address of an issuer with pinned keys is asked for nothing.
    if (jwks !== null) return setOf(jwks);
    return await this.#parts.issuerKeys.keysOf(issuer, kid);
  }
}

/** INVARIANT (one registration): a token that fits none, or more than one, is refused. */
function registrationOf(
  providers: readonly ProviderInForce[],
  subject: string,
  kid: string,
): { readonly provider: ProviderInForce; readonly workload: RegisteredWorkload } {
  const fitting = providers
    .filter(({ jwks }) => jwks === null || jwks.some((key) => key.kid === kid))
    .flatMap((provider) =>
      provider.workloads.filter((each) => each.subject === subject).map((workload) => ({ provider, workload })),
    );
  const [only] = fitting;
  if (only === undefined)
    throw new Fault('auth.invalid', 'no registration names the service account of the workload token, and its key');
  if (fitting.length > 1)
    throw new Fault('auth.invalid', 'several registrations name the service account of the token');
  return only;
}

/**
 * The hash of the credential of a workload as it is registered. With another role, agent or time of registration it is
 * another credential.
 */
export const workloadHash = (
  hashes: IdentityHashes,
  providerId: Id<'identityProvider'>,
  { subject, role, agent_id, tools, since }: RegisteredWorkload,
): Buffer =>
  hashes.of(
    'credential',
    'workload',
    providerId,
    subject,
    role,
    agent_id ?? '',
    (tools ?? []).join(' '),
    String(since),
  );

const setOf = (keys: readonly PinnedKey[]): LocalJWKSet =>
  createLocalJWKSet({ keys: [...keys] } as unknown as JSONWebKeySet);
