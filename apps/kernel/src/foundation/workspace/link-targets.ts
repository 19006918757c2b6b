// SPDX-License-Identifier: Apache-2.0
import type { Change, TenantId } from '@writ/contract';
import type { BlobStore } from '@writ/blobs';
import { LINK_TARGET_BYTES_MAX, linkTargetFault, quote } from '@writ/workspace';

/** Targets read in one round trip, and held at once: less than a MiB. */
const READ = 128;
const NONE: ReadonlyMap<string, Uint8Array> = new Map();

/**
 * Why one of these changes makes a link that no workspace may hold, in words, or null. Its contents MUST be stored, of
 * the size that is named, or come along. What is longer than any target isn't read.
 */
export async function badLink(
  blobs: BlobStore,
  tenantId: TenantId,
  changes: readonly Pick<Change, 'path' | 'after'>[],
  along: ReadonlyMap<string, Uint8Array> = NONE,
): Promise<string | null> {
  const links = changes.flatMap(({ path, after }) =>
    after?.kind === 'symlink' && after.sha256 !== null ? [{ path, sha256: after.sha256, size: after.size }] : [],
  );
  const tooLong = links.find(({ size }) => size > LINK_TARGET_BYTES_MAX);
  if (tooLong) return `the target of the link ${quote(tooLong.path)} is longer than ${LINK_TARGET_BYTES_MAX} bytes`;
  for (let at = 0; at < links.length; at += READ) {
    const some = links.slice(at, at + READ);
    const elsewhere = [...new Set(some.map(({ sha256 }) => sha256))].filter((sha256) => !along.has(sha256));
    const read = elsewhere.length === 0 ? NONE : await blobs.getMany(tenantId, elsewhere);
    for (const { path, sha256 } of some) {
      const fault = linkTargetFault(along.get(sha256) ?? read.get(sha256) ?? new Uint8Array());
      if (fault !== null) return `the target of the link ${quote(path)} ${fault}`;
    }
  }
  return null;
}
