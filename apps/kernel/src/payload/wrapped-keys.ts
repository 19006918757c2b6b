// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { KEY_BYTES, openBytes, sealBytes } from '@writ/nest-kit';

/** What a tenant's keys are for. It is bound into the wrapping, so that one can't stand in for the other. */
export type KeyPurpose = 'data' | 'finger';

/** A tenant's two keys as its row stores them: nonce ‖ ciphertext ‖ tag under the master key. */
export interface WrappedKeys { readonly data_key: Buffer; readonly finger_key: Buffer }
export interface TenantKeys { readonly data: Buffer; readonly finger: Buffer }

/** Draws the keys of a new tenant and wraps them. The clear keys are forgotten: they are unwrapped when first needed. */
export function newTenantKeys(masterKey: Buffer, tenantId: string): WrappedKeys {
  const wrap = (purpose: KeyPurpose): Buffer => sealBytes(masterKey, randomBytes(KEY_BYTES), boundTo(tenantId, purpose));
  return { data_key: wrap('data'), finger_key: wrap('finger') };
}

/** @throws Error if a key was wrapped by another master key, for another tenant or for another purpose. */
export function unwrapTenantKeys(masterKey: Buffer, tenantId: string, wrapped: WrappedKeys): TenantKeys {
  return {
    data: openBytes(masterKey, wrapped.data_key, boundTo(tenantId, 'data')),
    finger: openBytes(masterKey, wrapped.finger_key, boundTo(tenantId, 'finger')),
  };
}

const boundTo = (tenantId: string, purpose: KeyPurpose): string => `writ/key/v1\n${tenantId}\n${purpose}`;
