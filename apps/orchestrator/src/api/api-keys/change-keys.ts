// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { Fault, type Caller, type KeyRevoked } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import { Authenticator } from '../../edge/access/authenticator.ts';
import type { Role } from '../../edge/requests/route.ts';
import type { NewApiKey, RevokedApiKey } from './views.ts';
import { ApiKeys } from '../../store/keys/api-keys.ts';
import type { Jobs } from '../../store/jobs/jobs.ts';
import { formatApiKey, hashApiKey, KEY_BYTES } from '../../edge/access/api-key-text.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

/** The values of a new key in a request. */
export interface CreateKeyRequest {
  readonly name: string;
  readonly role: Role;
  readonly agent_id?: string | undefined;
  readonly principal?: string | undefined;
  readonly tools?: readonly string[] | undefined;
}

/** Most jobs in one response: a person has to review each. */
const LISTED_JOBS_MAX = 200;

/** What depends on a key: jobs, and runs in progress. */
export interface KeyDependents {
  readonly jobs: Pick<Jobs, 'madeBy'>;
  /** the runs that this replica drives */
  readonly runs: { readonly keyRevoked: (apiKeyId: string) => void };
}

/**
 * Creates and revokes keys. INVARIANT (recorded first): a change is durable in the kernel's outbox before it takes
 * effect.
 */
export class ChangeKeys {
  readonly #kernel: KernelClient;
  readonly #keys: ApiKeys;
  readonly #authenticator: Authenticator;
  readonly #dependents: KeyDependents;

  constructor(kernel: KernelClient, keys: ApiKeys, authenticator: Authenticator, dependents: KeyDependents) {
    this.#kernel = kernel;
    this.#keys = keys;
    this.#authenticator = authenticator;
    this.#dependents = dependents;
  }

  /** Faults: `request.malformed` where role and agent don't match, `not_found` for an agent that doesn't exist. */
  async create(
    caller: Caller,
    { name, role, agent_id = undefined, principal = undefined, tools = undefined }: CreateKeyRequest,
  ): Promise<NewApiKey> {
    if ((role === 'agent') !== (agent_id !== undefined)) {
      throw new Fault(
        'request.malformed',
        role === 'agent' ? 'a key of role `agent` needs an `agent_id`' : 'only a key of role `agent` has an `agent_id`',
        { pointer: '/agent_id' },
      );
    }
    if ((role === 'worker') !== (tools !== undefined)) {
      throw new Fault(
        'request.malformed',
        role === 'worker' ? 'a key of role `worker` names its `tools`' : 'only a key of role `worker` names `tools`',
        { pointer: '/tools' },
      );
    }
    if (agent_id !== undefined) await this.#kernel.ask('agent.read', caller, { agent_id });
    const api_key_id = newId('apiKey');
    const api_key = formatApiKey(api_key_id, randomBytes(KEY_BYTES));
    await this.#kernel.ask('change.record', caller, {
      verb: 'api_key_created',
      subject: api_key_id,
      ...(principal === undefined ? {} : { digest: personDigest(api_key_id, principal) }),
    });
    const key = {
      api_key_id,
      name,
      role,
      agent_id: agent_id ?? null,
      principal: principal ?? null,
      tools: tools ?? null,
      hash: hashApiKey(api_key),
      created_by: caller.api_key_id,
    };
    return { ...(await this.#keys.create(caller.tenant_id, key)), api_key };
  }

  /**
   * Revokes a key, and ends its held and running calls and its runs, including those of sub-agents. Tokens and jobs
   * that it created remain, and are returned. INVARIANT (the kernel first): the kernel durably refuses the key's calls
   * before the key is revoked here. So no call of a revoked key commits, even after a crash in between. A repeated
   * request completes the rest. Faults: `not_found`, `conflict` for the last key of an administrator.
   */
  async revoke(caller: Caller, apiKeyId: string): Promise<RevokedApiKey> {
    let tokens: KeyRevoked | null = null;
    const revoked = await this.#keys.revoke(caller.tenant_id, apiKeyId, async () => {
      tokens = await this.#kernel.ask('api_key.revoke', caller, { api_key_id: apiKeyId });
    });
    if (revoked === null) throw new Fault('not_found');
    this.#authenticator.forget(apiKeyId);
    this.#dependents.runs.keyRevoked(apiKeyId);
    return { ...revoked, remains: await this.#remainsOf(caller, apiKeyId, tokens) };
  }

  async #remainsOf(
    { tenant_id }: Caller,
    apiKeyId: string,
    kernel: KeyRevoked | null,
  ): Promise<RevokedApiKey['remains']> {
    if (kernel === null) throw new Error('a key was revoked without the kernel');
    const jobs = await this.#dependents.jobs.madeBy(tenant_id, apiKeyId, LISTED_JOBS_MAX + 1);
    const more = kernel.more_tokens || jobs.length > LISTED_JOBS_MAX;
    return { capability_tokens: kernel.tokens, jobs: jobs.slice(0, LISTED_JOBS_MAX), more };
  }
}

/** The digest of a key's person in its record. Anyone who knows both ids can check it, and the log contains no name. */
const personDigest = (api_key_id: string, principal: string): string =>
  sha256Hex(canonicalBytes({ api_key_id, principal }));
