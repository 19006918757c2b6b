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

/** What a new key is asked to be. */
export interface KeyWish {
  readonly name: string;
  readonly role: Role;
  readonly agent_id?: string | undefined;
  readonly principal?: string | undefined;
}

/** Jobs listed in one answer: a person has to look at each. */
const JOBS_MAX = 200;

/** What a key leaves behind. */
export interface KeyTraces {
  readonly jobs: Pick<Jobs, 'madeBy'>;
  /** the runs that this replica drives */
  readonly runs: { readonly keyRevoked: (apiKeyId: string) => void };
}

/**
 * Makes and revokes keys. INVARIANT (recorded first): the change is in the kernel's outbox, durable, before it takes
 * effect.
 */
export class ChangeKeys {
  readonly #kernel: KernelClient;
  readonly #keys: ApiKeys;
  readonly #authenticator: Authenticator;
  readonly #traces: KeyTraces;

  constructor(kernel: KernelClient, keys: ApiKeys, authenticator: Authenticator, traces: KeyTraces) {
    this.#kernel = kernel;
    this.#keys = keys;
    this.#authenticator = authenticator;
    this.#traces = traces;
  }

  /** Faults: `request.malformed` where role and agent don't go together, `not_found` for an agent that isn't there. */
  async create(
    caller: Caller,
    { name, role, agent_id = undefined, principal = undefined }: KeyWish,
  ): Promise<NewApiKey> {
    if ((role === 'agent') !== (agent_id !== undefined)) {
      throw new Fault(
        'request.malformed',
        role === 'agent' ? 'a key of role `agent` needs an `agent_id`' : 'only a key of role `agent` has an `agent_id`',
        { pointer: '/agent_id' },
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
      hash: hashApiKey(api_key),
      created_by: caller.api_key_id,
    };
    return { ...(await this.#keys.create(caller.tenant_id, key)), api_key };
  }

  /**
   * Revokes a key, and ends what it proposed: held and running calls, runs, sub-agents' included. What it made stays,
   * and is told. INVARIANT (the kernel first): the kernel refuses the key's calls, durably, before the key is revoked
   * here. So nothing of a revoked key commits, whatever dies in between. Asked again, it does what is left to do.
   * Faults: `not_found`, `conflict` for the last key of an administrator.
   */
  async revoke(caller: Caller, apiKeyId: string): Promise<RevokedApiKey> {
    let tokens: KeyRevoked | null = null;
    const revoked = await this.#keys.revoke(caller.tenant_id, apiKeyId, async () => {
      tokens = await this.#kernel.ask('api_key.revoke', caller, { api_key_id: apiKeyId });
    });
    if (revoked === null) throw new Fault('not_found');
    this.#authenticator.forget(apiKeyId);
    this.#traces.runs.keyRevoked(apiKeyId);
    return { ...revoked, remains: await this.#remainsOf(caller, apiKeyId, tokens) };
  }

  async #remainsOf(
    { tenant_id }: Caller,
    apiKeyId: string,
    kernel: KeyRevoked | null,
  ): Promise<RevokedApiKey['remains']> {
    if (kernel === null) throw new Error('a key was revoked without the kernel');
    const jobs = await this.#traces.jobs.madeBy(tenant_id, apiKeyId, JOBS_MAX + 1);
    const more = kernel.more_tokens || jobs.length > JOBS_MAX;
    return { capability_tokens: kernel.tokens, jobs: jobs.slice(0, JOBS_MAX), more };
  }
}

/** What the record of a key says of its person: who knows both ids can check it, and the log names nobody. */
const personDigest = (api_key_id: string, principal: string): string =>
  sha256Hex(canonicalBytes({ api_key_id, principal }));
