// SPDX-License-Identifier: Apache-2.0
// Credentials: the API keys that nobody holds, one for each subject, role and agent of a provider, and principal.
import { withAddedMembers, type Bus } from '@writ/bus';
import { Fault, type AgentId, type Caller, type Id, type Subjects, type TenantId } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import { LRUCache } from 'lru-cache';
import type { Identities, NewCredential, ProviderInForce } from '../../../store/identities/identities.ts';
import type { MemberStanding } from '../../../store/members/members.ts';
import type { ApiKeys } from '../../../store/keys/api-keys.ts';
import type { Role } from '../../../store/keys/roles.ts';
import { RetryAfterFault } from '../../problems/problem.ts';
import type { IdentityHashes } from './person-links.ts';

/** Longest wait for the kernel's answer, in milliseconds. */
const KERNEL_MS = 10_000;
/**
 * New credentials of one provider within a minute, per replica: an organisation of thousands signs in within minutes.
 * Each is a record and a row that stay, and an issuer can invent any number of subjects.
 */
export const NEW_PER_MINUTE_MAX = 600;
const MINUTE_MS = 60_000;
/** Counted providers: more than make credentials within a minute. */
const PROVIDERS_MAX = 20_000;
/** Credentials of one subject that are read, and that the kernel takes: roles and agents, of which it has a few. */
export const OF_SUBJECT_MAX = 1_000;

/** What a credential is for, without its hash. */
export interface CredentialOf {
  readonly issuer: string;
  readonly subject: string;
  readonly role: Role;
  readonly agentId: AgentId | null;
  readonly principal: string;
  /** absent: a person's, or a program's that a person let in */
  readonly workload?: {
    /** how lists of keys name the credential */
    readonly name: string;
    /** of the role `worker` */
    readonly tools: readonly string[] | null;
    /** as it is registered */
    readonly registered: NonNullable<NewCredential['workload']>;
  };
}

/** A change in a record: what was done to what. */
export interface CredentialChange {
  readonly verb: string;
  readonly subject: string;
  readonly digest?: string;
}

/** The kernel, as credentials need it. All reject where the change can't be recorded. */
export interface CredentialRecords {
  /** Records, before a credential takes effect, that it is made. The digest covers what it is for. */
  readonly created: (caller: Caller, providerId: string, subjectHash: Buffer) => Promise<void>;
  /** As `created`, of a workload: the kernel links it to nobody who consents to anything. */
  readonly workloadCreated: (caller: Caller, providerId: string) => Promise<void>;
  /** Records a change that the credential makes, or that is made to what it began, before it takes effect. */
  readonly changed: (by: Pick<Caller, 'tenant_id' | 'api_key_id'>, change: CredentialChange) => Promise<void>;
  /** Revokes a credential in the kernel, which ends its calls. */
  readonly revoked: (by: Caller, apiKeyId: Id<'apiKey'>) => Promise<void>;
}

/**
 * Records changes of credentials through the kernel. Nobody but the credential itself acts, so that it is the actor.
 * The kernel lets only administrators record changes of keys; that the issuer vouches for it is checked before.
 */
export function recordByKernel(bus: Bus, subjects: Subjects, now: () => number): CredentialRecords {
  const actorOf = ({ tenant_id, api_key_id }: Pick<Caller, 'tenant_id' | 'api_key_id'>): Caller => ({
    tenant_id,
    api_key_id,
    role: 'admin',
    agent_id: null,
  });
  const ask = async (
    name: 'kernel.change.record' | 'kernel.api_key.revoke',
    by: Pick<Caller, 'tenant_id' | 'api_key_id'>,
    request: object,
    added: Readonly<Record<string, unknown>> = {},
  ) => {
    const deadline = now() + KERNEL_MS;
    await withAddedMembers({ v: 1, caller: actorOf(by), ...request }, added, (message) =>
      bus.request(subjects.request(name), message, { deadline }),
    );
  };
  return {
    created: (caller, provider_id, subject_hash) =>
      ask(
        'kernel.change.record',
        caller,
        { verb: 'oauth_credential_created', subject: caller.api_key_id, digest: credentialDigest(caller, provider_id) },
        // A kernel of the version before links no persons: the person's next consent does it.
        { subject_hash: subject_hash.toString('hex') },
      ),
    workloadCreated: (caller, provider_id) =>
      ask('kernel.change.record', caller, {
        verb: 'workload_credential_created',
        subject: caller.api_key_id,
        digest: credentialDigest(caller, provider_id),
      }),
    changed: (by, change) => ask('kernel.change.record', by, change),
    revoked: (by, api_key_id) => ask('kernel.api_key.revoke', by, { api_key_id }),
  };
}

/** Anyone who knows what the credential is for can check it, and the log contains no name. */
export const credentialDigest = ({ role, agent_id, principal }: Caller, provider_id: string): string =>
  sha256Hex(canonicalBytes({ provider_id, role, agent_id, principal: principal ?? null }));

export interface CredentialsParts {
  readonly identities: Identities;
  readonly apiKeys: ApiKeys;
  readonly hashes: IdentityHashes;
  readonly records: CredentialRecords;
  /** new credentials of one provider within a minute */
  readonly newPerMinuteMax: number;
  readonly monotonic: () => number;
}

/** Finds and makes credentials. */
export class Credentials {
  readonly #parts: CredentialsParts;
  readonly #forget: () => void;
  readonly #made: LRUCache<string, { count: number }>;

  /** @param forget drops cached callers, after a revocation */
  constructor(parts: CredentialsParts, forget: () => void) {
    this.#parts = parts;
    this.#forget = forget;
    const perf = { now: parts.monotonic };
    this.#made = new LRUCache({ max: PROVIDERS_MAX, ttl: MINUTE_MS, ttlResolution: 0, noUpdateTTL: true, perf });
  }

  /** The caller behind the credential of that hash; null where there is none that isn't revoked. */
  async find(hash: Buffer): Promise<Caller | null> {
    return await this.#parts.apiKeys.authenticate(hash);
  }

  /**
   * Makes a credential. INVARIANT (recorded first): the log names it before it takes effect. A revoked one is never
   * made anew. INVARIANT (one principal): a subject whose principal has changed could approve what it proposed under
   * the other, so credentials of the other are revoked, which ends what waits and runs under them.
   * @param vouch makes the subject a member, and throws where it can't be one
   */
  async create(
    { tenant_id, provider_id, name }: ProviderInForce,
    hash: Buffer,
    of: CredentialOf,
    vouch: () => Promise<MemberStanding>,
  ): Promise<Caller> {
    const { identities, apiKeys, hashes, records } = this.#parts;
    if (await identities.hasCredential(tenant_id, hash)) {
      // Another replica may have made it a moment ago.
      const found = await this.find(hash);
      if (found === null) throw revokedBefore();
      return found;
    }
    this.#count(provider_id);
    const { member_id } = await vouch();
    const { role, agentId, principal, workload } = of;
    const caller: Caller = { tenant_id, api_key_id: newId('apiKey'), role, agent_id: agentId, principal };
    const subject_hash = hashes.of('subject', tenant_id, of.issuer, of.subject);
    await this.#revokeOthers(caller, subject_hash);
    if (workload === undefined) await records.created(caller, provider_id, subject_hash);
    else await records.workloadCreated(caller, provider_id);
    const { name: keyName, tools } = workload ?? { name: `token of ${name}`, tools: null };
    const { api_key_id } = caller;
    const key = { api_key_id, name: keyName, role, agent_id: agentId, principal, member_id, tools, hash };
    const whose = { provider_id, subject_hash, ...(workload === undefined ? {} : { workload: workload.registered }) };
    await identities.createCredential(tenant_id, { ...key, created_by: provider_id }, whose);
    // Another replica may have made one for another principal meanwhile.
    await this.#revokeOthers(caller, subject_hash);
    const made = await apiKeys.authenticate(hash);
    if (made === null) throw revokedBefore();
    return made;
  }

  async #revokeOthers(by: Caller, subject_hash: Buffer): Promise<void> {
    const { identities, apiKeys, records } = this.#parts;
    const found = await identities.credentialsOf(by.tenant_id, { subject_hash }, OF_SUBJECT_MAX + 1);
    if (found.length > OF_SUBJECT_MAX) throw new Fault('auth.invalid', 'the subject has too many credentials');
    for (const id of found) {
      if (!(await this.#isOfAnother(by, by.tenant_id, id))) continue;
      // The kernel first: it durably refuses the credential's calls before it is revoked here.
      await apiKeys.revoke(by.tenant_id, id, () => records.revoked(by, id));
      this.#forget();
    }
  }

  async #isOfAnother({ principal }: Caller, tenantId: TenantId, id: Id<'apiKey'>): Promise<boolean> {
    const row = await this.#parts.apiKeys.read(tenantId, id);
    return row !== null && row.principal !== principal;
  }

  #count(providerId: string): void {
    const made = this.#made.get(providerId) ?? { count: 0 };
    const { newPerMinuteMax: max } = this.#parts;
    if (made.count >= max)
      throw new RetryAfterFault(
        'rate.limited',
        `more than ${max} new subjects of one issuer within a minute`,
        Math.max(1, Math.ceil(this.#made.getRemainingTTL(providerId) / 1_000)),
      );
    if (made.count === 0) this.#made.set(providerId, { count: 1 });
    else made.count += 1;
  }
}

const revokedBefore = (): Fault => new Fault('auth.invalid', 'the credential of this subject was revoked');
