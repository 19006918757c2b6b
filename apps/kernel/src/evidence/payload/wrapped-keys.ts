// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { KEY_BYTES, knownKeys, openBytes, sealBytes, type MasterKeys } from '@writ/sealing';

/** What a tenant's keys are for. It is bound into the wrapping, so that one can't stand in for the other. */
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
 * Draws the keys of a new tenant and wraps them. The clear keys are forgotten: they are unwrapped when first needed.
 */
export function newTenantKeys(masterKey: Buffer, tenantId: string): WrappedKeys {
  return wrapTenantKeys(masterKey, tenantId, { data: randomBytes(KEY_BYTES), finger: randomBytes(KEY_BYTES) });
}

/** Wraps a tenant's keys: anew, where they are wrapped under another master key. What they sealed stays as it is. */
export function wrapTenantKeys(masterKey: Buffer, tenantId: string, keys: TenantKeys): WrappedKeys {
  const wrap = (purpose: KeyPurpose): Buffer => sealBytes(masterKey, keys[purpose], boundTo(tenantId, purpose));
  return { data_key: wrap('data'), finger_key: wrap('finger') };
}

/** @throws Error if a key was wrapped by no master key that is known, for another tenant or for another purpose. */
export function unwrapTenantKeys(master: MasterKeys, tenantId: string, wrapped: WrappedKeys): TenantKeys {
  const errors: unknown[] = [];
  for (const masterKey of knownKeys(master)) {
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
