// SPDX-License-Identifier: Apache-2.0
//
// What is kept of a call by reference. INVARIANT (opened here): whatever reads such a content in this process reads it
// through these functions, so that none is read that the call's key doesn't open.
import type { BlobRef, ContentOpens, TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { ARGUMENTS_ATTEMPT, openContent, type ContentKind, type ContentSeal } from '@writ/sealing';
import type { ArgumentsRef, ContentRef } from '../../foundation/rows/content-ref.ts';
import type { CallVault, KeyedCall } from './call-vault.ts';

/** A call by its names. */
export type NamedCall = Pick<KeyedCall, 'tenant_id' | 'operation_id'>;

/** A reference without what is kept beside it: what leaves this process has no more. */
export const plainRef = ({ sha256, size }: BlobRef): BlobRef => ({ sha256, size });

/** Long arguments as they were put; null where their key was erased. @throws Fault `blob.missing`, `blob.corrupt` */
export async function openArguments(
  vault: CallVault,
  blobs: BlobStore,
  call: NamedCall,
  ref: ArgumentsRef,
): Promise<Uint8Array | null> {
  return await openedWith(
    blobs,
    call,
    'args',
    ref,
    ref.sealed_key === undefined ? 'clear' : await argumentsSeal(vault, call, ref.sealed_key),
  );
}

/**
 * The key that long arguments were put under, base64; undefined where they were put as they are.
 * @throws Error where it is gone: for a call that isn't over
 */
export async function argumentsKey(
  vault: CallVault,
  { tenant_id, operation_id }: NamedCall,
  { sealed_key }: ArgumentsRef,
): Promise<string | undefined> {
  return sealed_key === undefined
    ? undefined
    : (await vault.openLive(tenant_id, operation_id, 'args_key', Buffer.from(sealed_key, 'base64'))).toString('base64');
}

/**
 * What an executor stored of a call, as it was; null where the call's key was erased. Callers bound the size before.
 * @throws Fault `blob.missing`, `blob.corrupt`
 */
export async function openKept(
  vault: CallVault,
  blobs: BlobStore,
  call: KeyedCall,
  kind: ContentKind,
  ref: ContentRef,
): Promise<Uint8Array | null> {
  return await openedWith(
    blobs,
    call,
    kind,
    ref,
    ref.sealed === undefined ? 'clear' : await vault.contentSeal(call, ref.sealed.attempt, ref.sealed.mode),
  );
}

/** What opens a content elsewhere: undefined for one that is as it is, null where the call's key was erased. */
export async function opensKept(
  vault: CallVault,
  call: KeyedCall,
  { sealed }: ContentRef,
): Promise<ContentOpens | undefined | null> {
  if (sealed === undefined) return undefined;
  const seal = await vault.contentSeal(call, sealed.attempt, sealed.mode);
  return seal === null ? null : { key: seal.key.toString('base64'), attempt: seal.attempt };
}

async function argumentsSeal(
  vault: CallVault,
  { tenant_id: tenantId, operation_id: operationId }: NamedCall,
  sealedKey: string,
): Promise<ContentSeal | null> {
  const key = await vault.open(tenantId, operationId, 'args_key', Buffer.from(sealedKey, 'base64'));
  return key === null ? null : { key, tenantId, operationId, attempt: ARGUMENTS_ATTEMPT };
}

async function openedWith(
  blobs: BlobStore,
  { tenant_id }: NamedCall,
  kind: ContentKind,
  { sha256 }: BlobRef,
  seal: ContentSeal | 'clear' | null,
): Promise<Uint8Array | null> {
  if (seal === null) return null;
  const stored = await blobs.get(tenant_id as TenantId, sha256);
  return seal === 'clear' ? stored : openContent(seal, kind, stored);
}
