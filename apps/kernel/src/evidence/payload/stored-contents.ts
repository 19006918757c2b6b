// SPDX-License-Identifier: Apache-2.0
//
// Contents of calls that are stored by reference. INVARIANT (opened here): this process reads such contents only
// through these functions, so that it reads none that the call's key doesn't open.
import type { BlobRef, ContentOpening, TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { ARGUMENTS_ATTEMPT, openContent, type ContentKind, type ContentSeal } from '@writ/sealing';
import type { ArgumentsRef, ContentRef } from '../../foundation/rows/content-ref.ts';
import type { CallVault, KeyedCall } from './call-vault.ts';

/** A call by its ids. */
export type NamedCall = Pick<KeyedCall, 'tenant_id' | 'operation_id'>;

/** A reference without the fields that rows store with it: only this part leaves the process. */
export const plainRef = ({ sha256, size }: BlobRef): BlobRef => ({ sha256, size });

/** Long arguments in clear; null where their key was erased. @throws Fault `blob.missing`, `blob.corrupt` */
export async function openArguments(
  vault: CallVault,
  blobs: BlobStore,
  call: NamedCall,
  ref: ArgumentsRef,
): Promise<Uint8Array | null> {
  return await readAndOpen(
    blobs,
    call,
    'args',
    ref,
    ref.sealed_key === undefined ? 'clear' : await argumentsSeal(vault, call, ref.sealed_key),
  );
}

/**
 * The key that the long arguments of a call that isn't over are sealed under, base64; undefined where they are stored
 * in clear.
 * @throws Error where the key is gone
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
 * A content that an executor stored for a call, in clear; null where the call's key was erased. Callers bound the size
 * before.
 * @throws Fault `blob.missing`, `blob.corrupt`
 */
export async function openStoredContent(
  vault: CallVault,
  blobs: BlobStore,
  call: KeyedCall,
  kind: ContentKind,
  ref: ContentRef,
): Promise<Uint8Array | null> {
  return await readAndOpen(
    blobs,
    call,
    kind,
    ref,
    ref.sealed === undefined ? 'clear' : await vault.contentSeal(call, ref.sealed.attempt, ref.sealed.mode),
  );
}

/** The key that opens a content elsewhere: undefined for one stored in clear, null where the call's key was erased. */
export async function contentOpener(
  vault: CallVault,
  call: KeyedCall,
  { sealed }: ContentRef,
): Promise<ContentOpening | undefined | null> {
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

async function readAndOpen(
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
