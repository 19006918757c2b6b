// SPDX-License-Identifier: Apache-2.0
import type { Caller, KeyRevoked } from '@writ/contract';
import type { Authenticator } from '../../edge/access/authenticator.ts';
import type { ApiKeyRow, ApiKeys } from '../../store/keys/api-keys.ts';
import type { KernelClient } from './kernel-client.ts';

export interface RevokeKeyParts {
  readonly keys: Pick<ApiKeys, 'revoke'>;
  readonly authenticator: Pick<Authenticator, 'forget'>;
  /** the runs that this replica drives */
  readonly runs: { readonly keyRevoked: (apiKeyId: string) => void };
}

/** A key that is revoked, and what the kernel says that it leaves behind. */
export interface RevokedKey {
  readonly row: ApiKeyRow;
  readonly left: KeyRevoked;
}

/**
 * Revokes API keys and credentials, for everybody who may: administrators, offboardings, and changes of identity
 * providers. INVARIANT (the kernel first): the kernel durably refuses a key's calls before the key is revoked here. So
 * no call of a revoked key commits, even after a crash in between. A repeated request completes the rest.
 */
export class RevokeKey {
  readonly #kernel: Pick<KernelClient, 'ask'>;
  readonly #parts: RevokeKeyParts;

  constructor(kernel: Pick<KernelClient, 'ask'>, parts: RevokeKeyParts) {
    this.#kernel = kernel;
    this.#parts = parts;
  }

  /**
   * Revokes a key of the caller's tenant, and ends its runs on this replica. Null where the tenant has no such key:
   * then nothing ends, since the id may be a key of another tenant. Fault `conflict` for the last key of an
   * administrator.
   */
  async run(by: Caller, apiKeyId: string): Promise<RevokedKey | null> {
    const { keys, authenticator, runs } = this.#parts;
    const replies: KeyRevoked[] = [];
    const row = await keys.revoke(by.tenant_id, apiKeyId, async () => {
      replies.push(await this.#kernel.ask('api_key.revoke', by, { api_key_id: apiKeyId }));
    });
    if (row === null) return null;
    authenticator.forget(apiKeyId);
    runs.keyRevoked(apiKeyId);
    const [left] = replies;
    if (left === undefined) throw new Error('a key was revoked without the kernel');
    return { row, left };
  }
}
