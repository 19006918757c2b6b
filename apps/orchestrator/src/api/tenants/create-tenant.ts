// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { newId } from '@writ/nest-kit';
import type { NewTenant } from './views.ts';
import { ApiKeys } from '../../store/keys/api-keys.ts';
import { formatApiKey, hashApiKey, KEY_BYTES } from '../../edge/access/api-key-text.ts';
import { KernelClient } from '../../calls/kernel/kernel-client.ts';

/** Creates a tenant at the kernel, which records it with its first key, and then the key. */
export class CreateTenant {
  readonly #kernel: KernelClient;
  readonly #keys: ApiKeys;

  constructor(kernel: KernelClient, keys: ApiKeys) {
    this.#kernel = kernel;
    this.#keys = keys;
  }

  /**
   * A tenant whose key could not be stored is unusable, and the caller creates another one. Faults: `bus.unreachable`,
   * `database.unavailable`.
   */
  async run(name: string): Promise<NewTenant> {
    const [tenant_id, api_key_id] = [newId('tenant'), newId('apiKey')];
    const api_key = formatApiKey(api_key_id, randomBytes(KEY_BYTES));
    await this.#kernel.createTenant({ v: 1, tenant_id, name, admin_key_id: api_key_id });
    await this.#keys.create(tenant_id, {
      api_key_id,
      name: 'first administrator',
      role: 'admin',
      agent_id: null,
      hash: hashApiKey(api_key),
      created_by: 'platform',
    });
    return { tenant_id, name, api_key_id, api_key };
  }
}
