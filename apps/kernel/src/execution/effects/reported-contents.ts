// SPDX-License-Identifier: Apache-2.0
import { Fault, type BlobRef, type FaultCode, type ReportRequest, type TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { openContent, SEAL_BYTES, type ContentKind } from '@writ/sealing';
import { plainRef, type CallVault, type KeyedCall } from '../../evidence/payload/index.ts';
import type { ContentRef, SealedBy } from '../../foundation/rows/content-ref.ts';

/** The attempt that sealed the contents which a report names. */
export const sealedBy = ({ attempt, mode }: Pick<ReportRequest, 'attempt' | 'mode'>): SealedBy => ({
  attempt,
  mode: mode ?? 'run',
});

/**
 * The contents that an executor reports as stored for an attempt. INVARIANT (sealed, or no effect): a content that
 * isn't sealed under the key of the reporting attempt is refused, whether it is in clear or sealed by another attempt
 * or call.
 */
export class ReportedContents {
  readonly #vault: CallVault;
  readonly #blobs: BlobStore;
  readonly #call: KeyedCall;
  readonly #by: SealedBy | null;

  /** @param by null: an effect that was staged before contents were sealed, and has waited since */
  constructor(vault: CallVault, blobs: BlobStore, call: KeyedCall, by: SealedBy | null) {
    this.#vault = vault;
    this.#blobs = blobs;
    this.#call = call;
    this.#by = by;
  }

  /** The content in clear. @throws Fault `effect.invalid`; others where our own store fails */
  async read(kind: ContentKind, ref: BlobRef, bytesMax: number): Promise<Uint8Array> {
    const stored = await readBlob(this.#blobs, this.#call.tenant_id as TenantId, ref, bytesMax, {
      more: this.#by === null ? 0 : SEAL_BYTES,
    });
    if (this.#by === null) return stored;
    const seal = await this.#vault.liveContentSeal(this.#call, this.#by.attempt, this.#by.mode);
    try {
      return openContent(seal, kind, stored);
    } catch (cause) {
      throw new Fault('effect.invalid', 'a reported content is not sealed as one of its attempt', { cause });
    }
  }

  /** The reference as rows store it, with the attempt whose key opens it. */
  storedRef(ref: BlobRef): ContentRef {
    return this.#by === null ? plainRef(ref) : { ...plainRef(ref), sealed: this.#by };
  }
}

/**
 * Stored bytes that a report names: `more` bytes longer than their reference states.
 * @throws Fault `effect.invalid`, or `tooLong`
 */
export async function readBlob(
  blobs: BlobStore,
  tenantId: TenantId,
  ref: BlobRef,
  bytesMax: number,
  { more = 0, tooLong = 'effect.invalid' }: { more?: number; tooLong?: FaultCode } = {},
): Promise<Uint8Array> {
  if (ref.size > bytesMax) throw new Fault(tooLong, `a reported content has at most ${bytesMax} bytes`);
  const bytes = await blobs.get(tenantId, ref.sha256).catch((error: unknown) => {
    if (error instanceof Fault && error.code === 'blob.missing')
      throw new Fault('effect.invalid', 'a reported content was not stored');
    throw error;
  });
  if (bytes.byteLength !== ref.size + more)
    throw new Fault('effect.invalid', 'a reported content has another size than named');
  return bytes;
}
