// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type Change, type TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { pacer } from '@writ/worker-pool';
import { findLinkFault } from '../../foundation/workspace/link-targets.ts';
import type { Upload } from './upload-delta.ts';

/** Contents in one query: as many as the store reads in one statement. */
const HASHES_PER_QUERY = 1_000;

/**
 * Verifies that the contents of an upload are stored for the tenant with that length, and are valid for their kind.
 * @throws Fault `request.malformed`, `limit.exceeded`
 */
export async function verifyContents(blobs: BlobStore, tenantId: TenantId, upload: Upload): Promise<void> {
  const pause = pacer();
  const { max, fault } = LIMITS.deltaBytes;
  const sizes = new Map<string, number>();
  const links: Pick<Change, 'path' | 'after'>[] = [];
  let bytes = 0;
  for (const [path, after] of upload) {
    await pause();
    if (after === null) continue;
    bytes += after.size;
    if (bytes > max) throw new Fault(fault, `one change of a workspace brings at most ${max} bytes`);
    if (after.sha256 !== null && (sizes.get(after.sha256) ?? after.size) !== after.size) throw notStored();
    if (after.sha256 !== null) sizes.set(after.sha256, after.size);
    if (after.kind === 'symlink') links.push({ path, after });
  }
  await verifySizes(blobs, tenantId, sizes, pause);
  const link = await findLinkFault(blobs, tenantId, links);
  if (link !== null) throw new Fault('request.malformed', link, { pointer: '/changes' });
}

async function verifySizes(
  blobs: BlobStore,
  tenantId: TenantId,
  sizes: ReadonlyMap<string, number>,
  pause: () => Promise<void>,
): Promise<void> {
  const hashes = [...sizes.keys()];
  for (let at = 0; at < hashes.length; at += HASHES_PER_QUERY) {
    const batch = hashes.slice(at, at + HASHES_PER_QUERY);
    const stored = await blobs.sizes(tenantId, batch);
    if (batch.some((sha256) => stored.get(sha256) !== sizes.get(sha256))) throw notStored();
    await pause();
  }
}

/** A content has one length. An upload with two lengths names a content that isn't stored. */
const notStored = (): Fault =>
  new Fault('request.malformed', 'the changes name contents that were not stored', { pointer: '/changes' });
