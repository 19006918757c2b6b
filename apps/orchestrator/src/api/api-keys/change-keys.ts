// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { Fault, type Caller, type Id, type KeyRevoked } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import { Authenticator } from '../../edge/access/authenticator.ts';
import type { Role } from '../../edge/requests/route.ts';
import { apiKeyView, type NewApiKey, type RevokedApiKey } from './views.ts';
import { ApiKeys, type KeyRotation } from '../../store/keys/api-keys.ts';
import type { PersonLinks } from '../../edge/access/oauth/person-links.ts';
import type { Jobs } from '../../store/jobs/jobs.ts';
import { NOT_ACTIVE } from '../../store/keys/principals.ts';
import type { Members } from '../../store/members/members.ts';
import { formatApiKey, hashApiKey, KEY_BYTES } from '../../edge/access/api-key-text.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';
import type { RevokeKey } from '../../calls/kernel/revoke-key.ts';

/** The values of a new key in a request. */
export interface CreateKeyRequest {
  readonly name: string;
  readonly role: Role;
  readonly agent_id?: string | undefined;
  readonly principal?: string | undefined;
  /** the service account whose key it is, instead of a person's */
  readonly member_id?: Id<'member'> | undefined;
  readonly tools?: readonly string[] | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly expires_at?: number | undefined;
}

/** The values of a rotation in a request. */
export interface RotateKeyRequest {
  readonly overlap_ms: number;
  readonly expires_at?: number | null | undefined;
}

/** Most jobs in one response: a person has to review each. */
const LISTED_JOBS_MAX = 200;

/** What depends on a key, and whose it is. */
export interface KeyDependents {
  readonly jobs: Pick<Jobs, 'madeBy'>;
  readonly members: Pick<Members, 'read' | 'ofPerson'>;
  readonly persons: Pick<PersonLinks, 'idOf'>;
  readonly revokeKey: Pick<RevokeKey, 'run'>;
}

/** What bounds new keys. */
export interface KeyBounds {
  /** the scopes that exist, and that a key can have */
  readonly scopes: readonly string[];
  /** milliseconds since the epoch */
  readonly now: () => number;
}

/**
 * Creates, rotates and revokes keys. INVARIANT (recorded first): a change is durable in the kernel's outbox before it
 * takes effect.
 */
export class ChangeKeys {
  readonly #kernel: KernelClient;
  readonly #keys: ApiKeys;
  readonly #authenticator: Authenticator;
  readonly #dependents: KeyDependents;
  readonly #bounds: KeyBounds;

  constructor(
    kernel: KernelClient,
    keys: ApiKeys,
    authenticator: Authenticator,
    dependents: KeyDependents,
    bounds: KeyBounds,
  ) {
    this.#kernel = kernel;
    this.#keys = keys;
    this.#authenticator = authenticator;
    this.#dependents = dependents;
    this.#bounds = bounds;
  }

  /**
   * Faults: `request.malformed` where role and agent don't match, for scopes that don't exist and for a time that has
   * passed; `not_found` for an agent that doesn't exist.
   */
  async create(caller: Caller, request: CreateKeyRequest): Promise<NewApiKey> {
    const { name, role, agent_id, tools, scopes = [], expires_at } = request;
    verifyRole(request);
    this.#verifyScopes(scopes);
    this.#verifyEnd(expires_at ?? null);
    if (agent_id !== undefined) await this.#kernel.ask('agent.read', caller, { agent_id });
    const whose = await this.#whoseKey(caller, request);
    const api_key_id = newId('apiKey');
    const api_key = formatApiKey(api_key_id, randomBytes(KEY_BYTES));
    await this.#kernel.ask('change.record', caller, {
      verb: 'api_key_created',
      subject: api_key_id,
      ...digestOf(api_key_id, whose.principal === null ? request : { ...request, principal: whose.principal }),
    });
    const key = {
      api_key_id,
      name,
      role,
      agent_id: agent_id ?? null,
      ...whose,
      tools: tools ?? null,
      scopes,
      expires_at: expires_at ?? null,
      hash: hashApiKey(api_key),
      created_by: caller.api_key_id,
    };
    return { ...apiKeyView(await this.#keys.create(caller.tenant_id, key)), api_key };
  }

  /** Of a person, of a service account, or of nobody. Faults: `request.malformed`, `not_found`, `conflict`. */
  async #whoseKey(
    { tenant_id }: Caller,
    { principal: named, member_id }: CreateKeyRequest,
  ): Promise<{ readonly principal: string | null; readonly person_id?: Id<'person'> }> {
    const { members, persons } = this.#dependents;
    const principal = named ?? null;
    if (principal === null && member_id === undefined) return { principal };
    if (principal !== null && member_id !== undefined)
      throw new Fault('request.malformed', 'a key is of a person (`principal`) or of a service account (`member_id`)', {
        pointer: '/member_id',
      });
    const person_id: Id<'person'> | null = principal === null ? null : await persons.idOf(tenant_id, { principal });
    const member =
      person_id === null
        ? await members.read(tenant_id, String(member_id))
        : await members.ofPerson(tenant_id, person_id);
    if (member_id !== undefined && member === null) throw new Fault('not_found');
    if (member_id !== undefined && member?.person_id !== null)
      throw new Fault('request.malformed', 'the member is a person, whom `principal` names', { pointer: '/member_id' });
    if (member !== null && member.state !== 'active') throw new Fault('conflict', NOT_ACTIVE);
    return { principal: principal ?? String(member_id), ...(person_id === null ? {} : { person_id }) };
  }

  /**
   * Exchanges the secret of a key of the tenant. INVARIANT (no longer life): no key moves its own end to a later time.
   * Faults: `not_found`, `conflict`, `request.malformed`, `auth.role`.
   */
  async rotate(caller: Caller, apiKeyId: string, { overlap_ms, expires_at }: RotateKeyRequest): Promise<NewApiKey> {
    this.#verifyEnd(expires_at ?? null);
    if (expires_at !== undefined && apiKeyId === caller.api_key_id) await this.#verifyEarlier(caller, expires_at);
    const end = expires_at === undefined ? {} : { expires_at };
    return await this.#rotate(caller, apiKeyId, { overlap_ms, ...end });
  }

  /**
   * Exchanges the secret of the caller's own key. Only the newest secret does, unless the key is an administrator's,
   * which could make a new key as well: whoever took a secret can't take the key over after its rotation. What replicas
   * cache of the key doesn't count: the secret is compared with the row, under its lock. Faults: `conflict`.
   *
   * @param presented the secret by which the caller was identified
   */
  async rotateOwn(caller: Caller, presented: string, overlap_ms: number): Promise<NewApiKey> {
    const newest = caller.role === 'admin' ? {} : { presented: hashApiKey(presented) };
    return await this.#rotate(caller, caller.api_key_id, { overlap_ms }, newest);
  }

  async #rotate(
    caller: Caller,
    apiKeyId: string,
    how: Omit<KeyRotation, 'hash' | 'presented'>,
    newest: Pick<KeyRotation, 'presented'> = {},
  ): Promise<NewApiKey> {
    const api_key = formatApiKey(apiKeyId, randomBytes(KEY_BYTES));
    const rotation = { hash: hashApiKey(api_key), ...how, ...newest };
    const rotated = await this.#keys.rotate(caller.tenant_id, apiKeyId, rotation, async () => {
      const digest = sha256Hex(canonicalBytes({ api_key_id: apiKeyId, ...how }));
      await this.#kernel.ask('change.record', recorderOf(caller), {
        verb: 'api_key_rotated',
        subject: apiKeyId,
        digest,
      });
    });
    if (rotated === null) throw new Fault('not_found');
    this.#authenticator.forget(apiKeyId);
    return { ...apiKeyView(rotated), api_key };
  }

  async #verifyEarlier({ tenant_id, api_key_id }: Caller, end: number | null): Promise<void> {
    const own = await this.#keys.read(tenant_id, api_key_id);
    if (own === null || own.expires_at === null || (end !== null && end <= own.expires_at)) return;
    throw new Fault('auth.role', 'a key never moves its own end to a later time: ask another administrator', {
      pointer: '/expires_at',
    });
  }

  #verifyScopes(scopes: readonly string[]): void {
    const unknown = scopes.find((scope) => !this.#bounds.scopes.includes(scope));
    if (unknown === undefined) return;
    throw new Fault(
      'request.malformed',
      `a key can't have the scope \`${unknown}\`: ${this.#bounds.scopes.join(', ')}`,
      { pointer: '/scopes' },
    );
  }

  #verifyEnd(expires_at: number | null): void {
    if (expires_at !== null && expires_at <= this.#bounds.now())
      throw new Fault('request.malformed', '`expires_at` must be in the future', { pointer: '/expires_at' });
  }

  /**
   * Revokes a key, and ends its held and running calls and its runs, including those of sub-agents. Tokens and jobs
   * that it created remain, and are returned. Faults: `not_found`, `conflict` for the last key of an administrator.
   */
  async revoke(caller: Caller, apiKeyId: string): Promise<RevokedApiKey> {
    const revoked = await this.#dependents.revokeKey.run(caller, apiKeyId);
    if (revoked === null) throw new Fault('not_found');
    return { ...apiKeyView(revoked.row), remains: await this.#remainsOf(caller, apiKeyId, revoked.left) };
  }

  async #remainsOf({ tenant_id }: Caller, apiKeyId: string, kernel: KeyRevoked): Promise<RevokedApiKey['remains']> {
    const jobs = await this.#dependents.jobs.madeBy(tenant_id, apiKeyId, LISTED_JOBS_MAX + 1);
    const more = kernel.more_tokens || jobs.length > LISTED_JOBS_MAX;
    return { capability_tokens: kernel.tokens, jobs: jobs.slice(0, LISTED_JOBS_MAX), more };
  }
}

/** Fault `request.malformed` where role, agent and tools don't match. */
function verifyRole({ role, agent_id, tools }: CreateKeyRequest): void {
  if ((role === 'agent') !== (agent_id !== undefined))
    throw new Fault(
      'request.malformed',
      role === 'agent' ? 'a key of role `agent` needs an `agent_id`' : 'only a key of role `agent` has an `agent_id`',
      { pointer: '/agent_id' },
    );
  if ((role === 'worker') !== (tools !== undefined))
    throw new Fault(
      'request.malformed',
      role === 'worker' ? 'a key of role `worker` names its `tools`' : 'only a key of role `worker` names `tools`',
      { pointer: '/tools' },
    );
}

/** The kernel lets only administrators record changes of keys. That a key may rotate itself is checked before. */
const recorderOf = ({ tenant_id, api_key_id }: Caller): Caller => ({
  tenant_id,
  api_key_id,
  role: 'admin',
  agent_id: null,
});

/**
 * The digest of what a key's record doesn't say: its person, and what limits it. Anyone who knows them can check it,
 * and the log contains no name. Absent where there is nothing of that.
 */
function digestOf(api_key_id: string, { principal, scopes, expires_at }: CreateKeyRequest): { digest?: string } {
  const limits = { ...(scopes === undefined ? {} : { scopes }), ...(expires_at === undefined ? {} : { expires_at }) };
  const said = { ...(principal === undefined ? {} : { principal }), ...limits };
  if (Object.keys(said).length === 0) return {};
  return { digest: sha256Hex(canonicalBytes({ api_key_id, ...said })) };
}
