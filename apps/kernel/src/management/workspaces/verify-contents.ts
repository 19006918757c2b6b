// SPDX-License-Identifier: Apache-2.0
import { Fault, LIMITS, type Change, type TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { pacer } from '@writ/worker-pool';
import { badLink } from '../../foundation/workspace/link-targets.ts';
import type { Upload } from './upload-delta.ts';

/** Contents that are asked for at once: as many as the store asks for in one statement. */
const ASKED = 1_000;

/**
 * Vouches that what an upload names is stored for the tenant, at that length, and is what its kind may hold.
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
  const link = await badLink(blobs, tenantId, links);
  if (link !== null) throw new Fault('request.malformed', link, { pointer: '/changes' });
}

async function verifySizes(
  blobs: BlobStore,
  tenantId: TenantId,
  sizes: ReadonlyMap<string, number>,
  pause: () => Promise<void>,
): Promise<void> {
  const hashes = [...sizes.keys()];
  for (let at = 0; at < hashes.length; at += ASKED) {
    const asked = hashes.slice(at, at + ASKED);
    const there = await blobs.sizes(tenantId, asked);
    if (asked.some((sha256) => there.get(sha256) !== sizes.get(sha256))) throw notStored();
    await pause();
  }
}

/** A content has one length: what names it with two names one that isn't stored. */
const notStored = (): Fault =>
  new Fault('request.malformed', 'the changes name contents that were not stored', { pointer: '/changes' });
