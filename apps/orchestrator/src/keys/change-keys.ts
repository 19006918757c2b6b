// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { Fault, type Caller } from '@writ/contract';
import { canonicalBytes, sha256Hex } from '@writ/digest';
import { newId } from '@writ/nest-kit';
import { Authenticator } from '../http/authenticator.ts';
import type { Role } from '../http/route.ts';
import type { ApiKeyView, NewApiKey } from '../http/views.ts';
import { ApiKeys } from '../ports/api-keys.ts';
import { formatApiKey, hashApiKey, KEY_BYTES } from '../support/api-key-text.ts';
import { KernelClient } from '../support/kernel-client.ts';

/** What a new key is asked to be. */
export interface KeyWish { readonly name: string; readonly role: Role; readonly agent_id?: string | undefined; readonly principal?: string | undefined }

/** Makes and revokes keys. INVARIANT (recorded first): the change is in the kernel's outbox, durable, before it takes effect. */
export class ChangeKeys {
  readonly #kernel: KernelClient;
  readonly #keys: ApiKeys;
  readonly #authenticator: Authenticator;

  constructor(kernel: KernelClient, keys: ApiKeys, authenticator: Authenticator) {
    this.#kernel = kernel;
    this.#keys = keys;
    this.#authenticator = authenticator;
  }

  /** Faults: `request.malformed` where role and agent don't go together, `not_found` for an agent that isn't there. */
  async create(caller: Caller, { name, role, agent_id = undefined, principal = undefined }: KeyWish): Promise<NewApiKey> {
    if ((role === 'agent') !== (agent_id !== undefined)) {
      throw new Fault('request.malformed', role === 'agent' ? 'a key of role `agent` needs an `agent_id`' : 'only a key of role `agent` has an `agent_id`', { pointer: '/agent_id' });
    }
    if (agent_id !== undefined) await this.#kernel.ask('agent.read', caller, { agent_id });
    const api_key_id = newId('apiKey');
    const api_key = formatApiKey(api_key_id, randomBytes(KEY_BYTES));
    await this.#kernel.ask('change.record', caller, { verb: 'api_key_created', subject: api_key_id, ...(principal === undefined ? {} : { digest: personDigest(api_key_id, principal) }) });
    const key = { api_key_id, name, role, agent_id: agent_id ?? null, principal: principal ?? null, hash: hashApiKey(api_key), created_by: caller.api_key_id };
    return { ...await this.#keys.create(caller.tenant_id, key), api_key };
  }

  /** Faults: `not_found`, `conflict` for the last key of an administrator. */
  async revoke(caller: Caller, apiKeyId: string): Promise<ApiKeyView> {
    const key = await this.#keys.read(caller.tenant_id, apiKeyId);
    if (key === null) throw new Fault('not_found');
    if (key.revoked_at !== null) return key;
    await this.#kernel.ask('change.record', caller, { verb: 'api_key_revoked', subject: apiKeyId });
    const revoked = await this.#keys.revoke(caller.tenant_id, apiKeyId);
    this.#authenticator.forget(apiKeyId);
    if (revoked === null) throw new Fault('not_found');
    return revoked;
  }
}

/** What the record of a key says of its person: who knows both ids can check it, and the log names nobody. */
const personDigest = (api_key_id: string, principal: string): string => sha256Hex(canonicalBytes({ api_key_id, principal }));
