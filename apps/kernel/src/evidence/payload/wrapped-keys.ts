// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { KEY_BYTES, allKeys, openBytes, sealBytes, type MasterKeys } from '@writ/sealing';

/** The purpose of a tenant's key. It is bound into the wrapping, so that neither key can replace the other. */
export type KeyPurpose = 'data' | 'finger';

/** A tenant's two keys as its row stores them: nonce ‖ ciphertext ‖ tag under the master key. */
export interface WrappedKeys {
  readonly data_key: Buffer;
  readonly finger_key: Buffer;
}
export interface TenantKeys {
  readonly data: Buffer;
  readonly finger: Buffer;
}

/**
 * Generates the keys of a new tenant and wraps them. The clear keys are not kept: they are unwrapped when first needed.
 */
export function newTenantKeys(masterKey: Buffer, tenantId: string): WrappedKeys {
  return wrapTenantKeys(masterKey, tenantId, { data: randomBytes(KEY_BYTES), finger: randomBytes(KEY_BYTES) });
}

/** Wraps a tenant's keys, or wraps them anew under another master key. What they sealed stays as it is. */
export function wrapTenantKeys(masterKey: Buffer, tenantId: string, keys: TenantKeys): WrappedKeys {
  const wrap = (purpose: KeyPurpose): Buffer => sealBytes(masterKey, keys[purpose], boundTo(tenantId, purpose));
  return { data_key: wrap('data'), finger_key: wrap('finger') };
}

/** @throws Error if no known master key wrapped a key, or if it was wrapped for another tenant or another purpose. */
export function unwrapTenantKeys(master: MasterKeys, tenantId: string, wrapped: WrappedKeys): TenantKeys {
  const errors: unknown[] = [];
  for (const masterKey of allKeys(master)) {
    try {
      return {
        data: openBytes(masterKey, wrapped.data_key, boundTo(tenantId, 'data')),
        finger: openBytes(masterKey, wrapped.finger_key, boundTo(tenantId, 'finger')),
      };
    } catch (error) {
      errors.push(error);
    }
  }
  throw new AggregateError(errors, `no master key that is known opens the keys of \`${tenantId}\``);
}

const boundTo = (tenantId: string, purpose: KeyPurpose): string => `writ/key/v1\n${tenantId}\n${purpose}`;
